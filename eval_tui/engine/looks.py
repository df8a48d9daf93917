"""How a cell looks: a function of what is known of it and of what is being done about it."""

from __future__ import annotations

from typing import NamedTuple

from eval_tui.config.problems import with_hint
from eval_tui.config.schema import Judge
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellState
from eval_tui.judges.graders.contract import apply_contract
from eval_tui.judges.outcome import apply_range
from eval_tui.judges.passing import apply_pass_if
from eval_tui.scores import Reason, Score, Unmeasured


class Doing(NamedTuple):
    """What is being done about a cell at the moment."""

    judged: bool
    """A worker has something to do for the cell at all."""
    present: bool
    """The case has a folder in the run."""
    due: bool = False
    checking: bool = False
    """It is being compared with the disk, or verified by a worker."""
    running: bool = False
    paused: bool = False
    asking: str = ""
    """`queued` or `running` while a model is to be asked."""
    outdated: bool = False
    """What is recorded was said by another version of the judge."""


def look(judge: Judge, info: CellInfo, recorded: Score | None, doing: Doing) -> Cell:
    """The cell as shown."""
    if judge.problem is not None and recorded is None and doing.present:
        return Cell(CellState.FRESH, _unusable(judge))
    score = info.score if info.known else None
    from_summary = score is None and recorded is not None
    shown = recorded if from_summary else checked_score(score, judge) if score else None
    outdated = info.outdated or (from_summary and doing.outdated)
    if not doing.judged:
        return _unjudged(shown, from_summary, doing, outdated)
    checked = CellState.STALE if outdated else CellState.CHECKING
    if doing.due:
        if doing.paused:
            return Cell(CellState.WAITING, shown, from_summary, "paused")
        known = info.known or judge.asks_model
        return Cell(checked if known else CellState.QUEUED, shown, from_summary)
    if doing.running and not judge.asks_model:
        return Cell(CellState.RUNNING, shown, from_summary)
    if doing.checking or doing.running:
        known = info.known or judge.asks_model
        return Cell(checked if known else CellState.QUEUED, shown, from_summary)
    if doing.asking:
        state = CellState.RUNNING if doing.asking == "running" else CellState.QUEUED
        return Cell(state, shown, from_summary)
    waiting = info.behind
    if judge.asks_model and from_summary and waiting is None:
        return Cell(CellState.STALE if outdated else CellState.FRESH, shown, True)
    if waiting is None and not info.known:
        waiting = "cancelled" if judge.auto else "off"
    if waiting is not None:
        return Cell(CellState.WAITING, shown, from_summary, waiting)
    return Cell(CellState.STALE if info.older else CellState.FRESH, shown)


def checked_score(score: Score, judge: Judge) -> Score:
    """A stored raw score under the judge's range, pass mark and metrics as they are now."""
    if judge.grader is not None:
        return apply_contract(score, judge)
    return apply_pass_if(apply_range(score, judge), judge)


def _unusable(judge: Judge) -> Unmeasured:
    assert judge.problem is not None
    words = with_hint(judge.problem.message, judge.problem.hint)
    return Unmeasured(Reason.UNSUPPORTED, words, recover_on=frozenset({"config", "code"}))


def _unjudged(shown: Score | None, recorded: bool, doing: Doing, outdated: bool) -> Cell:
    """A cell that no worker is asked about."""
    if shown is not None:
        return Cell(CellState.STALE if outdated else CellState.FRESH, shown, recorded)
    if not doing.present:
        return EMPTY_CELL
    return Cell(CellState.WAITING, None, waiting="off")
