"""A case's events as entries to read: one per message, or per tool call with its result.

One pass over the events makes plain tuples of positions; words are made from them only for the
entries in view, so that a hundred thousand events open at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, cast

Event = Mapping[str, Any]

Kind = Literal["message", "thinking", "call", "result", "system", "end", "other"]
"""`result`: a tool result without its call; `end`: the end of the run or a turn."""

NOISE: Final = frozenset({"thinking_tokens"})
"""Subtypes of system events that only say that the model is still at it."""


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


@dataclass(frozen=True)
class Trace:
    """The entries of one case's events."""

    events: Sequence[Event] = ()
    entries: Sequence[Entry] = ()
    more: Mapping[int, Sequence[int]] = field(default_factory=dict[int, list[int]])
    """Further events of an entry: the rest of a message, the other events of a system entry."""
    results: Mapping[int, int] = field(default_factory=dict[int, int])
    """The event that holds a call's result, by entry."""
    errors: Sequence[int] = ()
    """Entries whose result is an error, in order."""
    noise: int = 0
    """Events without content that are left out."""


class _Builder:
    """The state of the one pass over the events."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.entries: list[Entry] = []
        self.more: dict[int, list[int]] = {}
        self.results: dict[int, int] = {}
        self.errors: set[int] = set()
        self.noise = 0
        self._calls: dict[str, int] = {}
        self._open: dict[tuple[str, str], int] = {}
        self._number = 0

    def add(self, at: int, event: Event) -> None:
        match event.get("type"):
            case "assistant":
                self._assistant(at, event)
            case "tool_result":
                self._result(at, event)
            case "system":
                self._system(at, event)
            case "result":
                if event.get("is_error"):
                    self.errors.add(len(self.entries))
                self.entries.append(Entry("end", at))
            case _:
                self.entries.append(Entry("other", at, depth=self._depth(event)))

    def _depth(self, event: Event) -> int:
        """How deep in subagents an event is: one more than the call that started its agent."""
        parent = event.get("parent_tool_use_id")
        if not parent:
            return 1 if event.get("agent_id") else 0
        caller = self._calls.get(parent) if isinstance(parent, str) else None
        return 1 if caller is None else self.entries[caller].depth + 1

    def _assistant(self, at: int, event: Event) -> None:
        depth = self._depth(event)
        message = event.get("_msg_id")
        written = False
        if event.get("thinking"):
            written = True
            self._part("thinking", at, depth, message)
        if event.get("text"):
            written = True
            self._part("message", at, depth, message)
        tools = event.get("tools")
        if isinstance(tools, list) and tools:
            written = True
            for index, tool in enumerate(cast("list[Any]", tools)):
                self._number += 1
                use = cast("Event", tool).get("id") if isinstance(tool, Mapping) else None
                if isinstance(use, str):
                    self._calls[use] = len(self.entries)
                self.entries.append(Entry("call", at, index, depth, self._number))
            if isinstance(message, str):
                self._open.pop(("message", message), None)
                self._open.pop(("thinking", message), None)
        if not written:
            self.noise += 1

    def _part(
        self, kind: Literal["message", "thinking"], at: int, depth: int, message: Any
    ) -> None:
        """A piece of text: a new entry, or more of the message that it belongs to."""
        if not isinstance(message, str):
            self.entries.append(Entry(kind, at, depth=depth))
            return
        begun = self._open.get((kind, message))
        if begun is None:
            self._open[kind, message] = len(self.entries)
            self.entries.append(Entry(kind, at, depth=depth))
            return
        key = "text" if kind == "message" else kind
        before = self.events[self.more[begun][-1] if begun in self.more else self.entries[begun].at]
        if before.get(key) != self.events[at].get(key):
            self.more.setdefault(begun, []).append(at)

    def _result(self, at: int, event: Event) -> None:
        use = event.get("tool_use_id")
        call = self._calls.get(use) if isinstance(use, str) else None
        if call is None or call in self.results:
            call = len(self.entries)
            self.entries.append(Entry("result", at, depth=self._depth(event)))
        else:
            self.results[call] = at
        if event.get("is_error"):
            self.errors.add(call)

    def _system(self, at: int, event: Event) -> None:
        if event.get("subtype") in NOISE:
            self.noise += 1
        elif self.entries and self.entries[-1].kind == "system":
            self.more.setdefault(len(self.entries) - 1, []).append(at)
        else:
            self.entries.append(Entry("system", at))


def make_trace(events: Sequence[Event]) -> Trace:
    """The entries of these events. Never raises: events come from files that anyone may write."""
    builder = _Builder(events)
    add = builder.add
    for at, event in enumerate(events):
        add(at, event)
    return Trace(
        events,
        builder.entries,
        builder.more,
        builder.results,
        sorted(builder.errors),
        builder.noise,
    )
