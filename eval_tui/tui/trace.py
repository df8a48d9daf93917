"""A case's events as entries to read: one per message, or per tool call with its result.

One pass over the events makes plain tuples of positions; words are made from them only for the
entries in view, so that a hundred thousand events open at once. A trace grows at its end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, cast

from eval_tui.collector import collector_paused

Event = Mapping[str, Any]

Kind = Literal["message", "thinking", "call", "result", "system", "end", "other"]
"""`result`: a tool result without its call; `end`: the end of the run or a turn."""

NOISE: Final = frozenset(
    {
        "api_retry",
        "hook_progress",
        "hook_response",
        "hook_started",
        "status",
        "thinking_tokens",
    }
)
"""Subtypes of system events that only say that something is still going on."""

EMPTY: Final = "empty"
"""What a turn without text, thinking and tools is counted as."""

LONG_WAIT_S: Final = 30.0
"""Seconds between two events from which on a wait is worth a mark."""

_CHANGING: Final = ("old_string", "edits", "changes", "new_source", "content")
"""Arguments by which a call that names a file is known to change it."""


class Entry(NamedTuple):
    """One entry: where its event is, by position, and how it is shown."""

    kind: Kind
    at: int
    """Position of its (first) event."""
    tool: int = 0
    """Position in the event's tool calls."""
    depth: int = 0
    """0 for the agent itself, 1 for its subagents, and so on."""
    number: int = 0
    """A tool call's number, as in the tool trace that judges read; else 0."""
    parent: int = -1
    """The entry of the call that started its agent; -1 for the agent itself, or if not known."""


@dataclass(frozen=True)
class Trace:
    """The entries of one case's events. Only a `TraceBuilder` adds to it."""

    events: list[Event] = field(default_factory=list[Event])
    entries: list[Entry] = field(default_factory=list[Entry])
    more: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Further events of an entry: the rest of a message, the other events of a system entry."""
    results: dict[int, int] = field(default_factory=dict[int, int])
    """The event that holds a call's result, by entry."""
    children: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """The entries of the subagent that a call started, by entry."""
    errors: list[int] = field(default_factory=list[int])
    """Entries whose result is an error, in order."""
    edits: list[int] = field(default_factory=list[int])
    """Calls that change a file, in order."""
    waits: dict[int, float] = field(default_factory=dict[int, float])
    """Seconds that went by before an entry came, or before a call's result did, if they were many."""
    moments: list[float | None] = field(default_factory=list[float | None])
    """When each entry began, in seconds since the epoch; None where that is not told."""
    tokens: dict[int, int] = field(default_factory=dict[int, int])
    """Tokens of the message that an entry begins, where they are known."""
    noise: dict[str, int] = field(default_factory=dict[str, int])
    """Events that are left out, by what they are."""


class TraceBuilder:
    """Makes a trace, and adds to it what comes later."""

    def __init__(self) -> None:
        self.trace = Trace()
        self._changed: set[int] = set()
        self._calls: dict[str, int] = {}
        self._open: dict[tuple[str, str], int] = {}
        self._messages: dict[str, int] = {}
        self._number = 0
        self._before: float | None = None

    def extend(self, events: Iterable[Event]) -> set[int]:
        """Add events. Returns the entries that were there before and are not as they were.

        Never raises: events come from files that anyone may write.
        """
        known = len(self.trace.entries)
        self._changed.clear()
        with collector_paused():
            for at, event in enumerate(events, len(self.trace.events)):
                self.trace.events.append(event)
                self._add(at, event)
        return {entry for entry in self._changed if entry < known}

    def _add(self, at: int, event: Event) -> None:
        entries = self.trace.entries
        began = len(entries)
        match event.get("type"):
            case "assistant":
                concerned = self._assistant(at, event)
            case "tool_result":
                concerned = self._result(at, event)
            case "system":
                concerned = self._system(at, event)
            case "result":
                if event.get("is_error"):
                    self._mark_error(began)
                entries.append(Entry("end", at))
                concerned = began
            case _:
                concerned = self._append(Entry("other", at), event)
        now = moment_of(event) if event.get("timestamp") else None
        if len(entries) > began:
            self.trace.moments.extend([now] * (len(entries) - began))
        if now is not None:
            self._note_wait(now, concerned)

    def _append(self, entry: Entry, event: Event) -> int:
        """A new entry, at its place among the subagents."""
        here = len(self.trace.entries)
        use = event.get("parent_tool_use_id")
        if use:
            parent = self._calls.get(use, -1) if isinstance(use, str) else -1
            depth = 1 if parent < 0 else self.trace.entries[parent].depth + 1
            entry = entry._replace(depth=depth, parent=parent)
            if parent >= 0:
                self.trace.children.setdefault(parent, []).append(here)
                self._changed.add(parent)
        elif event.get("agent_id"):
            entry = entry._replace(depth=1)
        self.trace.entries.append(entry)
        return here

    def _note_wait(self, now: float, entry: int | None) -> None:
        before, self._before = self._before, now
        if before is not None and now - before >= LONG_WAIT_S and entry is not None:
            self.trace.waits[entry] = now - before

    def _mark_error(self, entry: int) -> None:
        errors = self.trace.errors
        place = bisect_left(errors, entry)
        if place == len(errors) or errors[place] != entry:
            errors.insert(place, entry)

    def _assistant(self, at: int, event: Event) -> int | None:
        began = len(self.trace.entries)
        concerned: int | None = None
        message = event.get("_msg_id")
        if event.get("thinking"):
            concerned = self._part("thinking", at, event, message)
        if event.get("text"):
            concerned = self._part("message", at, event, message)
        tools = event.get("tools")
        if isinstance(tools, list) and tools:
            for index, tool in enumerate(cast("list[Any]", tools)):
                concerned = self._call(at, index, tool, event)
            if isinstance(message, str):
                self._open.pop(("message", message), None)
                self._open.pop(("thinking", message), None)
        if concerned is None:
            self._count(EMPTY)
        else:
            self._note_tokens(event, message, min(began, concerned))
        return concerned

    def _call(self, at: int, index: int, tool: Any, event: Event) -> int:
        self._number += 1
        here = self._append(Entry("call", at, index, number=self._number), event)
        if isinstance(tool, Mapping):
            call = cast("Event", tool)
            if isinstance(use := call.get("id"), str):
                self._calls[use] = here
            given = call.get("input")
            if isinstance(given, Mapping) and _changes_a_file(cast("Event", given)):
                self.trace.edits.append(here)
        return here

    def _note_tokens(self, event: Event, message: Any, entry: int) -> None:
        usage = event.get("usage")
        if not isinstance(usage, Mapping):
            return
        count = cast("Event", usage).get("output_tokens")
        if isinstance(count, int):
            first = self._messages.setdefault(message, entry) if isinstance(message, str) else entry
            self.trace.tokens[first] = count
            self._changed.add(first)

    def _part(
        self, kind: Literal["message", "thinking"], at: int, event: Event, message: Any
    ) -> int:
        """A piece of text: a new entry, or more of the message that it belongs to."""
        begun = self._open.get((kind, message)) if isinstance(message, str) else None
        if begun is None:
            here = self._append(Entry(kind, at), event)
            if isinstance(message, str):
                self._open[kind, message] = here
            return here
        key = "text" if kind == "message" else kind
        rest = self.trace.more.get(begun)
        before = self.trace.events[rest[-1] if rest else self.trace.entries[begun].at]
        if before.get(key) != event.get(key):
            self.trace.more.setdefault(begun, []).append(at)
            self._changed.add(begun)
        return begun

    def _result(self, at: int, event: Event) -> int:
        use = event.get("tool_use_id")
        call = self._calls.get(use) if isinstance(use, str) else None
        if call is None or call in self.trace.results:
            call = self._append(Entry("result", at), event)
        else:
            self.trace.results[call] = at
            self._changed.add(call)
        if event.get("is_error"):
            self._mark_error(call)
        return call

    def _system(self, at: int, event: Event) -> int | None:
        entries = self.trace.entries
        subtype = event.get("subtype")
        if isinstance(subtype, str) and subtype in NOISE:
            self._count(subtype)
            return None
        if entries and entries[-1].kind == "system":
            here = len(entries) - 1
            self.trace.more.setdefault(here, []).append(at)
            self._changed.add(here)
            return here
        entries.append(Entry("system", at))
        return len(entries) - 1

    def _count(self, what: str) -> None:
        self.trace.noise[what] = self.trace.noise.get(what, 0) + 1


def make_trace(events: Iterable[Event]) -> Trace:
    """The entries of these events, see `TraceBuilder`."""
    builder = TraceBuilder()
    builder.extend(events)
    return builder.trace


def moment_of(event: Event) -> float | None:
    """When an event was, in seconds since the epoch; None if it does not say."""
    try:
        return datetime.fromisoformat(event["timestamp"]).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None


def seconds_between(first: Event, second: Event) -> float | None:
    """Seconds between two events that both say when they were; else None. Never negative."""
    begin, end = moment_of(first), moment_of(second)
    return None if begin is None or end is None else max(end - begin, 0.0)


def _changes_a_file(given: Event) -> bool:
    names_one = bool(given.get("file_path") or given.get("notebook_path") or given.get("path"))
    return names_one and any(key in given for key in _CHANGING)
