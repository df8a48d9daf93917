"""The settings of an agent judge as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from eval_tui.config.schema import Judge

RunnerType = Literal["claude-code", "cli"]

WRITERS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit", "Bash"})
"""Tools that can change a file."""
BUDGET = 2.0
"""US dollars that Claude Code may spend on one verdict unless `max_budget_usd` says otherwise."""


@dataclass(frozen=True)
class AgentSettings:
    """What `agent:` says, defaults filled in."""

    type: RunnerType
    command: tuple[str, ...]
    """Words of the command, with placeholders; empty for the usual one of the runner."""
    allowed_tools: tuple[str, ...]
    inputs: frozenset[str]
    """Top-level names of the case's files that are handed over; empty for all."""
    context: Mapping[str, str]
    """Name as written -> absolute path of a file or folder of the project."""
    material: Mapping[str, str]
    """Absolute path -> digest, of the context and of files that the command names."""
    timeout: float
    """Seconds."""
    max_budget: float | None
    """US dollars; None where nothing bounds them."""
    env: Mapping[str, str | None]
    """Variables on top of the allowed ones; None passes on the one of that name."""
    runner: Mapping[str, Any]
    """`runner:` as written, for what only one runner understands."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The allowed tools by bare name, without what restricts their use."""
        return tuple(dict.fromkeys(tool.partition("(")[0].strip() for tool in self.allowed_tools))

    @property
    def writes(self) -> bool:
        """Whether any of its tools can change a file."""
        return not WRITERS.isdisjoint(self.tools)

    @property
    def links_context(self) -> bool:
        """Whether context files are links: only where nothing could write through them.

        Claude Code reads nothing outside of its folder, and so follows no link out of it.
        """
        return self.type == "cli" and not self.writes


def agent_settings(judge: Judge) -> AgentSettings:
    """The settings of a judge of kind `agent` whose entry has no problem."""
    given = judge.agent
    runner = cast("Mapping[str, Any]", given.get("runner") or {"type": "claude-code"})
    kind: RunnerType = "cli" if runner["type"] == "cli" else "claude-code"
    inputs = frozenset(name.strip("/") for name in given.get("inputs", ()))
    limit = given.get("max_budget_usd")
    if limit is None and kind == "claude-code":
        limit = BUDGET
    command = given.get("command") or _words(runner.get("command"))
    return AgentSettings(
        type=kind,
        command=tuple(command),
        allowed_tools=tuple(given.get("allowed_tools", ())),
        inputs=frozenset[str]() if inputs & {"", "."} else inputs,
        context=given.get("paths", {}),
        material=given.get("material", {}),
        timeout=float(given.get("timeout", 600.0)),
        max_budget=limit,
        env=_environment(runner.get("env")),
        runner=runner,
    )


def _words(command: object) -> list[str]:
    if isinstance(command, str):
        return [command]
    return [str(word) for word in cast("list[object]", command or [])]


def _environment(given: object) -> dict[str, str | None]:
    values = cast("Mapping[str, object]", given or {})
    return {name: None if value is None else str(value) for name, value in values.items()}
