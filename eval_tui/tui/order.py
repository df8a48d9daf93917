"""Which rows of the grid are shown in which order, and what lies where: pure functions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CellKey, Grid, Row
from eval_tui.engine.select import failed
from eval_tui.results.parts import cell_at
from eval_tui.scores import Measured, pass_of
from eval_tui.tui.layout import Sort
from eval_tui.tui.marks import scale_of

Ranks = Mapping[str, tuple[int, float]]
"""Where each case stands among the others, by its value when the order was made."""

_UNRANKED: Final = 3, 0.0
"""Of cases that came later: they stand last."""


def arrange(
    grid: Grid,
    found: frozenset[str] | None = None,
    only: frozenset[str] | None = None,
    ranks: Ranks | None = None,
) -> Sequence[int]:
    """Indices into `grid.rows` in the order shown: of the cases that are in both, where given."""
    rows = grid.rows
    order: Sequence[int] = range(len(rows))
    for kept in (found, only):
        if kept is not None:
            order = [i for i in order if rows[i].case in kept]
    if ranks is not None:
        order = sorted(order, key=lambda i: ranks.get(rows[i].case, _UNRANKED))
    return order


def ranks_of(grid: Grid, sort: Sort | None) -> Ranks | None:
    """The order by the values as they are now; None without a sort, or without its judge.

    It is made once and kept: rows that are sorted by values that still come would jump about.
    """
    judge = next((judge for judge in grid.columns if sort and judge.name == sort.judge), None)
    if sort is None or judge is None:
        return None
    return {row.case: _rank(grid, row.case, judge, sort) for row in grid.rows}


def _rank(grid: Grid, case: str, judge: Judge, sort: Sort) -> tuple[int, float]:
    """Measured cells from one end of the scale to the other; then the others, blank ones last."""
    cell = cell_at(grid, case, judge.name, sort.part)
    if not isinstance(cell.score, Measured):
        return (2 if cell.score is None else 1), 0 if failed(cell) else 1
    value = cell.score.value
    if isinstance(value, bool):
        low, high = scale_of(judge)
        value = high if value else low
    try:
        place = float(value)
    except OverflowError:
        place = float("inf") if value > 0 else float("-inf")
    return 0, place if sort.way == "worst" else -place


def failing(grid: Grid) -> frozenset[str]:
    """The cases that have a failure."""
    names = [judge.name for judge in grid.columns]
    return frozenset(
        row.case for row in grid.rows if any(failed(grid.cell(row.case, name)) for name in names)
    )


def has_numbers(grid: Grid) -> bool:
    """Whether a value neither passes nor fails."""
    names = [judge.name for judge in grid.columns]
    scores = (grid.cell(row.case, name).score for row in grid.rows for name in names)
    return any(isinstance(score, Measured) and pass_of(score) is None for score in scores)


def following(rows: Sequence[Row], order: Sequence[int], case: str) -> int | None:
    """The place of the first row shown at or after a hidden case, else of the last one.

    None if there is no such case or nothing is shown. `order` must be ascending.
    """
    index = next((i for i, row in enumerate(rows) if row.case == case), None)
    if index is None or not order:
        return None
    return min(bisect_left(order, index), len(order) - 1)


def rectangle(
    cases: Sequence[str], judges: Sequence[str], first: CellKey, last: CellKey
) -> frozenset[CellKey]:
    """The cells between two cells, both included; none if one of them is not among these."""
    try:
        rows = sorted((cases.index(first.case), cases.index(last.case)))
        columns = sorted((judges.index(first.judge), judges.index(last.judge)))
    except ValueError:
        return frozenset()
    return frozenset(
        CellKey(case, judge)
        for case in cases[rows[0] : rows[1] + 1]
        for judge in judges[columns[0] : columns[1] + 1]
    )
