"""Which cells a command concerns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eval_tui.engine.grid import Cell, CellKey, CellState, Scope
from eval_tui.scores import Measured, Reason, Unmeasured

if TYPE_CHECKING:
    from eval_tui.engine.session import Session


_BROKEN: Final = frozenset(
    {Reason.GRADER_ERROR, Reason.MISSING_EVIDENCE, Reason.CONTRACT_VIOLATION}
)


def failed(cell: Cell) -> bool:
    """Whether a cell is one to look at: it failed, or its judge or its evidence is broken.

    What was skipped on purpose, lacks a key, or cannot run here is no failure.
    """
    score = cell.score
    if isinstance(score, Measured):
        return score.value is False if score.passed is None else not score.passed
    return isinstance(score, Unmeasured) and score.reason in _BROKEN


def retryable(cell: Cell) -> bool:
    """Whether running the same thing again unchanged could measure the cell (S20)."""
    return isinstance(cell.score, Unmeasured) and cell.score.retryable


def select(session: Session, scope: Scope, case: str, judge: str) -> tuple[CellKey, ...]:
    """The cells of a scope, in the order of the grid."""
    chosen: list[CellKey] = []
    for row in session.rows:
        if scope in ("cell", "row") and row.case != case:
            continue
        for column in session.columns:
            if scope in ("cell", "column") and column.name != judge:
                continue
            cell = session.cell(row.case, column.name)
            if cell.state is not CellState.EMPTY and _fits(scope, cell):
                chosen.append(CellKey(row.case, column.name))
    return tuple(chosen)


def _fits(scope: Scope, cell: Cell) -> bool:
    if scope == "failed":
        return failed(cell)
    if scope == "retryable":
        return retryable(cell)
    if scope == "waiting":
        return cell.waiting is not None
    return True
