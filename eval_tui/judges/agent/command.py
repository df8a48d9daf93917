"""The command line and the environment of an agent that judges."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple, cast

from eval_tui.judges.agent.settings import WRITERS, AgentSettings

HOW_TO_GET = {
    "claude-code": "install Claude Code: npm install -g @anthropic-ai/claude-code",
    "cli": "install it, or correct `agent.runner.command`",
}

ALLOWED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TERM", "TZ", "XDG_*"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)
"""Variables that every agent gets."""
CLAUDE = ("ANTHROPIC_*", "CLAUDE_*")
CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_*",),
    "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_*", "GCLOUD_*", "CLOUD_ML_REGION", "VERTEX_*"),
}
"""Where Claude Code asks a cloud's models: what it needs for that."""
_NESTED = ("CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
"""Of a Claude Code that this app itself was started from."""

_READERS = frozenset({"Read", "Grep", "Glob", "LS"})
"""Tools that need no leave inside of the folder, and get none outside of it."""
_EDITORS = WRITERS - {"Bash"}
_PLACEHOLDER = re.compile(
    r"\{(args|prompt_file|workspace|output_dir|model|subagent_model|timeout|max_budget_usd|effort"
    r"|system_prompt|agent)\}"
)
_REFERENCE = re.compile(r"\$\{(\w+)\}|\$(\w+)", re.ASCII)


class CommandLine(NamedTuple):
    """What is started."""

    words: list[str]
    prompt_on_stdin: bool


class Places(NamedTuple):
    """Absolute paths of a staged run."""

    workspace: str
    output: str
    prompt: str


def program(settings: AgentSettings) -> str:
    """The program that must be installed."""
    return settings.command[0] if settings.command else "claude"


def command_line(
    settings: AgentSettings, model: str, prompt: str, places: Places, agent: str
) -> CommandLine:
    """The words of the command, no shell involved. `agent` is the judge's name."""
    if settings.type == "claude-code":
        return CommandLine(_claude_code(settings, model), prompt_on_stdin=True)
    budget = settings.max_budget
    fill = {
        "args": prompt,
        "prompt_file": places.prompt,
        "workspace": places.workspace,
        "output_dir": places.output,
        "model": model,
        "subagent_model": "",
        "timeout": f"{settings.timeout:g}",
        "max_budget_usd": "" if budget is None else f"{budget:g}",
        "effort": str(settings.runner.get("effort") or ""),
        "system_prompt": str(settings.runner.get("system_prompt") or ""),
        "agent": agent,
    }
    words = [_PLACEHOLDER.sub(lambda found: fill[found[1]], word) for word in settings.command]
    told = any("{args}" in word or "{prompt_file}" in word for word in settings.command)
    return CommandLine(words, prompt_on_stdin=not told)


def _claude_code(settings: AgentSettings, model: str) -> list[str]:
    """Nothing that lies in the workspace configures it: the material may be hostile."""
    tools, runner = settings.tools, settings.runner
    words = [*(settings.command or ("claude",)), "-p", "--output-format", "stream-json"]
    words += ["--verbose", "--model", model, "--no-session-persistence"]
    words += ["--setting-sources", "user", "--strict-mcp-config", "--tools", ",".join(tools)]
    granted = [t for t in settings.allowed_tools if t.partition("(")[0] not in _READERS | _EDITORS]
    if granted:
        words += ["--allowedTools", ",".join(granted)]
    mode = runner.get("permission_mode") or ("acceptEdits" if _EDITORS & {*tools} else "default")
    words += ["--permission-mode", str(mode)]
    if settings.max_budget is not None:
        words += ["--max-budget-usd", f"{settings.max_budget:g}"]
    if runner.get("settings"):
        words += ["--settings", json.dumps(runner["settings"])]
    for option, key in (("--effort", "effort"), ("--append-system-prompt", "system_prompt")):
        words += [option, str(runner[key])] if runner.get(key) else []
    for folder in cast("list[object]", runner.get("plugin_dirs") or []):
        words += ["--plugin-dir", str(folder)]
    return words


def environment(settings: AgentSettings, environ: Mapping[str, str]) -> dict[str, str]:
    """Of `environ` what the runner needs, and what `runner.env` adds; nothing else (D39).

    The agent looks at material of unknown origin: a key that it does not need it must not have.
    """
    patterns = list(ALLOWED)
    if settings.type == "claude-code":
        patterns += CLAUDE
        for switch, more in CLOUDS.items():
            patterns += more if environ.get(switch) else ()
    kept = {
        name: value
        for name, value in environ.items()
        if _fits(name, patterns) and name not in _NESTED
    }
    for name, value in settings.env.items():
        given = environ.get(name) if value is None else _filled_in(value, environ)
        if given is not None:
            kept[name] = given
    return kept


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name.upper(), pattern) for pattern in patterns)


def _filled_in(value: str, environ: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda found: environ.get(found[1] or found[2], ""), value)
