"""What the session remembers of cells: by name, by fingerprint, from the summary."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from msgspec.structs import replace

from eval_tui.engine.cells import CellInfo
from eval_tui.engine.entries import StoredCell, StoredRow
from eval_tui.engine.grid import CellKey, cell_keys
from eval_tui.engine.plan import JudgeKey, Snapshot
from eval_tui.engine.target import Target

if TYPE_CHECKING:
    from eval_tui.engine.session import Session


def adopt(session: Session, before: Snapshot) -> None:
    """Give every cell its memory: kept by name, or by fingerprint for a renamed judge."""
    renamed = {
        key.fingerprint: name
        for name, key in before.judges.items()
        if name not in session.snapshot.judges
    }
    cases = session.snapshot.cases
    if not session.infos:
        for name, key in session.snapshot.judges.items():
            keys = cell_keys(cases | session.target.recorded.keys(), (name,))
            session.infos.update((k, CellInfo(key.fingerprint, key.condition)) for k in keys)
        return
    for name, judge_key in session.snapshot.judges.items():
        old_name = name if name in before.judges else renamed.get(judge_key.fingerprint)
        for case in cases | session.target.recorded.keys():
            key = CellKey(case, name)
            present = case in cases  # else only what is recorded is shown (D7)
            info = session.infos.get(key) if present else None
            if info is None and present and old_name is not None:
                info = session.infos.get(CellKey(case, old_name))
                info = None if info is None else copy(info)
            session.infos[key] = _turned(info, judge_key)


def _turned(info: CellInfo | None, judge_key: JudgeKey) -> CellInfo:
    """The memory of a cell for the judge as it is now."""
    if info is None:
        return CellInfo(judge_key.fingerprint, judge_key.condition)
    if info.fp != judge_key.fingerprint:
        info.lost, info.outdated = False, info.known
    if (info.fp, info.condition) != (judge_key.fingerprint, judge_key.condition):
        info.sig = ""
    info.fp, info.condition = judge_key.fingerprint, judge_key.condition
    return info


def drop_gone(session: Session) -> None:
    """Cells of judges and cases that are no more leave the grid (S30)."""
    present, infos = session.snapshot.cases, session.infos
    judges, cases = session.snapshot.judges, present | session.target.recorded.keys()
    gone = [key for key in infos if key.judge not in judges or key.case not in cases]
    for key in gone:
        del infos[key]
        session.asking.wants.pop(key, None)
    for key in [*gone, *(key for key in infos if key.case not in present)]:
        session.queue.remove(key)
        session.restore.checking.discard(key)


def resampled(session: Session, before: Target) -> set[CellKey]:
    """Cells of judges that are asked another number of times: another value of the same answers."""
    old = {judge.name: judge.samples for judge in before.config.judges} if before.config else {}
    names = [
        judge.name
        for judge in session.columns
        if judge.asks_model and old.get(judge.name, judge.samples) != judge.samples
    ]
    return set(cell_keys(session.snapshot.cases, names))


def take_recorded(session: Session) -> set[CellKey]:
    """Recorded values that were rewritten: model cells have something new to show."""
    models = [judge.name for judge in session.columns if judge.asks_model]
    keys = (CellKey(case, name) for case in session.snapshot.cases for name in models)
    return {key for key in keys if key in session.infos and session.judged(key)}


def save_row(session: Session, case: str) -> None:
    """Keep a case's cells as they are now."""
    cells: list[StoredCell] = []
    for name in session.snapshot.judges:
        key = CellKey(case, name)
        if (info := session.infos.get(key)) and (stored := info.stored()):
            # What is shown is not the answer to what would be asked now: that is seen to at the
            # next opening.
            wanting = key in session.asking.wants
            cells.append(replace(stored, sig="") if wanting else stored)
    row = StoredRow(
        cells,
        session.dependencies.extra(case),
        list(session.findings.keys(case)),
        session.snapshot.record,
    )
    session.store.put_row(session.run_key, case, row)
