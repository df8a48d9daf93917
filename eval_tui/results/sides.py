"""Two runs side by side: the cases of both, and the figures of each.

Pure functions of two grids: the live one, now, and one that stands still, then.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, Grid, Row
from eval_tui.results.aggregate import Aggregate
from eval_tui.results.board import make_board

Presence = Literal["both", "then", "now", "neither"]
"""Which of the two runs a case ran in."""


class BothRuns:
    """The live grid, with the cases that only the other run has below its own.

    Cells are the live grid's; those of a case that is not in it are empty.
    """

    def __init__(self, now: Grid, then: Grid) -> None:
        self.now, self.then = now, then
        self._ran_then = [row.case for row in then.rows if row.status != "not_run"]
        self._of: tuple[Row, ...] | None = None
        self._rows: tuple[Row, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        rows = self.now.rows
        if rows is not self._of:
            here = {row.case for row in rows}
            gone = (Row(case, "not_run") for case in self._ran_then if case not in here)
            self._of, self._rows = rows, (*rows, *gone)
        return self._rows

    @property
    def columns(self) -> tuple[Judge, ...]:
        return self.now.columns

    def cell(self, case: str, judge: str) -> Cell:
        return self.now.cell(case, judge)


def presence(row: Row, then: Collection[str]) -> Presence:
    """Where the case of a row of the live grid ran; `then` are the cases of the other run."""
    if row.status == "not_run":
        return "then" if row.case in then else "neither"
    return "both" if row.case in then else "now"


class Figures:
    """What the judges and their parts add up to in a run that stands still: counted once."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._for: tuple[tuple[Judge, ...], frozenset[str]] | None = None
        self._known: Mapping[tuple[str, str], Aggregate] = {}

    def of(
        self, columns: tuple[Judge, ...], unfolded: Collection[str]
    ) -> Mapping[tuple[str, str], Aggregate]:
        """By judge and part: of each of these judges, and of each part of the unfolded ones."""
        wanted = columns, frozenset(unfolded)
        if wanted != self._for:
            views = make_board(_Columns(self._grid, columns), None, unfolded=unfolded).columns
            figures = {(view.judge.name, ""): view.aggregate for view in views}
            for view in views:
                figures |= {(view.judge.name, one.name): one.aggregate for one in view.unfolded}
            self._for, self._known = wanted, figures
        return self._known


class _Columns:
    """A grid with these columns."""

    def __init__(self, grid: Grid, columns: tuple[Judge, ...]) -> None:
        self.rows, self.columns, self.cell = grid.rows, columns, grid.cell
