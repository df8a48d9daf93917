"""A grid that stands still: for figures and documents without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellState, Row
from eval_tui.scores import Score


@dataclass
class StillGrid:
    """Rows, columns and cells as they are given; cells that are not are empty."""

    rows: tuple[Row, ...] = ()
    columns: tuple[Judge, ...] = ()
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)

    def cell(self, case: str, judge: str) -> Cell:
        return self.cells.get((case, judge), EMPTY_CELL)


def still_grid(
    scores: Mapping[str, Mapping[str, Score]],
    judges: Sequence[Judge],
    not_run: Sequence[str] = (),
) -> StillGrid:
    """A grid of fresh cells."""
    rows = [Row(case, "ran") for case in scores] + [Row(case, "not_run") for case in not_run]
    cells = {
        (case, judge): Cell(CellState.FRESH, score)
        for case, row in scores.items()
        for judge, score in row.items()
    }
    return StillGrid(tuple(rows), tuple(judges), cells)
