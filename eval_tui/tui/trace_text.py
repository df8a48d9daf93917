"""Entries of a trace in words: their names, one-line summaries and outcomes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from eval_tui.results.words import usd
from eval_tui.tui.document import without_colours
from eval_tui.tui.trace import Entry, Event, Trace, seconds_between
from eval_tui.tui.words import plural

DETAIL_KEYS: Final = (
    "file_path",
    "notebook_path",
    "path",
    "command",
    "pattern",
    "query",
    "url",
    "skill",
    "description",
    "prompt",
)
"""Which argument of a tool says best what a call is about, in order of preference."""


def as_text(value: Any) -> str:
    """Any value of an event as text: text as it is, the rest as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(type(value).__name__)


def call_of(trace: Trace, entry: Entry) -> Mapping[str, Any]:
    """The tool call of a `call` entry: `name`, `id`, `input`."""
    tool = trace.events[entry.at]["tools"][entry.tool]
    return cast("Mapping[str, Any]", tool) if isinstance(tool, Mapping) else {}


def message_text(trace: Trace, position: int) -> str:
    """The whole text of a message or of thinking, from all the events it was split over."""
    entry = trace.entries[position]
    key = "thinking" if entry.kind == "thinking" else "text"
    at = (entry.at, *trace.more.get(position, ()))
    return "".join(as_text(trace.events[index].get(key)) for index in at)


def name_of(trace: Trace, position: int) -> str:
    """What stands in the name column: the tool, or who speaks."""
    entry = trace.entries[position]
    match entry.kind:
        case "call":
            return as_text(call_of(trace, entry).get("name")) or "(no name)"
        case "message":
            return as_text(trace.events[entry.at].get("agent_id")) or "assistant"
        case "result":
            return as_text(trace.events[entry.at].get("tool_name")) or "result"
        case "other":
            return as_text(trace.events[entry.at].get("type")) or "event"
        case _:
            return entry.kind


def summary_of(trace: Trace, position: int) -> str:
    """One entry in a line, uncut; line feeds are still in it."""
    entry = trace.entries[position]
    match entry.kind:
        case "call":
            return call_detail(call_of(trace, entry).get("input"))
        case "message" | "thinking":
            return message_text(trace, position)
        case "result":
            return without_colours(as_text(trace.events[entry.at].get("content")))
        case "system":
            return ", ".join(system_words(trace, position))
        case "end":
            return _end_words(trace.events[entry.at])
        case _:
            event = trace.events[entry.at]
            return as_text(event.get("text") or event)


def call_detail(arguments: Any) -> str:
    """What a call is about: its best known argument, else the first one as `key=value`."""
    if not isinstance(arguments, Mapping):
        return as_text(arguments)
    known = cast("Mapping[str, Any]", arguments)
    for key in DETAIL_KEYS:
        if isinstance(known.get(key), str) and known[key]:
            offset = known.get("offset") if key == "file_path" else None
            return f"{known[key]}:{offset}" if isinstance(offset, int) else known[key]
    for key, value in known.items():
        return f"{key}={as_text(value)}"
    return ""


def system_words(trace: Trace, position: int) -> list[str]:
    """What the events of a `system` entry say, one by one."""
    words: list[str] = []
    for at in (trace.entries[position].at, *trace.more.get(position, ())):
        event = trace.events[at]
        subtype = as_text(event.get("subtype")) or "system"
        model = as_text(event.get("model"))
        words.append(f"{subtype}, model {model}" if model else subtype)
    return words


def _end_words(event: Event) -> str:
    words: list[str] = []
    turns, cost = event.get("num_turns"), event.get("cost_usd")
    if isinstance(turns, int):
        words.append(plural(turns, "turn"))
    words.append(usd(cost) if isinstance(cost, int | float) else "cost n/a")
    return ", ".join(words)


def outcome_of(trace: Trace, position: int) -> str:
    """The right end of an entry's line: how a call came out, in a few words."""
    entry = trace.entries[position]
    if entry.kind != "call":
        if entry.kind in ("result", "end") and is_error(trace, position):
            return "error"
        tokens = trace.tokens.get(position)
        return "" if tokens is None else plural(tokens, "token")
    at = trace.results.get(position)
    if at is None:
        return "no result"
    result = trace.events[at]
    seconds = seconds_between(trace.events[entry.at], result)
    took = "" if seconds is None else f" {seconds:.1f}s"
    if result.get("is_error"):
        return f"error{took}"
    lines = as_text(result.get("content")).count("\n") + 1
    return f"{plural(lines, 'line')}{took}"


def is_error(trace: Trace, position: int) -> bool:
    """Whether an entry is marked as an error."""
    entry = trace.entries[position]
    at = trace.results.get(position, entry.at if entry.kind in ("result", "end") else None)
    return at is not None and bool(trace.events[at].get("is_error"))


def mentions(trace: Trace, position: int, pattern: re.Pattern[str]) -> bool:
    """Whether anything of an entry, shown or folded, matches a compiled pattern."""
    entry = trace.entries[position]
    if entry.kind != "call":
        texts = [name_of(trace, position), summary_of(trace, position)]
    else:
        call = call_of(trace, entry)
        texts = [as_text(call.get("name")), _argument_text(call.get("input"))]
        if (at := trace.results.get(position)) is not None:
            texts.append(without_colours(as_text(trace.events[at].get("content"))))
    return any(pattern.search(text) for text in texts)


def _argument_text(arguments: Any) -> str:
    """A call's arguments as they are shown, so that what is seen can be found."""
    if not isinstance(arguments, Mapping):
        return as_text(arguments)
    known = cast("Mapping[str, Any]", arguments)
    return "\n".join(f"{key}: {as_text(value)}" for key, value in known.items())
