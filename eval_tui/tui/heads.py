"""What stands above the columns of the grid, from the results' view of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from eval_tui.config.schema import Judge
from eval_tui.results.aggregate import Aggregate
from eval_tui.results.board import Board, ColumnView
from eval_tui.results.gates import Gate, GateState
from eval_tui.results.parts import PartView
from eval_tui.results.words import number, short_figure
from eval_tui.tui.layout import Head
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.text import one_line

UNSURE: Final = "?"
"""The mark of a gate that cannot be told."""


def heads_of(
    board: Board, glyphs: Glyphs, then: Mapping[tuple[str, str], Aggregate] | None = None
) -> tuple[Head, ...]:
    """The heads of the columns, in their order: of each judge, then of its parts if unfolded.

    `then`: the figures of another run by judge and part, which stand above those of the board.
    """
    return tuple(head for view in board.columns for head in _heads(view, glyphs, then))


def known_heads(judges: Sequence[Judge], heads: Sequence[Head]) -> tuple[Head, ...]:
    """Heads for these judges out of those known so far; new ones have only their name."""
    known: dict[str, list[Head]] = {}
    name = ""
    for head in heads:
        name = name if head.part else head.name
        known.setdefault(name, []).append(head)
    names = [one_line(judge.name) for judge in judges]
    return tuple(head for name in names for head in known.get(name, [Head(name)]))


def _heads(
    view: ColumnView, glyphs: Glyphs, then: Mapping[tuple[str, str], Aggregate] | None
) -> Iterator[Head]:
    def lines(one: ColumnView | PartView, part: str) -> tuple[str, ...]:
        if then is None:
            return _lines(one, glyphs)
        return _both(then.get((view.judge.name, part)), one.aggregate, glyphs)

    def brief(one: ColumnView | PartView) -> tuple[str, ...]:
        return _brief(one, glyphs) if then is None else ()

    sign = ""
    if view.parts:
        sign = glyphs.unfolded if view.unfolded else glyphs.folded
    yield Head(
        name=one_line(view.judge.name),
        summary=lines(view, ""),
        brief=brief(view),
        steady=_steady(view.aggregate),
        gate=_gate(view, glyphs),
        gate_state=view.gate,
        sign=sign,
        firm=then is not None,
    )
    for part in view.unfolded:
        yield Head(
            one_line(part.name),
            lines(part, part.name),
            brief(part),
            _steady(part.aggregate),
            part=part.name,
            sign=glyphs.dot,
            firm=then is not None,
        )


def _both(then: Aggregate | None, now: Aggregate, glyphs: Glyphs) -> tuple[str, str]:
    """The figures of two runs, each in a line."""
    was = short_figure(then, glyphs.unmeasured) if then is not None else ""
    return was, short_figure(now, glyphs.unmeasured) + glyphs.stale * bool(now.stale)


def _lines(view: ColumnView | PartView, glyphs: Glyphs) -> tuple[str, ...]:
    """The figure, and how much is measured; old values in it are marked as those of cells are."""
    figure, *more = _told(view)
    return figure + glyphs.stale * bool(view.aggregate.stale), *more


def _brief(view: ColumnView | PartView, glyphs: Glyphs) -> tuple[str, ...]:
    """The same in one line."""
    told = short_figure(view.aggregate, glyphs.unmeasured, _told(view)[0])
    return (told + glyphs.stale * bool(view.aggregate.stale),)


def _told(view: ColumnView | PartView) -> list[str]:
    return [part for part in view.summary.split(" · ") if not part.endswith(" stale")] or [""]


def _steady(figures: Aggregate) -> int:
    """The width of a small mean with all the decimals that it may have."""
    small = figures.kind == "mean" and abs(figures.mean or 0.0) < 10
    return len("0.667 mean") if small else 0


def _gate(view: ColumnView, glyphs: Glyphs) -> str:
    if view.gate is None:
        return ""
    # Of several gates the one that decides is shown; the problems and the table tell all.
    deciding = next(gate for gate in view.gates if gate.state == view.gate)
    more = f" +{len(view.gates) - 1}" if len(view.gates) > 1 else ""
    return f"{_sign(view.gate, glyphs)} {_limit(deciding, glyphs)}{more}"


def _sign(state: GateState, glyphs: Glyphs) -> str:
    return {"pass": glyphs.passed, "fail": glyphs.failed}.get(state, UNSURE)


def _limit(gate: Gate, glyphs: Glyphs) -> str:
    relation = glyphs.most if gate.metric in ("max_error_rate", "max_drop") else glyphs.least
    if gate.metric == "max_drop":
        return f"{relation}{number(gate.limit)} drop"
    if gate.metric == "min_mean":
        return f"{relation}{number(gate.limit)}"
    what = {"max_error_rate": " errors", "min_win_rate": " wins"}.get(gate.metric, "")
    return f"{relation}{number(gate.limit * 100)}%{what}"
