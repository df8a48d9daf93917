"""A grid that does not change any more: what the frozen picture is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellKey, Grid, Row


@dataclass(frozen=True, slots=True)
class StillGrid:
    """A copy of a grid; cells are immutable, so only the references are copied."""

    rows: tuple[Row, ...]
    columns: tuple[Judge, ...]
    cells: Mapping[CellKey, Cell]

    @classmethod
    def of(cls, grid: Grid) -> StillGrid:
        cells = {
            CellKey(row.case, judge.name): grid.cell(row.case, judge.name)
            for row in grid.rows
            for judge in grid.columns
        }
        return cls(grid.rows, grid.columns, cells)

    def cell(self, case: str, judge: str) -> Cell:
        return self.cells.get(CellKey(case, judge), EMPTY_CELL)
