"""How a cell looks: a function of what is known of it and of what is being done about it."""

from __future__ import annotations

from typing import NamedTuple

from eval_tui.config.schema import Judge
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellState
from eval_tui.judges.outcome import apply_range
from eval_tui.judges.passing import apply_pass_if
from eval_tui.scores import Reason, Score, Unmeasured

NO_KEY = "no API key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) and the cell is scored"


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
    asks_for_key: bool = False
    """A model would be asked, and there is no credential."""


def look(judge: Judge, info: CellInfo, recorded: Score | None, doing: Doing) -> Cell:
    """The cell as shown."""
    if judge.problem is not None and recorded is None and doing.present:
        return Cell(CellState.FRESH, _unusable(judge))
    score = info.score if info.known else None
    from_summary = score is None and recorded is not None
    shown = recorded if from_summary else checked_score(score, judge) if score else None
    if not doing.judged:
        return _unjudged(shown, from_summary, doing, info.outdated)
    checked = CellState.STALE if info.outdated else CellState.CHECKING
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
    if judge.asks_model:
        old = Cell(CellState.WAITING, shown, True, "off")
        return old if info.lost else Cell(CellState.FRESH, shown, True)
    waiting = info.behind
    if waiting is None and not info.known:
        waiting = "cancelled" if judge.auto else "off"
    if waiting is not None:
        return Cell(CellState.WAITING, shown, from_summary, waiting)
    return Cell(CellState.FRESH, shown)


def checked_score(score: Score, judge: Judge) -> Score:
    """A stored raw score under the judge's range and pass mark as they are now."""
    return apply_pass_if(apply_range(score, judge), judge)


def _unusable(judge: Judge) -> Unmeasured:
    assert judge.problem is not None
    words = f"{judge.problem.message}. {judge.problem.hint}".strip(" .")
    return Unmeasured(Reason.UNSUPPORTED, words, recover_on=frozenset({"config", "code"}))


def _unjudged(shown: Score | None, recorded: bool, doing: Doing, outdated: bool) -> Cell:
    """A cell that no worker is asked about."""
    if shown is not None:
        return Cell(CellState.STALE if outdated else CellState.FRESH, shown, recorded)
    if not doing.present:
        return EMPTY_CELL
    if doing.asks_for_key:
        secret = Unmeasured(Reason.MISSING_SECRET, NO_KEY, recover_on=frozenset({"secret"}))
        return Cell(CellState.FRESH, secret)
    return Cell(CellState.WAITING, None, waiting="off")
