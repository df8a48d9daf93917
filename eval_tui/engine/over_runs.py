"""What one judge said in another run: from the store and that run's `summary.yaml`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final

from eval_tui.config.schema import Judge
from eval_tui.engine.entries import StoredCell
from eval_tui.engine.grid import CellKey, RunInfo
from eval_tui.engine.looks import checked_score
from eval_tui.engine.target import of_other_versions
from eval_tui.engine.threads import in_thread
from eval_tui.engine.word import other_now, rests_on
from eval_tui.record.recorded import Recorded, read_recorded
from eval_tui.record.runs import case_ids
from eval_tui.scores import Score, from_plain

if TYPE_CHECKING:
    from eval_tui.engine.session import Session

AT_A_TIME: Final = 200
"""Cases whose stored cells are taken up between two turns of the loop."""


async def stored_score(session: Session, run: RunInfo, key: CellKey) -> Score | None:
    """What a judge, as it is now, said of one case, with its whole rationale. Judges nothing.

    Without a word of its own what was recorded stands, as in `stored_column`.
    """
    judge, folder = session.judges.get(key.judge), os.path.realpath(run.path)
    if judge is None:
        return None
    held, edited = await _stored(session, folder, judge, [key.case])
    if (cell := held.get(key.case)) is not None:
        result = session.store.result(cell.result) if cell.result else None
        plain = cell.score if result is None else dict(result.score)
        return checked_score(from_plain(plain), judge)
    recorded = await in_thread(lambda: read_recorded(folder))
    return _recorded(session, recorded, judge, edited).get(key.case)


async def stored_column(session: Session, run: RunInfo, judge: Judge) -> Mapping[str, Score]:
    """The scores of a judge, as it is now, by case. Judges nothing.

    What it said before it was changed is not its word: then what was recorded stands, if anything.
    """
    folder = os.path.realpath(run.path)
    cases, recorded = await in_thread(lambda: (case_ids(folder), read_recorded(folder)))
    scores: dict[str, Score] = {}
    others: set[str] = set()
    for start in range(0, len(cases), AT_A_TIME):
        held, edited = await _stored(session, folder, judge, cases[start : start + AT_A_TIME])
        scores |= {c: checked_score(from_plain(cell.score), judge) for c, cell in held.items()}
        others |= edited
        await asyncio.sleep(0)
    return {**_recorded(session, recorded, judge, others), **scores}


async def _stored(
    session: Session, folder: str, judge: Judge, cases: Sequence[str]
) -> tuple[Mapping[str, StoredCell], Set[str]]:
    """What the store knows of a judge as it is now, by case, and cases of which its code as it was."""
    key = session.snapshot.judges.get(judge.name)
    if key is None:
        return {}, frozenset()
    found = {
        case: cell
        for case, row in session.store.rows(folder, cases).items()
        for cell in row.cells
        if (cell.fp, cell.condition) == (key.fingerprint, key.condition)
    }
    ambients = rests_on(session.store, found.values())
    others = await in_thread(lambda: other_now(ambients))
    held = {case: cell for case, cell in found.items() if cell.ambient not in others}
    return held, found.keys() - held.keys()


def _recorded(
    session: Session, recorded: Recorded, judge: Judge, edited: Set[str]
) -> dict[str, Score]:
    """What `summary.yaml` says of a judge, but what another version of it has said.

    Nor what we wrote of the `edited` cases: the store had it from the code as it was.
    """
    ours = {CellKey(c, judge.name) for c in edited if judge.name in recorded.made_by.get(c, ())}
    others = of_other_versions(session.config, recorded.made_by) | ours
    return {
        case: told[judge.name]
        for case, told in recorded.cells.items()
        if judge.name in told and (case, judge.name) not in others
    }
