"""What is due and what is under way: which cells go to a worker next."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from eval_tui.config.schema import Judge
from eval_tui.engine.entries import Inputs
from eval_tui.engine.grid import CellKey, Row

if TYPE_CHECKING:
    from eval_tui.engine.session import Session

BATCH_CASES = 16
"""Cases that go to a worker at once: large enough to hide the way, small enough to cancel."""

KNOWN_PER_CELL = 6
"""How many earlier results of a cell are offered to the worker for reuse."""


@dataclass(slots=True)
class Job:
    """A cell that is due."""

    force: bool = False
    not_before: float = 0.0
    """By the session's clock; a document that is being written is read again later (D13)."""


@dataclass(slots=True)
class InFlight:
    """A batch on its way."""

    id: int
    epoch: int
    fingerprints: dict[CellKey, str] = field(default_factory=dict[CellKey, str])
    conditions: dict[CellKey, str] = field(default_factory=dict[CellKey, str])
    folders: dict[str, str] = field(default_factory=dict[str, str])
    """Digest of each case's folders before its first judge ran."""
    ambients: dict[str, str] = field(default_factory=dict[str, str])
    """Which ambient a judge announced: what is known of its cell if its process dies."""
    reported: set[CellKey] = field(default_factory=set[CellKey])
    unsaved: set[str] = field(default_factory=set[str])
    """Cases with reported cells that the store's rows do not hold yet."""
    by_hand: set[CellKey] = field(default_factory=set[CellKey])
    """Cells that the person cancelled."""
    forced: set[CellKey] = field(default_factory=set[CellKey])
    """Model cells whose request is asked again although its answer is known."""
    slow: bool = False
    """It holds a cell of a slow judge, and nothing else."""

    def resting(self, ambients: Collection[str]) -> list[CellKey]:
        """Cells of slow judges that are at work and rest on one of these."""
        if not self.slow:
            return []
        return [key for key in self.left() if self.ambients.get(key.judge) in ambients]

    def left(self) -> list[CellKey]:
        """Cells that were not reported."""
        return [key for key in self.fingerprints if key not in self.reported]


class Queue:
    """Due cells in the order of the grid, and the batches on their way."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._due: dict[str, dict[str, Job]] = {}
        self._order: dict[str, int] = {}
        self._columns: dict[str, int] = {}
        self._reusable: set[str] = set()
        """Cases for which the store holds results."""
        self._causes: dict[str, list[Collection[str]]] = {}
        """Case -> the changed paths for which its cells are due, in pieces that cases may share."""
        self._delayed: dict[CellKey, float] = {}
        """Due cells that may not start yet."""
        self._ids = itertools.count(1)
        self.inflight: dict[int, InFlight] = {}
        self.at_work: frozenset[CellKey] = frozenset()
        """Cells whose judge is running for long enough to say so."""
        self._slow: set[str] = set()
        """Fingerprints of judges that took long: their cells go last, and one by one."""
        self.slow_lanes = 1
        """How many workers may be busy with those at once."""

    @property
    def empty(self) -> bool:
        return not (self._due or self.inflight)

    @property
    def any_due(self) -> bool:
        return bool(self._due)

    @property
    def queued(self) -> int:
        return sum(map(len, self._due.values()))

    @property
    def running(self) -> int:
        return sum(len(f.fingerprints) - len(f.reported) for f in self.inflight.values())

    def order(self, rows: Sequence[Row], columns: Sequence[Judge]) -> None:
        """The order in which cells are judged is that of the grid."""
        self._order = {row.case: i for i, row in enumerate(rows)}
        self._columns = {judge.name: i for i, judge in enumerate(columns)}

    def sorted(self, cells: Iterable[CellKey]) -> list[CellKey]:
        """Cells in the order of the grid."""
        order, columns = self._order, self._columns
        return sorted(set(cells), key=lambda k: (order.get(k.case, 0), columns.get(k.judge, 0)))

    def clear(self, reusable: set[str]) -> None:
        """Nothing is due any more; batches under way are not waited for."""
        self._due.clear()
        self._delayed.clear()
        self.inflight.clear()
        self._reusable = reusable

    def mark_reusable(self, case: str) -> None:
        """There is a stored result for the case from now on."""
        self._reusable.add(case)

    def is_due(self, key: CellKey) -> bool:
        return key.judge in self._due.get(key.case, ())

    def due_cells(self) -> Iterator[CellKey]:
        return (CellKey(case, judge) for case, jobs in self._due.items() for judge in jobs)

    def add(self, key: CellKey, force: bool, not_before: float) -> None:
        """A cell is due; what was asked of it before still holds."""
        jobs = self._due.setdefault(key.case, {})
        old = jobs.get(key.judge)
        jobs[key.judge] = Job(force or (old is not None and old.force), not_before)
        if not_before:
            self._delayed[key] = not_before
        else:
            self._delayed.pop(key, None)

    def remove(self, key: CellKey) -> None:
        """A cell is not due any more."""
        if self._delayed:
            self._delayed.pop(key, None)
        jobs = self._due.get(key.case)
        if jobs is not None:
            jobs.pop(key.judge, None)
            if not jobs:
                del self._due[key.case]
                self._causes.pop(key.case, None)

    def because(self, causes: Mapping[str, Iterable[Collection[str]]]) -> None:
        """Remember for which paths the cells of cases are due."""
        for case, pieces in causes.items():
            if case in self._due:
                self._causes.setdefault(case, []).extend(pieces)

    def causes(self, case: str) -> frozenset[str]:
        """The changed paths for which cells of the case are due, as far as they are known."""
        return frozenset[str]().union(*self._causes.get(case, ()))

    def excuse(self, key: CellKey) -> bool:
        """A cell is not due any more unless it was asked for; whether it was due until now."""
        job = self._due.get(key.case, {}).get(key.judge)
        if job is None or job.force:
            return False
        self.remove(key)
        return True

    def underway(self, key: CellKey) -> Literal["", "checking", "running"]:
        """Whether a worker has the cell, and whether its judge is known to run."""
        for flight in tuple(self.inflight.values()):  # threads may ask as well
            if key in flight.fingerprints and key not in flight.reported:
                return "running" if key in self.at_work else "checking"
        return ""

    def share(self, workers: int) -> int:
        """How many cases a batch holds, so that every worker gets some of what is due."""
        return max(1, min(BATCH_CASES, len(self._due) // (2 * workers)))

    def expect_slow(self, fps: Iterable[str]) -> None:
        """These judges take their time: their cells go last, and one by one, from the start."""
        self._slow.update(fps)

    def give_way(self, fp: str) -> set[int]:
        """A judge is slow or hangs: the batches in which others wait behind it."""
        self._slow.add(fp)
        return {
            flight.id
            for flight in self.inflight.values()
            if not flight.slow
            and len(left := flight.left()) > 1
            and any(flight.fingerprints[key] == fp for key in left)
        }

    def cancel(self, wanted: set[CellKey] | None) -> tuple[list[CellKey], int, set[int]]:
        """(cells that are not due any more, number of cells under way, their batches)."""
        dropped = [key for key in self.due_cells() if wanted is None or key in wanted]
        for key in dropped:
            self.remove(key)
        count, batches = 0, set[int]()
        for flight in self.inflight.values():
            hit = {key for key in flight.left() if wanted is None or key in wanted}
            if hit:
                flight.by_hand |= hit
                batches.add(flight.id)
                count += len(hit)
        return dropped, count, batches

    def next_batch(self, generation: int, most: int) -> dict[str, Any] | None:
        """Take the next due cells of up to `most` cases as a batch for a worker.

        Cells of slow judges come last, one in a batch and not on all workers at once, so that
        they hold up nothing else.
        """
        batch = self._batch(generation, most, slow=False)
        slow = sum(flight.slow for flight in self.inflight.values())
        if batch is None and self._slow and slow < self.slow_lanes:
            batch = self._batch(generation, 1, slow=True)
        return batch

    def _may_start(self, key: CellKey, job: Job, now: float, slow: bool) -> bool:
        if job.not_before > now or (self._session.infos[key].fp in self._slow) != slow:
            return False
        return not self.underway(key)

    def _batch(self, generation: int, most: int, slow: bool) -> dict[str, Any] | None:
        session, now = self._session, self._session.clock()
        flight = InFlight(next(self._ids), session.epoch, slow=slow)
        items: list[dict[str, Any]] = []
        ambients: dict[str, Inputs] = {}
        for case, all_jobs in self._due.items():
            jobs = {
                name: job
                for name, job in all_jobs.items()
                if self._may_start(CellKey(case, name), job, now, slow)
            }
            if slow:
                jobs = dict(itertools.islice(jobs.items(), 1))
            if jobs:
                entries = [
                    self._entry(CellKey(case, name), job, flight, ambients)
                    for name, job in jobs.items()
                ]
                extra = session.dependencies.extra(case)
                items.append({"case": case, "jobs": entries, "extra": extra})
            if len(items) >= most:
                break
        if not items:
            return None
        self.inflight[flight.id] = flight
        for key in flight.fingerprints:
            self.remove(key)
            session.display.show(key)
        return {"id": flight.id, "cases": items, "ambients": ambients}

    def _entry(
        self, key: CellKey, job: Job, flight: InFlight, ambients: dict[str, Inputs]
    ) -> dict[str, Any]:
        """One job of a batch, with the earlier results that may still fit."""
        info, judge = self._session.infos[key], self._session.judge(key.judge)
        flight.fingerprints[key], flight.conditions[key] = info.fp, info.condition
        entry: dict[str, Any] = {"judge": key.judge}
        known: list[dict[str, Any]] = []
        hold = not (judge.auto or job.force or judge.asks_model)
        if judge.asks_model:
            entry["ask"] = True
            if job.force:
                flight.forced.add(key)
        elif hold:
            entry["hold"] = True  # `auto: false`: it is verified, and runs only when asked for
            known = self._known(key, info.fp, ambients)
        elif job.force or not judge.cache:
            entry["force"] = True
        elif key.case in self._reusable:
            known = self._known(key, info.fp, ambients)
        if known:
            entry["known"] = known
        return entry

    def _known(self, key: CellKey, fp: str, ambients: dict[str, Inputs]) -> list[dict[str, Any]]:
        session = self._session
        known: list[dict[str, Any]] = []
        for result in session.store.results(session.run_key, key.case, fp)[:KNOWN_PER_CELL]:
            inputs = session.dependencies.inputs(result.ambient)
            if inputs:
                ambients[result.ambient] = inputs
                known.append({"id": result.id, "inputs": result.inputs, "ambient": result.ambient})
        return known

    def obsolete(self) -> set[int]:
        """Batches under way that hold a cell whose judge has changed meanwhile, or one that takes
        its time and is due again: nobody waits for a result that is old when it comes."""
        infos = self._session.infos
        return {
            flight.id
            for flight in self.inflight.values()
            if any(
                key not in infos
                or infos[key].fp != flight.fingerprints[key]
                or (flight.slow and self.is_due(key))
                for key in flight.left()
            )
        }

    def landed(self, flight: InFlight) -> None:
        """A batch is over."""
        self.inflight.pop(flight.id, None)
        if not self.inflight:
            self._session.dependencies.nothing_under_way()

    def wake_after(self) -> float | None:
        """Seconds until a delayed job may start, or None when none is delayed."""
        now = self._session.clock()
        times = [at for at in self._delayed.values() if at > now]
        return min(times) - now if times else None
