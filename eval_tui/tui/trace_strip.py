"""The timeline of a trace: where its errors, edits and long waits are, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from eval_tui.results.words import usd
from eval_tui.tui.document import SpanStyle
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.trace import LONG_WAIT_S, NOISE, Trace, moment_of
from eval_tui.tui.trace_order import HIDDEN, callers_of
from eval_tui.tui.words import plural, seconds

MarkKind = Literal["error", "wait", "edit"]


class Look(NamedTuple):
    """How a mark is drawn."""

    glyph: str
    style: SpanStyle


def look_of(kind: MarkKind, glyphs: Glyphs) -> Look:
    match kind:
        case "error":
            return Look(glyphs.failed, "bad")
        case "wait":
            return Look(glyphs.unstable, "warn")
        case "edit":
            return Look(glyphs.edit, "good")


def marks_of(
    trace: Trace, order: Sequence[int], positions: Sequence[int], width: int
) -> dict[int, MarkKind]:
    """The marks by cell of a strip as wide as `width`; where several meet, the gravest is told.

    What is folded away is marked at the call that it lies below.
    """
    cells: dict[int, MarkKind] = {}

    def put(kind: MarkKind, entries: Iterable[int]) -> None:
        for entry in entries:
            if (at := _visible(trace, positions, entry)) != HIDDEN:
                cells[cell_of(at, len(order), width)] = kind

    put("edit", trace.edits)
    put("wait", trace.waits)
    put("error", trace.errors)
    return cells


def cell_of(position: int, count: int, width: int) -> int:
    """The cell of a strip at which one of `count` entries stands."""
    return position * width // max(count, 1)


def position_at(cell: int, count: int, width: int) -> int:
    """The entry of `count` that stands at a cell of a strip, or the nearest one behind it."""
    return min(-(-cell * count // max(width, 1)), max(count - 1, 0))


def _visible(trace: Trace, positions: Sequence[int], entry: int) -> int:
    if positions[entry] != HIDDEN:
        return positions[entry]
    shown = (positions[call] for call in callers_of(trace, entry))
    return next((position for position in shown if position != HIDDEN), HIDDEN)


def legend_of(trace: Trace, glyphs: Glyphs) -> list[tuple[str, SpanStyle]]:
    """What the marks stand for and how many there are; nothing of what there is not."""
    counted: list[tuple[MarkKind, str]] = [
        ("error", plural(len(trace.errors), "error") if trace.errors else ""),
        ("edit", plural(len(trace.edits), "edit") if trace.edits else ""),
        ("wait", _waits(trace)),
    ]
    looks = [(look_of(kind, glyphs), words) for kind, words in counted if words]
    return [(f"{look.glyph} {words}", look.style) for look, words in looks]


def _waits(trace: Trace) -> str:
    if not trace.waits:
        return ""
    return f"{plural(len(trace.waits), 'wait')} over {LONG_WAIT_S:.0f} s"


def facts_of(trace: Trace) -> list[str]:
    """What a trace comes to: calls, time, tokens, cost, and the events of progress left out."""
    calls = sum(entry.kind == "call" for entry in trace.entries)
    tokens = sum(trace.tokens.values())
    noise = sum(trace.noise.get(kind, 0) for kind in NOISE)
    facts = [
        plural(calls, "call"),
        _duration(trace),
        plural(tokens, "token") if tokens else "",
        _cost(trace),
        f"{plural(noise, 'progress event')} left out" if noise else "",
    ]
    return [fact for fact in facts if fact]


def _duration(trace: Trace) -> str:
    began = next(filter(None, map(moment_of, trace.events)), None)
    ended = next(filter(None, map(moment_of, reversed(trace.events))), None)
    return seconds(ended - began) if began and ended and ended > began else ""


def _cost(trace: Trace) -> str:
    for event in reversed(trace.events):
        if event.get("type") == "result":
            cost = event.get("cost_usd")
            return usd(cost) if isinstance(cost, int | float) else ""
    return ""
