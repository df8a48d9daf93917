"""The trace of a case, for built-ins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eval_tui.judges.base import NotMeasured
from eval_tui.scores import Reason

Event = Mapping[str, Any]


def trace_of(record: Mapping[str, Any]) -> list[Event]:
    """The events of a case. Raises NotMeasured when there are none: a missing trace is not an
    empty one (D19)."""
    events = cast("list[dict[str, Any]]", record["events"])
    mappings: list[Event] = [e for e in events if isinstance(e, dict)]  # pyright: ignore
    if not mappings:
        raise NotMeasured(Reason.MISSING_EVIDENCE, "the case has no trace (no events)")
    return mappings


def calls_of(event: Event) -> list[Event]:
    """The tool calls of one event."""
    tools: object = event.get("tools") if event.get("type") == "assistant" else None
    if not isinstance(tools, list):
        return []
    items = cast("list[dict[str, Any]]", tools)
    return [call for call in items if isinstance(call, dict)]  # pyright: ignore
