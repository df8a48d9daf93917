"""`agent:` of a judge: its runner, what it is given, and its limits (harness.md 12)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import cast

from eval_tui.config.files import UnreadableFile
from eval_tui.config.judge_kind import INSTRUCTIONS, Kind
from eval_tui.config.paths import Base, first_existing, really_within
from eval_tui.config.plain import as_list, as_mapping, to_json
from eval_tui.config.section import Section, did_you_mean, is_number, kind_of
from eval_tui.config.settings import check_runner
from eval_tui.config.trees import Tree, read_tree

RUNNERS = ("claude-code", "cli")
"""The first is the default."""
TOOLS = ("Read", "Grep", "Glob")
"""What an agent may use unless `allowed_tools` says otherwise."""
TIMEOUT = 600.0
"""Seconds that an agent may take when neither it nor `execution:` has a `timeout`."""

_KEYS = ("runner", "inputs", "context", "allowed_tools", "timeout", "max_budget_usd")


def read_agent(
    entry: Section, kind: Kind, base: Base, timeout: float | None
) -> Mapping[str, object]:
    """The settings of an agent judge, defaults filled in; empty for other judges.

    `timeout` is that of `execution:`. Paths are absolute. Beside the keys of the file there are
    `paths` (context name -> path, as far as found), `command` (the words of a command runner) and
    `material` (a digest of the context and of the files that the command names).
    """
    block = entry.section("agent", "agent-not-mapping")
    if block is None or kind.name != "agent":
        return {}
    block.note_unknown(_KEYS)
    if not any(key in kind.used for key in INSTRUCTIONS):
        entry.error("agent", "prompt-missing", "an agent needs a prompt", "add `prompt: ...`")
    runner = _read_runner(block)
    paths, material = _read_context(block, base)
    command = _command(block, runner, base, material) if runner["type"] == "cli" else []
    settings: dict[str, object] = {
        "runner": runner,
        "command": command,
        "inputs": _texts(block, "inputs", ()),
        "paths": paths,
        "allowed_tools": _texts(block, "allowed_tools", TOOLS),
        "timeout": _read_timeout(block, timeout),
        "material": material,
    }
    if (limit := _read_limit(block)) is not None:
        settings["max_budget_usd"] = limit
    return settings


def _read_runner(block: Section) -> dict[str, object]:
    given = block.get("runner")
    if given is None:
        return {"type": RUNNERS[0]}
    mapping = as_mapping(given)
    if mapping is None:
        message = f"`runner` must be a mapping, not {kind_of(given)}"
        block.error("runner", "agent-runner-not-mapping", message)
        return {"type": RUNNERS[0]}
    check_runner(block)
    if mapping.get("workspace_mode") == "repo":
        message = "an agent that judges works in a folder of its own, not in the repository"
        block.error("runner", "agent-repo-mode", message, "remove `workspace_mode`")
    plain, _ = to_json(mapping)
    runner = cast("dict[str, object]", plain)
    name = runner.setdefault("type", RUNNERS[0])
    if name not in RUNNERS:
        hint = did_you_mean(str(name), RUNNERS) or "any other agent: `type: cli` with a `command`"
        message = f"there is no runner `{name}` here for an agent that judges"
        block.error("runner", "agent-runner-unknown", message, hint)
    if runner.get("env") is not None and as_mapping(runner["env"]) is None:
        block.error("runner", "bad-runner", "`env` must be a mapping of names to values")
    return runner


def _command(
    block: Section, runner: Mapping[str, object], base: Base, material: dict[str, str]
) -> list[str]:
    """The words of the command; those that name a file are its absolute path (D39)."""
    given = runner.get("command")
    try:
        words = shlex.split(given) if isinstance(given, str) else as_list(given) or []
    except ValueError as error:
        block.error("runner", "bad-runner", f"`command` cannot be split into words: {error}")
        return []
    if not words:
        hint = 'e.g. `command: ["my-agent", "{args}"]`'
        block.error("runner", "agent-no-command", "the runner `cli` needs a `command`", hint)
    return [_word(block, str(word), base, material) for word in words]


def _word(block: Section, word: str, base: Base, material: dict[str, str]) -> str:
    word = word.replace("{config_dir}", base.config_dir)
    if not word or len(word) > 4096 or "{" in word or "\n" in word:
        return word
    found = first_existing(word, [base.config_dir, base.root]).path
    if not os.path.isfile(found) or not really_within(found, base.root):
        return word
    if (tree := _tree(block, "runner", found)) is not None:
        material[found] = tree.digest
    return found


def _read_context(block: Section, base: Base) -> tuple[dict[str, str], dict[str, str]]:
    """(name as written -> absolute path, absolute path -> digest) of what is found."""
    paths: dict[str, str] = {}
    material: dict[str, str] = {}
    for name in _texts(block, "context", ()):
        found = first_existing(name, base.material_bases())
        block.report.looked_for.extend(found.missing)
        path = found.path or found.missing[0]
        if not really_within(path, base.root):
            message = f"`{name}` lies outside the project"
            block.error("context", "outside-project", message)
        elif not found.path:
            message = f"there is no `{name}`; it is left out"
            block.warn("context", "context-missing", message)
        elif (tree := _tree(block, "context", path)) is not None:
            paths[name], material[path] = path, tree.digest
    return paths, material


def _tree(block: Section, key: str, path: str) -> Tree | None:
    try:
        tree = read_tree(path)
    except UnreadableFile as error:
        message = f"`{os.path.basename(path)}` cannot be read: {error}"
        block.error(key, "context-unreadable", message)
        return None
    block.report.looked_for.extend([*tree.folders, *(file for _, file in tree.files)])
    return tree


def _texts(block: Section, key: str, default: tuple[str, ...]) -> list[str]:
    """A list of texts; one text stands for a list of one."""
    value = block.get(key)
    if value is None:
        return list(default)
    found = [value] if isinstance(value, str) else as_list(value)
    if found is None or not all(isinstance(item, str) for item in found):
        block.error(key, "bad-agent", f"`{key}` must be a list of texts")
        return list(default)
    return [str(item) for item in found]


def _read_timeout(block: Section, inherited: float | None) -> float:
    value = block.get("timeout")
    if value is None:
        return inherited or TIMEOUT
    if is_number(value) and 0 < cast("float", value) < 1e7:
        return float(cast("float", value))
    block.error("timeout", "bad-agent", "`timeout` must be a number of seconds above 0")
    return TIMEOUT


def _read_limit(block: Section) -> float | None:
    value = block.get("max_budget_usd")
    if value is None:
        return None
    if is_number(value) and cast("float", value) >= 0:
        return float(cast("float", value))
    message = "`max_budget_usd` must be an amount in US dollars, from 0 on"
    block.error("max_budget_usd", "bad-agent", message)
    return None
