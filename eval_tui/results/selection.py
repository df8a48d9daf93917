"""The part of a grid that was selected on the command line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, Grid, Row


@dataclass(frozen=True)
class Selection:
    """A grid of only these judges and cases; None selects all of them."""

    grid: Grid
    judges: Collection[str] | None = None
    cases: Collection[str] | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        rows = self.grid.rows
        return rows if self.cases is None else tuple(r for r in rows if r.case in self.cases)

    @property
    def columns(self) -> tuple[Judge, ...]:
        columns = self.grid.columns
        wanted = self.judges
        return columns if wanted is None else tuple(c for c in columns if c.name in wanted)

    def cell(self, case: str, judge: str) -> Cell:
        """The cell of the whole grid."""
        return self.grid.cell(case, judge)
