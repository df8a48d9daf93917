"""In which order the entries of a trace are shown, and which of them."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from eval_tui.tui.trace import Trace
from eval_tui.tui.trace_text import name_of

HIDDEN = -1
"""The position of an entry that is not shown."""


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
