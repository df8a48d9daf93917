"""What the session remembers of cells: by name, by fingerprint, from the store, from the summary."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING

from eval_tui.engine.cells import CellInfo, restored
from eval_tui.engine.grid import CellKey, cell_key, cell_keys
from eval_tui.engine.plan import JudgeKey, Snapshot
from eval_tui.engine.store import StoredRow

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


def restore(session: Session) -> set[CellKey]:
    """Paint what an earlier session knew; returns the cells to compare with the disk."""
    found: set[CellKey] = set()
    names: dict[tuple[str, str], list[str]] = {}
    for name, key in session.snapshot.judges.items():
        names.setdefault((key.fingerprint, key.condition), []).append(name)
    infos, cases, record = session.infos, session.snapshot.cases, session.snapshot.record
    judged = _judged(session)
    ambients: set[str] = set()
    unusable: list[CellKey] = []
    for case, row in session.store.rows(session.run_key).items():
        if case not in cases:
            continue
        session.dependencies.note_extra(case, row.extra)
        session.findings.note_keys(case, row.keys)
        holds = row.record == record
        for stored in row.cells:
            for name in names.get((stored.fp, stored.condition), ()):
                key = cell_key((case, name))
                infos[key] = restored(stored, stored.sig if holds else "")
                if name in judged or session.judged(key):
                    found.add(key)
                    ambients.add(stored.ambient)
                    if stored.score.get("reason") == "unsupported":
                        unusable.append(key)
    session.dependencies.load(ambients - {""})
    _tell_unusable(session, unusable)
    return found


def _judged(session: Session) -> frozenset[str]:
    """Judges whose every cell a worker has something to do for (see `Session.judged`)."""
    policy = session.policy
    if policy.look_only or policy.judges is not None or policy.cases is not None:
        return frozenset()
    judges = (session.judge(name) for name in session.snapshot.judges)
    return frozenset(j.name for j in judges if j.problem is None and not j.asks_model)


def _tell_unusable(session: Session, cells: Iterable[CellKey]) -> None:
    """Judges that could not be loaded the last time, from one of their cells each."""
    told: set[str] = set()
    for key in cells:
        info = session.infos[key]
        if key.judge in told or not info.result:
            continue
        told.add(key.judge)
        result = session.store.result(info.result)
        why = result.extra.get("unusable") if result is not None else None
        if why is not None:
            session.findings.loaded(session.judge(key.judge), session.config, why)


def take_recorded(session: Session) -> set[CellKey]:
    """Recorded values that were rewritten: model cells have something new to show."""
    models = [judge.name for judge in session.columns if judge.asks_model]
    keys = (CellKey(case, name) for case in session.snapshot.cases for name in models)
    return {key for key in keys if key in session.infos and session.judged(key)}


def save_row(session: Session, case: str) -> None:
    """Keep a case's cells as they are now."""
    cells = [
        stored
        for name in session.snapshot.judges
        if (info := session.infos.get(CellKey(case, name))) and (stored := info.stored())
    ]
    row = StoredRow(
        cells,
        session.dependencies.extra(case),
        list(session.findings.keys(case)),
        session.snapshot.record,
    )
    session.store.put_row(session.run_key, case, row)
