"""What one judge said in another run: from the store and that run's `summary.yaml`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CellKey, RunInfo
from eval_tui.engine.looks import checked_score
from eval_tui.engine.target import of_other_versions
from eval_tui.engine.threads import in_thread
from eval_tui.record.recorded import read_recorded
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
    known, judge = session.snapshot.judges.get(key.judge), session.judges.get(key.judge)
    if known is None or judge is None:
        return None
    row = session.store.rows(os.path.realpath(run.path), [key.case]).get(key.case)
    for cell in row.cells if row is not None else ():
        if (cell.fp, cell.condition) == (known.fingerprint, known.condition):
            result = session.store.result(cell.result) if cell.result else None
            plain = cell.score if result is None else dict(result.score)
            return checked_score(from_plain(plain), judge)
    return (await stored_column(session, run, judge)).get(key.case)


async def stored_column(session: Session, run: RunInfo, judge: Judge) -> Mapping[str, Score]:
    """The scores of a judge, as it is now, by case. Judges nothing.

    What it said before it was changed is not its word: then what was recorded stands, if anything.
    """
    key = session.snapshot.judges.get(judge.name)
    folder = os.path.realpath(run.path)
    cases, recorded = await in_thread(lambda: (case_ids(folder), read_recorded(folder)))
    others = of_other_versions(session.config, recorded.made_by)
    scores = {
        case: told[judge.name]
        for case, told in recorded.cells.items()
        if judge.name in told and (case, judge.name) not in others
    }
    for start in range(0, len(cases) if key is not None else 0, AT_A_TIME):
        for case, row in session.store.rows(folder, cases[start : start + AT_A_TIME]).items():
            for cell in row.cells:
                if key is not None and (cell.fp, cell.condition) == (
                    key.fingerprint,
                    key.condition,
                ):
                    scores[case] = checked_score(from_plain(cell.score), judge)
        await asyncio.sleep(0)
    return scores
