"""Events in the form that other tools exchange traces in: one flat list of `{t, kind, ...}`.

Pure functions over a list of events, whose fields may be of any type or absent. Standard library
only, Python 3.10.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import cast

Event = Mapping[str, object]
TraceEvent = dict[str, object]


def exchange_trace(events: Iterable[Event]) -> list[TraceEvent]:
    """The events as messages, tool calls and their results.

    `t` is milliseconds since the first event that has a time; an event without one has that of
    the event before it. `at` is the time itself where it is known.
    """
    found: list[TraceEvent] = []
    start: float | None = None
    t: int = 0
    for event in events:
        at = moment(event)
        if at is not None:
            start = at if start is None else start
            t = max(t, round((at - start) * 1000))
        stamp: TraceEvent = {"t": t}
        if at is not None:
            stamp["at"] = datetime.fromtimestamp(at, timezone.utc).isoformat()
        found += [{**stamp, **made} for made in _made(event)]
    return found


def moment(event: Event) -> float | None:
    """An event's time in seconds since 1970, or None: an ISO text, or a number of seconds or
    milliseconds."""
    value = event.get("timestamp")
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value.replace("Z", "+00:00"))
            return parsed.replace(tzinfo=parsed.tzinfo or timezone.utc).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e14:
        return value / 1000 if value > 1e11 else float(value)
    return None


def _made(event: Event) -> Iterator[TraceEvent]:
    kind = event.get("type")
    if kind == "assistant":
        if text := _text(event.get("text")):
            yield {"kind": "message", "role": "assistant", "text": text}
        tools = event.get("tools")
        for tool in cast("list[object]", tools) if isinstance(tools, list) else []:
            if isinstance(tool, dict):
                call = cast("Event", tool)
                name, identity = _text(call.get("name")), _text(call.get("id"))
                yield {"kind": "tool_call", "id": identity, "name": name, "args": call.get("input")}
    elif kind == "user" and (text := _text(event.get("text"))):
        yield {"kind": "message", "role": "user", "text": text}
    elif kind == "tool_result":
        yield {
            "kind": "tool_result",
            "id": _text(event.get("tool_use_id")),
            "ok": not event.get("is_error"),
            "output": _text(event.get("content")),
        }


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
