"""The blocks of a config that say what was run and what it left: all but the judges."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, cast

from eval_tui.config.names import is_inner_path, is_segment
from eval_tui.config.paths import Base, first_existing
from eval_tui.config.plain import as_list, as_mapping
from eval_tui.config.schema import Hook, Models, Output, Traces
from eval_tui.config.section import Section, is_number, kind_of

HOOK_PHASES = (
    "before_all",
    "before_each",
    "after_each",
    "before_step",
    "after_step",
    "before_scoring",
    "after_all",
    "before_report",
)
_EXECUTION = (
    "mode",
    "skill",
    "prompt",
    "arguments",
    "timeout",
    "max_budget_usd",
    "parallelism",
    "env",
    "steps",
)
_STEP = (
    "id",
    "name",
    "skill",
    "prompt",
    "arguments",
    "env",
    "timeout",
    "max_budget_usd",
    "runner",
    "on_failure",
)
_RUNNER = (
    "type",
    "command",
    "workspace_mode",
    "settings",
    "plugin_dirs",
    "env",
    "system_prompt",
    "effort",
    "permission_mode",
)


@dataclass(frozen=True)
class Execution:
    """What scoring needs of `execution:`."""

    mode: Literal["case", "batch"] = "case"
    skill: str = ""
    steps: tuple[str, ...] = ()
    timeout: float | None = None
    """Seconds, where it is a usable number."""


def read_execution(top: Section) -> Execution:
    """`execution:` and the deprecated `skill:` at the top."""
    if top.has("execution") and top.get("execution") is None:
        top.error("execution", "empty-block", "`execution` has no value", "remove the key")
    block = top.section("execution")
    if block is None:
        return Execution(skill=_skill(top, top.text("skill")))
    block.note_unknown(_EXECUTION)
    mode = cast("Literal['case', 'batch']", block.choice("mode", ("case", "batch"), "bad-mode"))
    skill, prompt = block.text("skill"), block.text("prompt")
    if skill.strip() and prompt.strip():
        block.error("prompt", "skill-and-prompt", "give `skill` or `prompt`, not both")
    steps = _read_steps(block, mode)
    own = _skill(block, skill)
    timeout = block.get("timeout")
    seconds = float(cast("float", timeout)) if is_number(timeout) else 0.0
    return Execution(
        mode, own or _skill(top, top.text("skill")), steps, seconds if seconds > 0 else None
    )


def _skill(section: Section, skill: str) -> str:
    if not skill.strip() or is_segment(skill):
        return skill.strip()
    section.error("skill", "bad-skill", f"`skill` must be one name without slashes, not `{skill}`")
    return ""


def _read_steps(block: Section, mode: str) -> tuple[str, ...]:
    if not block.given("steps"):
        return ()
    if block.text("skill").strip() or block.text("prompt").strip():
        block.error("steps", "bad-step", "`steps` excludes `skill` and `prompt` beside it")
    if mode == "batch":
        block.error("steps", "bad-step", "`steps` need `mode: case`")
    ids: list[str] = []
    for step in block.sections("steps", "bad-step"):
        step.note_unknown(_STEP)
        name = step.text("id")
        if not is_segment(name):
            step.error(
                "id" if name else None, "bad-step", "each step needs an `id`: one plain name"
            )
        elif name in ids:
            step.error("id", "bad-step", f"two steps have the id `{name}`")
        else:
            ids.append(name)
        _check_step(step)
    return tuple(ids)


def _check_step(step: Section) -> None:
    ways = [key for key in ("skill", "prompt") if step.text(key).strip()]
    if len(ways) != 1:
        step.error(None, "bad-step", "each step needs either `skill` or `prompt`")
    step.choice("on_failure", ("fail", "continue"), "bad-step")
    timeout = step.get("timeout")
    if timeout is not None and not _is_positive_integer(timeout):
        step.error("timeout", "bad-step", "`timeout` must be a whole number of seconds above 0")
    budget = step.get("max_budget_usd")
    if budget is not None and not (is_number(budget) and cast("float", budget) >= 0):
        step.error("max_budget_usd", "bad-step", "`max_budget_usd` must be a number from 0 on")
    step.section("env", "bad-step")
    check_runner(step)


def check_runner(parent: Section) -> None:
    """`runner:` at the top, of a step or of an agent judge; a plain word is accepted (D1)."""
    if isinstance(parent.get("runner"), str):
        parent.note("runner", "plain-runner", "`runner` is usually a mapping with a `type`")
        return
    runner = parent.section("runner", "bad-runner")
    if runner is None:
        return
    runner.note_unknown(_RUNNER)
    command = runner.get("command")
    if command is not None and not isinstance(command, str) and not _is_text_list(command):
        runner.error("command", "bad-runner", "`command` must be text or a list of texts")
    mode = runner.get("workspace_mode")
    if mode not in (None, "repo"):
        runner.error("workspace_mode", "bad-runner", "`workspace_mode` is `repo` or absent")
    elif mode == "repo" and runner.get("type") == "codex":
        runner.error("workspace_mode", "bad-runner", "codex does not work with `repo`")


def check_tool_inputs(top: Section) -> None:
    """`inputs.tools` does not go with codex."""
    runner = as_mapping(top.get("runner")) or {}
    inputs = top.section("inputs")
    if runner.get("type") == "codex" and inputs is not None and inputs.given("tools"):
        inputs.error("tools", "bad-runner", "codex does not take `inputs.tools`")


def read_dataset(top: Section, base: Base) -> str:
    """Absolute path of the dataset folder; empty when none is named or none exists (D5)."""
    block = top.section("dataset")
    if block is None:
        return ""
    block.note_unknown(("path", "schema", "workspace"))
    _check_workspace(block)
    path = block.text("path")
    if not path:
        return ""
    if ".." in path.replace("\\", "/").split("/"):
        message = "`path` has `..` in it, which other tools that read this file refuse"
        block.warn("path", "dataset-outside", message, "put the dataset below the config's folder")
    found = first_existing(path, base.dataset_bases())
    top.report.looked_for.extend(found.missing)
    if not found.path:
        where = ", ".join(f"`{base.shown(candidate)}`" for candidate in found.missing)
        block.warn("path", "dataset-missing", f"there is no folder `{path}`", f"looked for {where}")
        return ""
    top.report.looked_for.append(found.path)
    if not os.path.isdir(found.path):
        block.error("path", "dataset-missing", f"`{base.shown(found.path)}` is not a folder")
        return ""
    return found.path


def _check_workspace(dataset: Section) -> None:
    workspace = dataset.section("workspace")
    if workspace is None:
        return
    for path in workspace.items("files", "bad-workspace-file"):
        if not isinstance(path, str) or not is_inner_path(path):
            message = "`files` takes relative paths without `..`"
            workspace.error("files", "bad-workspace-file", message)


def read_outputs(top: Section) -> tuple[Output, ...]:
    """`outputs:`; an entry with a path that cannot be used is left out."""
    if top.has("outputs") and top.get("outputs") is None:
        top.error("outputs", "empty-block", "`outputs` has no value", "remove the key")
    result: list[Output] = []
    for entry in top.sections("outputs"):
        entry.note_unknown(("path", "tool", "schema", "batch_pattern", "types"))
        output = Output(*(entry.text(key) for key in ("path", "tool", "schema", "batch_pattern")))
        if output.path and not is_inner_path(output.path):
            message = (
                f"`{output.path}` must be a relative path inside the case folder, without `..`"
            )
            entry.error("path", "bad-output-path", message)
        else:
            result.append(output)
    return tuple(result)


def read_traces(top: Section) -> Traces:
    """`traces:`; what is absent is on."""
    block = top.section("traces")
    if block is None:
        return Traces()
    block.note_unknown(("stdout", "stderr", "events", "metrics"))
    return Traces(*(block.flag(key, True) for key in ("stdout", "stderr", "events", "metrics")))


def read_models(top: Section) -> Models:
    """`models:`."""
    block = top.section("models")
    if block is None:
        return Models()
    block.note_unknown(("skill", "subagent", "judge", "hook"))
    return Models(*(block.text(key).strip() for key in ("skill", "subagent", "judge", "hook")))


def read_hooks(top: Section) -> tuple[Hook, ...]:
    """`hooks:`; one that cannot be used is left out."""
    block = top.section("hooks", "bad-hook")
    if block is None:
        return ()
    block.note_unknown(HOOK_PHASES)
    hooks: list[Hook] = []
    for phase in HOOK_PHASES:
        for entry in block.sections(phase, "bad-hook"):
            entry.note_unknown(("command", "timeout", "description", "on_failure", "condition"))
            hook = _read_hook(entry, phase)
            if hook is not None:
                hooks.append(hook)
    return tuple(hooks)


def _read_hook(entry: Section, phase: str) -> Hook | None:
    command = entry.text("command")
    if not command.strip():
        entry.error(None, "bad-hook", "each hook needs a `command`")
        return None
    timeout = 120 if entry.get("timeout") is None else entry.get("timeout")
    if not _is_positive_integer(timeout):
        entry.error("timeout", "bad-hook", "`timeout` must be a whole number of seconds above 0")
        return None
    on_failure = entry.choice("on_failure", ("fail", "continue"), "bad-hook")
    return Hook(
        phase,
        command,
        cast("int", timeout),
        entry.text("description"),
        cast("Literal['fail', 'continue']", on_failure),
        entry.text("condition"),
    )


def check_generation(top: Section) -> None:
    """`generation:` makes datasets, which is not done here; it is only checked."""
    block = top.section("generation", "bad-generation")
    if block is None:
        return
    block.note_unknown(("strategy", "seeds"))
    strategy = block.choice("strategy", ("skill", "synthetic", "from-traces"), "bad-generation")
    has_seeds = block.given("seeds")
    if has_seeds != (strategy == "synthetic"):
        message = "`seeds` go with `strategy: synthetic`, and only with it"
        block.error("seeds" if has_seeds else None, "bad-generation", message)
    for seed in block.sections("seeds", "bad-generation"):
        _check_seed(seed)


def _check_seed(seed: Section) -> None:
    ways = ("builtin", "prompt_file", "prompt")
    seed.note_unknown(("category", "count", *ways))
    if not seed.text("category").strip():
        seed.error("category", "bad-generation", "each seed needs a `category`")
    if seed.has("count") and not _is_positive_integer(seed.get("count")):
        seed.error("count", "bad-generation", "`count` must be a whole number above 0")
    if sum(seed.given(way) for way in ways) != 1:
        message = "each seed needs exactly one of `builtin`, `prompt_file`, `prompt`"
        seed.error(None, "bad-generation", message)


def read_integer(section: Section, key: str, default: int, code: str) -> int:
    """A whole number; digits in quotes count, a fraction is cut with a warning."""
    value = section.get(key)
    if value is None:
        return default
    try:
        number = int(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        number = None
    if number is None:
        section.error(key, code, f"`{key}` must be a whole number, not {kind_of(value)}")
        return default
    if isinstance(value, float) and not value.is_integer():
        section.warn(key, code, f"`{key}` must be a whole number; {value} is taken as {number}")
    return number


def _is_positive_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_text_list(value: object) -> bool:
    items = as_list(value)
    return items is not None and all(isinstance(item, str) for item in items)
