"""Cells, columns and boards in few words."""

from __future__ import annotations

from collections.abc import Iterable

from eval_tui.config.schema import EvalConfig, Judge, Threshold
from eval_tui.engine.grid import Cell, CellState, Row
from eval_tui.results.board import Board, make_board
from eval_tui.scores import Reason, Score, Unmeasured, measured
from tests.support.grids import StillGrid

Short = bool | int | float | str | Cell | None
"""A value, the word of a reason, a whole cell, or None for a cell of nothing."""


def cell(short: Short, state: CellState = CellState.FRESH) -> Cell:
    if isinstance(short, Cell):
        return short
    if short is None:
        return Cell(CellState.EMPTY)
    score: Score = (
        Unmeasured(Reason(short), f"because {short}") if isinstance(short, str) else measured(short)
    )
    return Cell(state, score)


def cells(*shorts: Short) -> list[Cell]:
    return [cell(short) for short in shorts]


def grid(columns: dict[str, Iterable[Short]], not_run: Iterable[str] = ()) -> StillGrid:
    """A grid of cases c1, c2, ... from the cells of each column."""
    found = {name: cells(*column) for name, column in columns.items()}
    names = [f"c{n + 1}" for n in range(max(map(len, found.values()), default=0))]
    rows = [Row(name, "ran") for name in names] + [Row(name, "not_run") for name in not_run]
    placed = {
        (case, judge): one
        for judge, column in found.items()
        for case, one in zip(names, column, strict=True)
    }
    return StillGrid(tuple(rows), tuple(Judge(name, "check") for name in found), placed)


def config(*thresholds: tuple[str, str, float]) -> EvalConfig:
    limits = tuple(Threshold(judge, metric, limit) for judge, metric, limit in thresholds)  # type: ignore[arg-type]
    return EvalConfig("/p/eval.yaml", "/p", name="demo", thresholds=limits)


def board(
    columns: dict[str, Iterable[Short]],
    *thresholds: tuple[str, str, float],
    max_unmeasured: float = 1.0,
    not_run: Iterable[str] = (),
) -> Board:
    return make_board(grid(columns, not_run), config(*thresholds), max_unmeasured)
