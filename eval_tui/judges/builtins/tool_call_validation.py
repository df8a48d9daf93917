"""`tool_call_validation`: no tool call of the trace came back with an error (D20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_tui.judges.base import Runner
from eval_tui.judges.builtins.trace import Event, calls_of, trace_of

_SHOWN = 5


def make(arguments: Mapping[str, Any]) -> Runner:
    """No arguments. A trace without calls passes; a case without a trace is not measured (D19)."""
    del arguments
    return _judge


def _judge(record: dict[str, Any]) -> object:
    events = trace_of(record)
    calls = sum(len(calls_of(event)) for event in events)
    failed = [
        event for event in events if event.get("type") == "tool_result" and event.get("is_error")
    ]
    if not failed:
        return True, f"none of {calls} tool calls failed"
    lines = [f"{len(failed)} of {max(calls, len(failed))} tool calls failed"]
    lines += [
        f"- {event.get('tool_name') or 'a tool'}: {_first_line(event)}" for event in failed[:_SHOWN]
    ]
    if len(failed) > _SHOWN:
        lines.append(f"- and {len(failed) - _SHOWN} more")
    return False, "\n".join(lines)


def _first_line(event: Event) -> str:
    text = str(event.get("content") or "").strip()
    line = text.partition("\n")[0]
    return line if len(line) <= 200 else f"{line[:200]}… +{len(line) - 200} chars"
