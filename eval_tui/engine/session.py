"""The session: which cells there are, what is known of each, what is due, and why.

A plain object with an injected clock. It consumes targets (what to judge), changed paths and
workers' messages, hands out batches, and answers questions. It knows no event loop, no process
and no screen; `driver` connects it with these.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine import details, observations, select
from eval_tui.engine.arrivals import Arrivals
from eval_tui.engine.cells import CellInfo, InFlight, Job
from eval_tui.engine.folders import files_signature
from eval_tui.engine.grid import (
    EMPTY_CELL,
    Cell,
    CellKey,
    CellState,
    Detail,
    Dirty,
    Row,
    Scope,
    Status,
    Waiting,
)
from eval_tui.engine.plan import JudgeKey, PathIndex, Snapshot, Touched, plan
from eval_tui.engine.store import Inputs, Store, StoredRow
from eval_tui.judges.fingerprint import fingerprint
from eval_tui.judges.outcome import apply_range
from eval_tui.record.spec import RecordSpec
from eval_tui.scores import Reason, Score, Unmeasured

KNOWN_PER_CELL = 6
"""How many earlier results of a cell are offered to the worker for reuse."""

NO_KEY = "no API key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) and the cell is scored"
NOT_CALLED = "model judges are not called: only recorded verdicts are shown"


def _no_scores() -> Mapping[str, Mapping[str, Score]]:
    return {}


@dataclass(frozen=True)
class Target:
    """What is on screen: one eval and one run, as the disk has them."""

    config: EvalConfig | None = None
    run_id: str = ""
    spec: RecordSpec | None = None
    cases: tuple[str, ...] = ()
    """Case folders of the run, sorted."""
    dataset_cases: tuple[str, ...] = ()
    recorded: Mapping[str, Mapping[str, Score]] = field(default_factory=_no_scores)
    """Scores that `summary.yaml` holds: case -> judge -> score."""


@dataclass(frozen=True)
class Policy:
    """What may run without being asked."""

    has_key: bool = False
    """A credential for the model API is there."""
    look_only: bool = False
    """`--view`: nothing runs at all (D45)."""
    judges: frozenset[str] | None = None
    """`--judge`: only these are judged."""
    cases: frozenset[str] | None = None
    """`--case`: only these are judged."""
    force: bool = False
    """Run everything once, whatever is known."""


class Session:
    """The live grid of one eval and one run."""

    def __init__(
        self,
        store: Store,
        policy: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self.policy = policy or Policy()
        self.clock = clock
        self.target = Target()
        self.rows: tuple[Row, ...] = ()
        self.columns: tuple[Judge, ...] = ()
        self.infos: dict[CellKey, CellInfo] = {}
        self.due: dict[str, dict[str, Job]] = {}
        """Case -> judge -> job, in the order of dispatch."""
        self.inflight: dict[int, InFlight] = {}
        self.ambients: dict[str, dict[tuple[str, str, str], None]] = {}
        self.extras: dict[str, frozenset[str]] = {}
        self.snapshot = Snapshot()
        self.index = PathIndex()
        self.epoch = 0
        """Rises with everything that can change what is due: a plan needs fresh workers."""
        self.problems: tuple[Problem, ...] = ()
        self.unusable: dict[str, Problem] = {}
        """Judges that a worker could not load."""
        self.status = Status()
        self.ran = 0
        """Judge calls since the session began."""
        self._judges: dict[str, Judge] = {}
        self._order: dict[str, int] = {}
        """Places of cases and judges in the grid."""
        self._waiting = 0
        self._keys: dict[str, tuple[str, ...]] = {}
        self._notes: tuple[Problem, ...] = ()
        self._observed = True
        self._writers: dict[str, Problem] = {}
        self._written: dict[str, str] = {}
        """Files that judges wrote, with their signature right after."""
        self._cells: dict[CellKey, Cell] = {}
        self._reusable: set[str] = set()
        self._checking: set[CellKey] = set()
        """Stored cells whose case is being compared with the disk."""
        self._recent: dict[str, int] = {}
        """Path -> epoch of its last change, while batches are under way."""
        self._dirty_cells: set[CellKey] = set()
        self._dirty_structure = True
        self._dirty_problems = True
        self._dirty_status = True
        self._batch_ids = itertools.count(1)
        self._arrivals = Arrivals(self)

    # -- what the faces ask ------------------------------------------------------------------

    def cell(self, case: str, judge: str) -> Cell:
        """The cell as shown; an empty one where there is nothing to show."""
        return self._cells.get(CellKey(case, judge), EMPTY_CELL)

    def take_dirty(self) -> Dirty:
        """What changed since the last call."""
        dirty = Dirty(
            frozenset(self._dirty_cells),
            self._dirty_structure,
            self._dirty_problems,
            self._dirty_status,
        )
        self._dirty_cells.clear()
        self._dirty_structure = self._dirty_problems = self._dirty_status = False
        return dirty

    def detail(self, case: str, judge: str) -> Detail:
        """Everything about one cell."""
        return details.detail(self, CellKey(case, judge))

    def full_score(self, key: CellKey) -> Score | None:
        """The score in view with its whole rationale."""
        return details.full_score(self, key)

    def select(self, scope: Scope, case: str = "", judge: str = "") -> tuple[CellKey, ...]:
        """The cells that a command concerns, in the order of the grid."""
        return select.select(self, scope, case, judge)

    @property
    def run_key(self) -> str:
        """What the store files this run's results under."""
        return self.target.spec.run_dir if self.target.spec else ""

    @property
    def idle(self) -> bool:
        """Nothing is due, under way or being compared."""
        return not (self.due or self.inflight or self._checking)

    # -- what to judge -----------------------------------------------------------------------

    def update(self, target: Target, trigger: str) -> None:
        """Take over what the disk holds now and find out what is due."""
        before, old_target = self.snapshot, self.target
        fresh_run = _identity(old_target) != _identity(target)
        self.target = target
        self.snapshot = _snapshot(target)
        self._judges = (
            {judge.name: judge for judge in target.config.judges} if target.config else {}
        )
        self.columns = tuple(self._judges.values())
        if fresh_run:
            self._forget()
            before = Snapshot(
                self.snapshot.run_dir, self.snapshot.dataset_dir, self.snapshot.record
            )
        self._lay_rows()
        self._adopt(before)
        due = plan(before, self.snapshot, Touched())
        self._observed = False
        if fresh_run:
            stored = self._restore()
            due -= stored
            self._checking = set(stored)
        self._drop_gone()
        if old_target.recorded is not target.recorded:
            due |= self._take_recorded()
        if target.config is None or _problem_view(old_target) != _problem_view(target):
            self.unusable = {n: p for n, p in self.unusable.items() if n in self._judges}
        self._refresh_problems()
        if due:
            # Looking at what a recorded verdict rests on runs nothing: it is no news.
            self._begin(trigger, sum(not self._judges[key.judge].asks_model for key in due))
            self.enqueue(due)
        for key in list(self.infos):
            self.show(key)
        self._dirty_structure = self._dirty_status = True

    def restorable(self) -> tuple[list[tuple[str, list[str]]], dict[str, Inputs]]:
        """What must be compared with the disk before stored cells are trusted.

        Cases with the extra files of their records, and ambients with their inputs.
        """
        cases = sorted({key.case for key in self._checking})
        ids = {self.infos[key].ambient for key in self._checking} - {""}
        return (
            [(case, sorted(self.extras.get(case, ()))) for case in cases],
            {ambient: self._ambient_inputs(ambient) for ambient in ids},
        )

    def compared(self, signatures: Mapping[str, str], holds: Iterable[str]) -> None:
        """The answer to `restorable`: cells that still hold are fresh, the others are due."""
        good = set(holds) | {""}
        due: set[CellKey] = set()
        for key in self._checking:
            info = self.infos.get(key)
            if info is None:
                continue
            signature = signatures.get(key.case, "")
            trusted = bool(signature) and signature == info.sig and info.ambient in good
            if not trusted or self.policy.force or not self._judges[key.judge].cache:
                due.add(key)
        settled, self._checking = self._checking, set()
        if due:
            self.enqueue(due)
        for key in settled:
            self.show(key)
        self._dirty_status = True

    def changed(self, paths: Iterable[str], trigger: str) -> int:
        """Files changed; returns how many cells are looked at because of them."""
        paths = frozenset(path for path in paths if not self._own_write(path))
        if not paths:
            return 0
        self.epoch += 1
        if self.inflight:
            self._recent.update(dict.fromkeys(paths, self.epoch))
        cases = self.index.cases_of(paths, self.snapshot)
        ambients = self.index.ambients_of(paths)
        source = any(path.endswith(".py") for path in paths)
        cells: set[CellKey] = set()
        again: set[CellKey] = set()
        for key, info in self.infos.items():
            if info.ambient in ambients:
                cells.add(key)
            if info.lost and (source or key.case in cases):
                again.add(key)
        due = plan(self.snapshot, self.snapshot, Touched(cases, frozenset(cells | again)))
        if not due:
            return 0
        self._begin(trigger, len(due))
        self.enqueue(due, forced=again)
        return len(due)

    # -- what the person asks ----------------------------------------------------------------

    def rerun(self, cells: Iterable[CellKey], force: bool = False) -> int:
        """Judge these cells again; returns how many will be.

        Python judges cost nothing and really run. Model judges reuse what is known of the
        same request unless forced.
        """
        wanted = {
            key
            for key in cells
            if key in self.infos and self._runs(key) and key.case in self.snapshot.cases
        }
        if not wanted:
            return 0
        self._begin("rerun", len(wanted))
        self.epoch += 1
        python = {key for key in wanted if not self._judges[key.judge].asks_model}
        self.enqueue(wanted, forced=wanted if force else python, by_hand=True)
        return len(wanted)

    def cancel(self, cells: Iterable[CellKey] | None) -> tuple[int, set[int]]:
        """Cancel what waits its turn or runs: (number of cells, batches to stop)."""
        wanted = None if cells is None else set(cells)
        count = 0
        for case in list(self.due):
            for judge in list(self.due[case]):
                key = CellKey(case, judge)
                if wanted is None or key in wanted:
                    self._take_due(key)
                    self.show(key, waiting="cancelled")
                    count += 1
        stop: set[int] = set()
        for batch in self.inflight.values():
            hit = {
                key
                for key in batch.fingerprints
                if key not in batch.reported and (wanted is None or key in wanted)
            }
            if hit:
                batch.by_hand |= hit
                stop.add(batch.id)
                count += len(hit)
        self._dirty_status = True
        return count, stop

    def pause(self, on: bool) -> None:
        """Stop or go on starting work; what runs is finished."""
        self.status = replace(self.status, paused=on)
        for case, jobs in self.due.items():
            for judge in jobs:
                self.show(CellKey(case, judge))
        self._dirty_status = True

    # -- work ---------------------------------------------------------------------------------

    def next_batch(self, generation: int, most: int) -> dict[str, Any] | None:
        """The next batch of due cells of up to `most` cases, or None when nothing may start."""
        if self.status.paused or self.policy.look_only or not self.due:
            return None
        now = self.clock()
        items: list[dict[str, Any]] = []
        ambients: dict[str, Inputs] = {}
        flight = InFlight(next(self._batch_ids), generation, self.epoch, {}, {})
        for case in list(self.due):
            jobs = {j: job for j, job in self.due[case].items() if job.not_before <= now}
            if not jobs:
                continue
            entries = [
                self._entry(CellKey(case, j), job, flight, ambients) for j, job in jobs.items()
            ]
            items.append(
                {"case": case, "jobs": entries, "extra": sorted(self.extras.get(case, ()))}
            )
            if len(items) >= most:
                break
        if not items:
            return None
        self.inflight[flight.id] = flight
        for key in flight.fingerprints:
            self._take_due(key)
            self.show(key)
        self._dirty_status = True
        return {"id": flight.id, "cases": items, "ambients": ambients}

    def _entry(
        self, key: CellKey, job: Job, flight: InFlight, ambients: dict[str, Inputs]
    ) -> dict[str, Any]:
        info, judge = self.infos[key], self._judges[key.judge]
        flight.fingerprints[key], flight.conditions[key] = info.fp, info.condition
        entry: dict[str, Any] = {"judge": key.judge}
        if judge.asks_model:
            entry["peek"] = True
        if job.force or not judge.cache:
            entry["force"] = True
        elif key.case in self._reusable and not judge.asks_model:
            known: list[dict[str, Any]] = []
            for result in self.store.results(self.run_key, key.case, info.fp)[:KNOWN_PER_CELL]:
                inputs = self._ambient_inputs(result.ambient)
                if inputs:
                    ambients[result.ambient] = inputs
                    known.append(
                        {"id": result.id, "inputs": result.inputs, "ambient": result.ambient}
                    )
            entry["known"] = known
        if "known" not in entry or not entry["known"]:
            flight.running.add(key)
        return entry

    def received(self, message: Mapping[str, Any]) -> None:
        """Take in one message of a worker or of the pool."""
        self._arrivals.receive(message)

    def obsolete(self) -> set[int]:
        """Batches under way that hold a cell whose judge has changed meanwhile."""
        return {
            flight.id
            for flight in self.inflight.values()
            if any(
                key not in flight.reported and (key not in self.infos or self.infos[key].fp != fp)
                for key, fp in flight.fingerprints.items()
            )
        }

    def wake_after(self) -> float | None:
        """Seconds until a delayed job may start, or None when there is none."""
        times = [job.not_before for jobs in self.due.values() for job in jobs.values()]
        return max(0.0, min(times) - self.clock()) if times else None

    # -- shared with Arrivals, details and select ----------------------------------------------

    def enqueue(
        self,
        cells: Iterable[CellKey],
        forced: Iterable[CellKey] = (),
        *,
        by_hand: bool = False,
        not_before: float = 0.0,
    ) -> None:
        """Mark cells as due, in the order of the grid."""
        force = set(forced)
        wanted = set(cells)
        if not wanted:
            return
        order = self._order
        for key in sorted(wanted, key=lambda k: (order.get(k.case, 0), order.get(k.judge, 0))):
            info = self.infos.get(key)
            if info is None or not self._runs(key):
                continue
            if not by_hand and not self._judges[key.judge].auto and not info.known:
                self.show(key, waiting="off")
                continue
            jobs = self.due.setdefault(key.case, {})
            old = jobs.get(key.judge)
            forces = key in force or (self.policy.force and not info.ran)
            jobs[key.judge] = Job(forces or (old is not None and old.force), not_before)
            info.trigger = self.status.trigger
            self.show(key)
        self._dirty_status = True

    def show(self, key: CellKey, waiting: Waiting | None = None) -> None:
        """Work out how a cell looks now and mark it dirty if that is new."""
        info = self.infos.get(key)
        cell = EMPTY_CELL if info is None else self._look(key, info, waiting)
        old = self._cells.get(key)
        if old != cell:
            self._waiting += bool(cell.waiting) - bool(old is not None and old.waiting)
            self._cells[key] = cell
            self._dirty_cells.add(key)
            self._dirty_status = True

    def judge(self, name: str) -> Judge:
        """The judge of a column. KeyError when there is none."""
        return self._judges[name]

    def recorded(self, key: CellKey) -> Score | None:
        """What `summary.yaml` holds for the cell."""
        return self.target.recorded.get(key.case, {}).get(key.judge)

    def note_ambient(self, ambient: str, inputs: Iterable[Iterable[str]]) -> bool:
        """Learn more of what a judge rests on; True when two versions of one thing were seen."""
        known = self.ambients.setdefault(ambient, {})
        versions = {(kind, key): version for kind, key, version in known}
        torn = False
        for kind, key, version in inputs:
            torn = torn or versions.get((kind, key), version) != version
            known[(kind, key, version)] = None
        self.index.add_ambient(ambient, inputs)
        self.store.put_ambient(ambient, [list(entry) for entry in known])
        return torn

    def changed_since(self, epoch: int, ambient: str, case: str) -> bool:
        """Whether something that a result rests on changed after its batch had left."""
        late = {path for path, at in self._recent.items() if at > epoch}
        if not late:
            return False
        return case in self.index.cases_of(
            late, self.snapshot
        ) or ambient in self.index.ambients_of(late)

    def note_extra(self, case: str, paths: Iterable[str]) -> None:
        """Learn which files outside of its folders a case's record rests on."""
        self.extras[case] = frozenset(paths)
        self.index.add_extra(case, paths)

    def note_keys(self, case: str, keys: Iterable[str]) -> None:
        """Learn which keys a case's record has."""
        self._keys[case] = tuple(keys)
        self._observed = False

    def observe(self) -> None:
        """Once everything is known: which judges ask for keys that no case has (D24)."""
        if self._observed or not self.idle:
            return
        self._observed = True
        notes = observations.absent_keys(self.infos, self._keys, self._judges, self.target.config)
        if notes != self._notes:
            self._notes = notes
            self._refresh_problems()

    def save_row(self, case: str) -> None:
        """Keep a case's cells as they are now."""
        cells = [
            stored
            for name in self._judges
            if (info := self.infos.get(CellKey(case, name))) and (stored := info.stored())
        ]
        extra, keys = sorted(self.extras.get(case, ())), list(self._keys.get(case, ()))
        self.store.put_row(self.run_key, case, StoredRow(cells, extra, keys, self.snapshot.record))

    def count(self, *, ran: int = 0, reused: int = 0) -> None:
        """Add to what the status line says of the last trigger."""
        self.ran += ran
        status = self.status
        self.status = replace(status, ran=status.ran + ran, reused=status.reused + reused)
        self._dirty_status = True

    def landed(self, flight: InFlight) -> None:
        """A batch is over."""
        self.inflight.pop(flight.id, None)
        if not self.inflight:
            self._recent.clear()
        self._dirty_status = True

    def set_unusable(self, name: str, problem: Problem | None) -> None:
        """A worker could (not) load a judge."""
        if problem is None:
            changed = self.unusable.pop(name, None) is not None
        else:
            changed = self.unusable.get(name) != problem
            self.unusable[name] = problem
        if changed:
            self._refresh_problems()

    def note_written(self, judge: str, files: Iterable[tuple[str, str]]) -> None:
        """A judge wrote files; told once for each judge that writes into the run."""
        for path, signature in files:
            self._written[path] = signature
            if path.startswith(self.run_key + os.sep) and judge not in self._writers:
                config = self.target.config
                self._writers[judge] = Problem(
                    "warning",
                    "judge-writes",
                    f"this judge writes into the run it judges: {relative(path, self.run_key)}",
                    config.path if config else "",
                    self._judges[judge].line if judge in self._judges else 0,
                    judge=judge,
                    hint="what it writes starts no new scoring; write to a temporary folder instead",
                )
                self._refresh_problems()

    def mark_reusable(self, case: str) -> None:
        """There is a stored result for the case from now on."""
        self._reusable.add(case)

    def line(self) -> Status:
        """The status with its counts as of now."""
        queued = sum(len(jobs) for jobs in self.due.values())
        running = sum(len(f.fingerprints) - len(f.reported) for f in self.inflight.values())
        config = self.target.config
        return replace(
            self.status,
            eval_name=config.name if config else "",
            run_id=self.target.run_id,
            queued=queued,
            running=running,
            waiting=self._waiting,
        )

    def touch_problems(self) -> None:
        """Problems that the session does not hold changed."""
        self._dirty_problems = self._dirty_status = True

    def touch_structure(self) -> None:
        """Runs came or went."""
        self._dirty_structure = self._dirty_status = True

    def set_status(self, **values: Any) -> None:
        """Replace parts of the status (see `Status`)."""
        status = replace(self.status, **values)
        if status != self.status:
            self.status = status
            self._dirty_status = True

    # -- inside -------------------------------------------------------------------------------

    def _own_write(self, path: str) -> bool:
        """Whether a file still is as a judge left it: no reason to judge anything again (S14)."""
        return path in self._written and files_signature([path])[0] == self._written[path]

    def _begin(self, trigger: str, touched: int) -> None:
        self.epoch += 1
        self.status = replace(self.status, trigger=trigger, touched=touched, ran=0, reused=0)
        self._dirty_status = True

    def _forget(self) -> None:
        self.infos.clear()
        self._cells.clear()
        self.due.clear()
        self.extras.clear()
        self._checking.clear()
        self.unusable.clear()
        self._writers.clear()
        self._keys.clear()
        self._notes = ()
        self.index = PathIndex()
        self._reusable = self.store.cases_with_results(self.run_key)

    def _lay_rows(self) -> None:
        target = self.target
        ran, dataset = set(target.cases), set(target.dataset_cases)
        rows: list[Row] = []
        for case in sorted(ran | dataset | set(target.recorded)):
            if case in ran:
                notes = () if case in dataset or not dataset else ("not in the dataset",)
                rows.append(Row(case, "ran", case in dataset, notes))
            elif case in target.recorded:
                note = ("its folder is gone: only what was recorded is shown",)
                rows.append(Row(case, "recorded_only", case in dataset, note))
            else:
                rows.append(Row(case, "not_run", True))
        self.rows = tuple(rows)
        self._order = {judge.name: i for i, judge in enumerate(self.columns)}
        self._order.update({row.case: i for i, row in enumerate(self.rows)})

    def _adopt(self, before: Snapshot) -> None:
        """Give every cell its memory: kept by name, or by fingerprint for a renamed judge."""
        by_fp = {key.fingerprint: name for name, key in before.judges.items()}
        for name, judge_key in self.snapshot.judges.items():
            old_name = name if name in before.judges else by_fp.get(judge_key.fingerprint)
            for case in self.snapshot.cases | set(self.target.recorded):
                key = CellKey(case, name)
                old = self.infos.get(key)
                if old is None and old_name is not None:
                    old = self.infos.get(CellKey(case, old_name))
                    old = replace(old) if old is not None else None
                if old is None:
                    old = CellInfo(judge_key.fingerprint, judge_key.condition)
                if old.fp != judge_key.fingerprint:
                    old.lost = False
                old.fp, old.condition = judge_key.fingerprint, judge_key.condition
                self.infos[key] = old

    def _restore(self) -> set[CellKey]:
        """Paint what an earlier session knew; returns the cells to compare with the disk."""
        found: set[CellKey] = set()
        names: dict[tuple[str, str], list[str]] = {}
        for name, judge_key in self.snapshot.judges.items():
            names.setdefault((judge_key.fingerprint, judge_key.condition), []).append(name)
        for case, row in self.store.rows(self.run_key).items():
            if case not in self.snapshot.cases:
                continue
            self.note_extra(case, row.extra)
            self.note_keys(case, row.keys)
            for stored in row.cells:
                for name in names.get((stored.fp, stored.condition), ()):
                    key = CellKey(case, name)
                    if self._runs(key):
                        self.infos[key].restore(stored)
                        if row.record != self.snapshot.record:
                            self.infos[key].sig = ""
                        found.add(key)
        self._load_ambients({self.infos[key].ambient for key in found})
        return found

    def _load_ambients(self, ids: Iterable[str]) -> None:
        for ambient, inputs in self.store.ambients(ids).items():
            self.ambients[ambient] = {(i[0], i[1], i[2]): None for i in inputs}
            self.index.add_ambient(ambient, inputs)

    def _take_recorded(self) -> set[CellKey]:
        """Recorded values that were rewritten: model cells have something new to show."""
        changed: set[CellKey] = set()
        for key, info in self.infos.items():
            if self._judges[key.judge].asks_model and self.recorded(key) is not None:
                info.known = False
                changed.add(key)
        return {key for key in changed if key.case in self.snapshot.cases}

    def _drop_gone(self) -> None:
        """Cells of judges and cases that are no more leave the grid (S30)."""
        cases = self.snapshot.cases | set(self.target.recorded)
        gone = [k for k in self.infos if k.judge not in self._judges or k.case not in cases]
        for key in gone:
            del self.infos[key]
            self._take_due(key)
            self._checking.discard(key)
        for key in [k for k in self._cells if k not in self.infos]:
            del self._cells[key]
        self._waiting = sum(1 for cell in self._cells.values() if cell.waiting)

    def _take_due(self, key: CellKey) -> Job | None:
        jobs = self.due.get(key.case)
        job = jobs.pop(key.judge, None) if jobs else None
        if jobs is not None and not jobs:
            del self.due[key.case]
        return job

    def _runs(self, key: CellKey) -> bool:
        """Whether a worker has anything to do for the cell."""
        judge, policy = self._judges.get(key.judge), self.policy
        if judge is None or judge.problem is not None or policy.look_only:
            return False
        if policy.judges is not None and key.judge not in policy.judges:
            return False
        if policy.cases is not None and key.case not in policy.cases:
            return False
        if judge.asks_model:
            return self.recorded(key) is not None and key.case in self.snapshot.cases
        return key.case in self.snapshot.cases

    def _look(self, key: CellKey, info: CellInfo, waiting: Waiting | None) -> Cell:
        judge = self._judges[key.judge]
        recorded = self.recorded(key)
        if judge.problem is not None and recorded is None:
            words = f"{judge.problem.message}. {judge.problem.hint}".strip(" .")
            recover = frozenset({"config", "code"})
            return Cell(CellState.FRESH, Unmeasured(Reason.UNSUPPORTED, words, recover_on=recover))
        score = info.score if info.known else None
        from_summary = score is None and recorded is not None
        shown = recorded if from_summary else apply_range(score, judge) if score else None
        if not self._runs(key):
            return self._unrun(key, judge, shown, from_summary)
        if key.judge in self.due.get(key.case, ()):
            if self.status.paused:
                return Cell(CellState.WAITING, shown, from_summary, "paused")
            state = CellState.CHECKING if info.known or judge.asks_model else CellState.QUEUED
            return Cell(state, shown, from_summary)
        if key in self._checking:
            return Cell(CellState.CHECKING, shown, from_summary)
        for flight in self.inflight.values():
            if key in flight.fingerprints and key not in flight.reported:
                runs = key in flight.running and not judge.asks_model
                return Cell(CellState.RUNNING if runs else CellState.CHECKING, shown, from_summary)
        if judge.asks_model:
            old = Cell(CellState.WAITING, shown, True, "off")
            return old if info.lost else Cell(CellState.FRESH, shown, True)
        if waiting is None and not info.known:
            waiting = "off" if not judge.auto else "cancelled"
        if waiting is not None:
            return Cell(CellState.WAITING, shown, from_summary, waiting)
        return Cell(CellState.FRESH, shown)

    def _unrun(self, key: CellKey, judge: Judge, shown: Score | None, recorded: bool) -> Cell:
        """A cell that no worker is asked about."""
        if shown is not None:
            return Cell(CellState.FRESH, shown, recorded)
        if key.case not in self.snapshot.cases:
            return EMPTY_CELL
        if judge.asks_model and not self.policy.has_key and not self.policy.look_only:
            secret = Unmeasured(Reason.MISSING_SECRET, NO_KEY, recover_on=frozenset({"secret"}))
            return Cell(CellState.FRESH, secret)
        return Cell(CellState.WAITING, None, waiting="off")

    def _ambient_inputs(self, ambient: str) -> Inputs:
        if ambient not in self.ambients:
            self._load_ambients([ambient])
        return [list(entry) for entry in self.ambients.get(ambient, ())]

    def _refresh_problems(self) -> None:
        config = self.target.config
        problems = (
            *(config.problems if config else ()),
            *self.unusable.values(),
            *self._writers.values(),
        )
        if problems != self.problems:
            self.problems = problems
            self._dirty_problems = True


def _identity(target: Target) -> tuple[str, str, str]:
    config, spec = target.config, target.spec
    return (
        config.path if config else "",
        spec.run_dir if spec else "",
        spec.dataset_dir if spec else "",
    )


def _problem_view(target: Target) -> object:
    return target.config.digest if target.config else None


def _snapshot(target: Target) -> Snapshot:
    config, spec = target.config, target.spec
    if config is None:
        return Snapshot()
    judges = {
        judge.name: JudgeKey(fingerprint(judge), condition_digest(judge)) for judge in config.judges
    }
    if spec is None:
        return Snapshot(judges=judges)
    record = json.dumps(spec.to_plain(), sort_keys=True)
    return Snapshot(
        spec.run_dir, spec.dataset_dir, _digest(record), judges, frozenset(target.cases)
    )


def condition_digest(judge: Judge) -> str:
    """What the store knows a judge's `if:` by."""
    return "" if judge.condition is None else _digest(repr(judge.condition))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def relative(path: str, root: str) -> str:
    """A path as the status line shows it."""
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path
