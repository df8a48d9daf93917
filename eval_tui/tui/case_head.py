"""The header of the case screen: which cell this is, what its value is, and its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.content import Content

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellKey, Detail, Grid
from eval_tui.engine.select import failed
from eval_tui.tui.marks import Glyphs, mark, score_words, state_words
from eval_tui.tui.text import content, one_line
from eval_tui.tui.words import LOOK_STYLES, beside


class FailedCases:
    """The failed cases of one judge in the order shown, kept up to date cell by cell."""

    def __init__(self, grid: Grid, judge: str, shown: Sequence[str] | None = None) -> None:
        """`shown`: the cases in the order of the grid's filter and sort; None for all."""
        self._grid = grid
        self._judge = judge
        self._cases = [row.case for row in grid.rows] if shown is None else shown
        self._order = {case: at for at, case in enumerate(self._cases)}
        self._failed = {case for case in self._order if failed(grid.cell(case, judge))}
        self._sorted: list[int] | None = None

    def update(self, keys: Iterable[CellKey]) -> None:
        """Look at the cells that changed."""
        for case, judge in keys:
            if judge == self._judge and case in self._order:
                if failed(self._grid.cell(case, judge)):
                    self._failed.add(case)
                else:
                    self._failed.discard(case)
                self._sorted = None

    def _places(self) -> Sequence[int]:
        """Where in the grid the failed cases stand, in order."""
        if self._sorted is None:
            self._sorted = sorted(self._order[case] for case in self._failed)
        return self._sorted

    def place(self, case: str) -> tuple[int, int]:
        """Which of the failed cases this is (from 1; 0 if it did not fail), and of how many."""
        places = self._places()
        return (bisect_right(places, self._order[case]) if case in self._failed else 0), len(places)

    def step(self, case: str, by: int) -> str | None:
        """The next (1) or previous (-1) failed case, round the ends; None if there is no other."""
        here = self._order.get(case, -1)
        places = [place for place in self._places() if place != here]
        if not places:
            return None
        beyond = [place for place in places if (place > here if by > 0 else place < here)]
        return self._cases[(beyond or places)[0 if by > 0 else -1]]


@dataclass(frozen=True, slots=True)
class Head:
    """What the header says."""

    detail: Detail
    judge: Judge
    place: tuple[int, int]
    """Place among the failed cases, see `FailedCases.place`."""
    run: str = ""
    gone: str = ""
    """Why the cell is no longer there; what is shown then is the last that was known."""


def head_lines(head: Head, glyphs: Glyphs, width: int) -> Content:
    """Two lines: case, judge and place among the failed; mark, value in words and state."""
    dot = Content.styled(f" {glyphs.dot} ", "$skip")
    detail, judge = head.detail, head.judge
    name = Content.assemble(
        content(one_line(detail.key.case), "bold"),
        dot,
        content(one_line(judge.name), "bold $primary"),
    )
    facts = [place_words(head.place), f"run {head.run}" if head.run and width >= 98 else ""]
    side = content(one_line(f" {glyphs.dot} ".join(filter(None, facts))), "$skip")
    if name.cell_length + side.cell_length + 2 > width:
        side = Content("")
    cell = Cell(detail.cell.state, detail.score, detail.cell.recorded, detail.cell.waiting)
    shown = mark(cell, judge, glyphs)
    sign = "" if shown.look == "number" or not shown.field else f"{shown.field.split()[0]} "
    value = content(sign + score_words(cell.score, judge), LOOK_STYLES[shown.look])
    state = head.gone or state_words(cell)
    if state:
        value = Content.assemble(value, dot, content(state, "$stale"))
    cut = glyphs.ellipsis
    return Content("\n").join(
        [beside(name, side, width, cut), beside(value, Content(""), width, cut)]
    )


def place_words(place: tuple[int, int]) -> str:
    """`failed 3 of 7`, or how many others failed; empty when none did."""
    at, count = place
    if at:
        return f"failed {at} of {count}"
    return f"{count} failed" if count else ""
