"""What follows from a change on disk: which cells are looked at, and which results come too late."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from eval_tui.engine.ambients import Change
from eval_tui.engine.grid import CellKey
from eval_tui.engine.plan import Touched, plan
from eval_tui.engine.writers import Written

if TYPE_CHECKING:
    from eval_tui.engine.session import Session


def changed(session: Session, paths: Iterable[str], trigger: str) -> int:
    """Files changed; returns how many cells are looked at because of them."""
    session.restore_all()
    writers = session.findings.writers
    paths = frozenset(paths)
    outside, own = writers.not_own(paths), writers.own(paths)
    following = {
        key
        for path, file in own.items()
        for key in _resting_on(session, [path])
        if _follows(session, key, file)
    }
    if own:
        session.refresh_problems()
    if not (outside or own):
        return 0
    session.epoch += 1
    if session.dependencies.index.ambients_of(outside):
        session.set_status(code=session.status.code + 1)
        session.display.news(structure=True)
    if session.queue.inflight:
        session.dependencies.note_changes({*outside, *own}, session.epoch)
    index = session.dependencies.index
    causes = index.by_case(outside, session.snapshot)
    source = any(path.endswith(".py") for path in outside)
    again = _lost(session, None if source else causes) if outside else set[CellKey]()
    reached = _resting_on(session, outside) | again
    writers.start_over(reached)
    due = plan(session.snapshot, session.snapshot, Touched(cells=frozenset(reached | following)))
    if due:
        session.begin(trigger, len(due))
        session.enqueue(due, forced=again)
        session.queue.because(causes)
    return len(due)


def late(session: Session, epoch: int, ambient: str, key: CellKey) -> bool:
    """Whether a result of a batch of that epoch may rest on what has changed since."""
    dependencies = session.dependencies

    def rests_on(change: Change) -> bool:
        return key.case in change.cases or ambient in change.ambients

    change = dependencies.changed_since(epoch, session.snapshot)
    if not rests_on(change):
        return False
    writers = session.findings.writers
    own = writers.own(change.paths)
    if not own:
        return True
    if rests_on(dependencies.change(writers.not_own(change.paths), session.snapshot)):
        return True
    return any(
        rests_on(dependencies.change([path], session.snapshot)) and _follows(session, key, file)
        for path, file in own.items()
    )


def wrote(session: Session, key: CellKey, files: Sequence[tuple[str, str]]) -> None:
    """A judge wrote files; what is due only because of them is not due any more (S14).

    That holds for the writer. Others that rest on the files are looked at.
    """
    if key.judge not in session.snapshot.judges:
        return
    writers = session.findings.writers
    writers.wrote(session.judge(key.judge), key.case, session.config, session.run_key, dict(files))
    if not files:
        return
    for path, file in writers.own(path for path, _ in files).items():
        for due in filter(session.queue.is_due, _resting_on(session, [path])):
            causes = session.queue.causes(due.case)
            alone = bool(causes) and not writers.not_own(causes)
            if not _follows(session, due, file) and alone and session.queue.excuse(due):
                session.display.show(due)
    session.refresh_problems()


def _resting_on(session: Session, paths: Iterable[str]) -> set[CellKey]:
    """Cells that may rest on one of the files or folders."""
    index = session.dependencies.index
    cases, ambients = index.cases_of(paths, session.snapshot), index.ambients_of(paths)
    cells = plan(session.snapshot, session.snapshot, Touched(cases))
    if not ambients:
        return set(cells)
    at_work = {
        key for flight in session.queue.inflight.values() for key in flight.resting(ambients)
    }
    known = {key for key, info in session.infos.items() if info.ambient in ambients}
    return {*cells, *at_work, *known}


def _follows(session: Session, key: CellKey, file: Written) -> bool:
    """Whether a cell is looked at because of what a judge wrote; not while that is a circle."""
    follows = session.findings.writers.follow(key, file, session.judge(key.judge), session.config)
    if not follows and key.judge != file.judge:
        session.set_aside(key, "cancelled")
    return follows


def _lost(session: Session, cases: Collection[str] | None) -> set[CellKey]:
    """Cells (of these cases) whose inputs are not known and that may be tried again."""
    judges = [j.name for j in session.columns if j.auto and not j.asks_model]
    looked_at = session.snapshot.cases if cases is None else cases
    keys = (CellKey(case, name) for case in looked_at for name in judges)
    return {key for key in keys if (info := session.infos.get(key)) and info.lost}
