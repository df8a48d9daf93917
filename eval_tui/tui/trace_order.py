"""In which order the entries of a trace are shown, and which of them."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from eval_tui.tui.trace import Trace
from eval_tui.tui.trace_text import name_of

HIDDEN = -1
"""The position of an entry that is not shown."""

_LASTING: Final = ("timestamp", "_msg_id", "tool_use_id", "text", "thinking", "tools", "subtype")


def shown_order(trace: Trace, opened: AbstractSet[int], only: str = "") -> Sequence[int]:
    """The entries to show: those of a subagent right after the call that started it.

    `opened` are the calls whose subagents are unfolded; `only` leaves the entries of one name (a
    tool, `assistant`, `thinking`), of all agents.
    """
    count = len(trace.entries)
    if only:
        return array("I", (at for at in range(count) if name_of(trace, at) == only))
    if not trace.children:
        return range(count)
    order = array("I")
    for entry in range(count):
        if trace.entries[entry].parent < 0:
            _put(trace, opened, entry, order)
    return order


def _put(trace: Trace, opened: AbstractSet[int], entry: int, order: array[int]) -> None:
    """An entry and what is unfolded below it. Without recursion: agents may be nested deeply."""
    waiting = [entry]
    while waiting:
        here = waiting.pop()
        order.append(here)
        if here in opened and here in trace.children:
            waiting.extend(reversed(trace.children[here]))


def positions_of(order: Sequence[int], count: int) -> Sequence[int]:
    """Where each of `count` entries stands in an order; HIDDEN for those that it leaves out."""
    if isinstance(order, range):
        return order
    positions = array("i", [HIDDEN]) * count
    for position, entry in enumerate(order):
        positions[entry] = position
    return positions


def callers_of(trace: Trace, entry: int) -> list[int]:
    """The calls that an entry of a subagent lies below, the nearest first."""
    callers: list[int] = []
    while (entry := trace.entries[entry].parent) >= 0:
        callers.append(entry)
    return callers


def found_again(before: Trace, entries: Iterable[int], now: Trace) -> dict[int, int]:
    """Where entries of a trace stand in another one, which was made of more events.

    What was read later may stand before them, in their order. What is not found stays where it was.
    """
    found: dict[int, int] = {}
    place, lost = 0, False
    for entry in sorted(entries):
        place = max(place, entry)
        wanted = _looks(before, entry)
        there = range(place, 0 if lost else len(now.entries))
        at = next((at for at in there if _looks(now, at) == wanted), -1)
        found[entry], lost = (entry, True) if at < 0 else (at, lost)
        place = max(place, at)
    return found


def _looks(trace: Trace, entry: int) -> tuple[object, ...]:
    """By what an entry is known again; tokens may have been counted since."""
    kind, at, tool = trace.entries[entry][:3]
    return (kind, tool, *map(trace.events[at].get, _LASTING))


def inside(trace: Trace, call: int) -> tuple[int, int]:
    """How many entries the subagent of a call has, with those of its own subagents, and errors."""
    count = failed = 0
    errors = trace.errors
    waiting = list(trace.children.get(call, ()))
    while waiting:
        entry = waiting.pop()
        count += 1
        failed += errors[bisect_left(errors, entry) : bisect_right(errors, entry)] != []
        waiting.extend(trace.children.get(entry, ()))
    return count, failed
