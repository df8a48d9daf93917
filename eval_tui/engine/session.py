"""The session: which cells there are, what is known of each, what is due, and why.

A plain object with an injected clock. It consumes targets (what to judge), changed paths and
workers' messages, hands out batches, and answers questions. It knows no event loop, no process
and no screen; `driver` connects it with these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine import details, recall, select
from eval_tui.engine.ambients import Dependencies
from eval_tui.engine.arrivals import Arrivals
from eval_tui.engine.asking import Asking
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.findings import Findings
from eval_tui.engine.grid import (
    EMPTY_CELL,
    Cell,
    CellKey,
    Detail,
    Dirty,
    Row,
    Scope,
    Status,
    Waiting,
)
from eval_tui.engine.looks import Doing, look
from eval_tui.engine.plan import Snapshot, Touched, plan
from eval_tui.engine.queue import Queue
from eval_tui.engine.store import Inputs, Store
from eval_tui.engine.target import Policy, Target, rows_of, snapshot_of
from eval_tui.engine.writers import Written
from eval_tui.scores import Score

AT_ONCE = 1_500
"""Cells that are worked out between two frames: no key press waits for more."""


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
        self._applied: Policy | None = None
        """The policy that the cells in view were worked out under."""
        self.clock = clock
        self.target: Target = Target()
        self.rows: tuple[Row, ...] = ()
        self.columns: tuple[Judge, ...] = ()
        self.infos: dict[CellKey, CellInfo] = {}
        self.snapshot = Snapshot()
        self.dependencies = Dependencies(store)
        self.findings = Findings()
        self.queue = Queue(self)
        self.asking = Asking(self)
        self.epoch = 0
        """Rises with everything that can change what is due: a plan needs fresh workers."""
        self.problems: tuple[Problem, ...] = ()
        self.status = Status()
        self.ran = 0
        """Judge calls since the session began."""
        self._ran = self._reused = 0
        """Since the last trigger."""
        self._judges: dict[str, Judge] = {}
        self._cells: dict[CellKey, Cell] = {}
        self._outdated: dict[CellKey, None] = {}
        """Cells whose look must be worked out again; those that changed last come last."""
        self._waiting = 0
        self._checking: set[CellKey] = set()
        """Stored cells whose case is being compared with the disk."""
        self._observed = True
        self._dirty_cells: set[CellKey] = set()
        self._dirty_structure = self._dirty_problems = self._dirty_status = True
        self._arrivals = Arrivals(self)

    # What the faces ask

    def cell(self, case: str, judge: str) -> Cell:
        """The cell as shown; an empty one where there is nothing to show."""
        key = CellKey(case, judge)
        if key in self._outdated:
            return self._looks(key)  # changes nothing: threads may ask as well
        return self._cells.get(key, EMPTY_CELL)

    def take_dirty(self) -> Dirty:
        """What changed since the last call."""
        self.catch_up(AT_ONCE)
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
    def config(self) -> EvalConfig:
        """The config in force. Only while there is one."""
        assert self.target.config is not None
        return self.target.config

    @property
    def idle(self) -> bool:
        """Nothing is due, under way or being compared."""
        return self.queue.empty and not (self._checking or self.asking.busy)

    @property
    def line(self) -> Status:
        """The status with its counts as of now."""
        config = self.target.config
        self.catch_up(AT_ONCE)
        return replace(
            self.status,
            eval_name=config.name if config else "",
            run_id=self.target.run_id,
            ran=self._ran,
            reused=self._reused,
            queued=self.queue.queued,
            running=self.queue.running,
            waiting=self._waiting,
        )

    # What to judge

    def update(self, target: Target, trigger: str) -> None:
        """Take over what the disk holds now and find out what is due."""
        before, old = self.snapshot, self.target
        if target == old and self.policy is self._applied:
            return
        self._applied = self.policy
        another = old.identity != target.identity
        self.target, self.snapshot = target, snapshot_of(target)
        self._judges = {j.name: j for j in target.config.judges} if target.config else {}
        self.columns, self.rows = tuple(self._judges.values()), rows_of(target)
        self.queue.order(self.rows, self.columns)
        if another:
            self._forget()
            before = replace(self.snapshot, judges={}, cases=frozenset())
        recall.adopt(self, before)
        due = set(plan(before, self.snapshot, Touched()))
        if another:
            self._checking = recall.restore(self)
            due -= self._checking
        else:
            self._drop_gone()
        if old.recorded is not target.recorded:
            due |= recall.take_recorded(self)
        self.findings.keep_only(self._judges)
        self._observed = False
        self.refresh_problems()
        if due:
            # Looking at what a recorded verdict rests on runs nothing: it is no news.
            self.begin(trigger, sum(not self._judges[key.judge].asks_model for key in due))
            self.enqueue(due)
        elif another:
            self.begin(trigger, 0)
        self._outdated.update(dict.fromkeys(self.infos))
        self._dirty_structure = self._dirty_status = True

    def restorable(self) -> tuple[list[tuple[str, list[str]]], dict[str, Inputs]]:
        """What must be compared with the disk before stored cells are trusted.

        Cases with the extra files of their records, and ambients with their inputs.
        """
        cases = sorted(set(map(itemgetter(0), self._checking)))
        ids = {self.infos[key].ambient for key in self._checking} - {""}
        return (
            [(case, self.dependencies.extra(case)) for case in cases],
            # One that is not known proves nothing, so its cells are verified.
            {ambient: known for ambient in ids if (known := self.dependencies.inputs(ambient))},
        )

    def compared(self, signatures: Mapping[str, str], holds: Iterable[str]) -> None:
        """The answer to `restorable`: cells that still hold are fresh, the others are due."""
        good = {*holds, ""}
        due: set[CellKey] = set()
        never = {j.name for j in self.columns if self.policy.force or not j.cache}
        infos = self.infos
        for key in self._checking:
            info = infos[key]
            case, judge = key
            trusted = info.sig and signatures.get(case) == info.sig and info.ambient in good
            if not trusted or judge in never:
                due.add(key)
        settled, self._checking = self._checking, set()
        self.count(reused=len(settled - due))
        self.enqueue(due)
        self._outdated.update(dict.fromkeys(settled))
        self._dirty_status = True

    def changed(self, paths: Iterable[str], trigger: str) -> int:
        """Files changed; returns how many cells are looked at because of them."""
        writers = self.findings.writers
        paths = frozenset(paths)
        outside, own = writers.not_own(paths), writers.own(paths)
        following = {
            key
            for path, file in own.items()
            for key in self._resting_on([path])
            if self._follows(key, file)
        }
        if own:
            self.refresh_problems()
        if not (outside or own):
            return 0
        self.epoch += 1
        if self.queue.inflight:
            self.dependencies.note_changes({*outside, *own}, self.epoch)
        index = self.dependencies.index
        cases = index.cases_of(outside, self.snapshot)
        source = any(path.endswith(".py") for path in outside)
        again = self._lost(None if source else cases) if outside else set[CellKey]()
        reached = self._resting_on(outside) | again
        writers.start_over(reached)
        due = plan(self.snapshot, self.snapshot, Touched(cells=frozenset(reached | following)))
        if due:
            self.begin(trigger, len(due))
            self.enqueue(due, forced=again)
            self.queue.because({case: index.within(outside, case, self.snapshot) for case in cases})
        return len(due)

    def _resting_on(self, paths: Iterable[str]) -> set[CellKey]:
        """Cells that may rest on one of the files or folders."""
        index = self.dependencies.index
        cases, ambients = index.cases_of(paths, self.snapshot), index.ambients_of(paths)
        cells = plan(self.snapshot, self.snapshot, Touched(cases))
        if not ambients:
            return set(cells)
        return {*cells, *(key for key, info in self.infos.items() if info.ambient in ambients)}

    def _follows(self, key: CellKey, file: Written) -> bool:
        """Whether a cell is looked at because of what a judge wrote; not while that is a circle."""
        follows = self.findings.writers.follow(key, file, self._judges[key.judge], self.config)
        if not follows and key.judge != file.judge:
            self.set_aside(key, "cancelled")
        return follows

    def _lost(self, cases: frozenset[str] | None) -> set[CellKey]:
        """Cells (of these cases) whose inputs are not known and that may be tried again."""
        judges = [j.name for j in self.columns if j.auto and not j.asks_model]
        looked_at = self.snapshot.cases if cases is None else cases
        keys = (CellKey(case, name) for case in looked_at for name in judges)
        return {key for key in keys if (info := self.infos.get(key)) and info.lost}

    # What the person asks

    def rerun(self, cells: Iterable[CellKey], force: bool = False) -> int:
        """Judge these cells again; returns how many will be.

        Python judges cost nothing and really run. Model judges reuse what is known of the
        same request unless forced.
        """
        wanted = {k for k in cells if k in self.infos and self.judged(k)}
        if wanted:
            self.begin("rerun", len(wanted))
            self.findings.writers.start_over(wanted)
            python = {key for key in wanted if not self._judges[key.judge].asks_model}
            self.asking.confirmed |= wanted - python
            self.enqueue(wanted, forced=wanted if force else python, by_hand=True)
        return len(wanted)

    def cancel(self, cells: Iterable[CellKey] | None) -> tuple[int, set[int]]:
        """Cancel what waits its turn or runs: (number of cells, batches to stop)."""
        dropped, hit, batches = self.queue.cancel(None if cells is None else set(cells))
        for key in dropped:
            self.set_aside(key, "cancelled")
        asked = self.asking.cancel(None if cells is None else set(cells))
        self._dirty_status = True
        return len(dropped) + hit + asked, batches

    def pause(self, on: bool) -> None:
        """Stop or go on starting work; what runs is finished."""
        self.set_status(paused=on)
        for key in self.queue.due_cells():
            self.show(key)

    # Work

    def next_batch(self, generation: int, most: int) -> dict[str, Any] | None:
        """The next batch of due cells of up to `most` cases, or None when nothing may start."""
        if self.status.paused or self.policy.look_only:
            return None
        batch = self.queue.next_batch(generation, most)
        self._dirty_status = self._dirty_status or batch is not None
        return batch

    def received(self, message: Mapping[str, Any]) -> None:
        """Take in one message of a worker or of the pool."""
        self._arrivals.receive(message)

    def at_work(self, cells: Iterable[CellKey]) -> None:
        """These judges are running for long enough to say so; no others are."""
        before, now = self.queue.at_work, frozenset(cells)
        self.queue.at_work = now
        for key in before ^ now:
            self.show(key)

    def observe(self) -> None:
        """Once everything is known: which judges ask for keys that no case has (D24)."""
        if self._observed or not self.idle or self.target.config is None:
            return
        self._observed = True
        self.findings.look_for_absent_keys(self.infos, self._judges, self.config)
        self.refresh_problems()

    # Shared with the other modules of the session

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
        for key in self.queue.sorted(cells):
            info = self.infos.get(key)
            if info is None:
                continue
            if not self.judged(key):
                self.show(key)
                continue
            if not by_hand and not self._judges[key.judge].auto and not info.known:
                self.set_aside(key, "off")
                continue
            forces = key in force or (self.policy.force and not info.ran)
            self.queue.add(key, forces, not_before)
            # Until it is judged nothing proves that it holds, in this session or the next.
            info.behind, info.sig = None, ""
            info.trigger = self.status.trigger
            self.show(key)
        self._dirty_status = True

    def set_aside(self, key: CellKey, why: Waiting) -> None:
        """Nothing is done about a cell that may not hold: that is shown until it is judged."""
        info = self.infos.get(key)
        if info is not None:
            info.behind = why
        self.show(key)

    def show(self, key: CellKey) -> None:
        """A cell may look different now.

        How it looks is worked out when somebody asks: most states of a cell on its way through
        the workers pass between two frames.
        """
        self._outdated.pop(key, None)
        self._outdated[key] = None

    def catch_up(self, most: int | None = None) -> None:
        """Work out how (up to `most`) cells look, beginning with those that changed last."""
        outdated = self._outdated
        for _ in range(len(outdated) if most is None else min(most, len(outdated))):
            self._look(outdated.popitem()[0])

    def _looks(self, key: CellKey) -> Cell:
        info, judge = self.infos.get(key), self._judges.get(key.judge)
        if info is None or judge is None:
            return EMPTY_CELL
        return look(judge, info, self.recorded(key), self._doing(key, judge))

    def _look(self, key: CellKey) -> None:
        """Work out how a cell looks now and mark it dirty if that is new."""
        cell = self._looks(key)
        old = self._cells.get(key)
        if old != cell:
            self._waiting += _waits(cell) - _waits(old)
            self._cells[key] = cell
            self._dirty_cells.add(key)
            self._dirty_status = True

    def judge(self, name: str) -> Judge:
        """The judge of a column. KeyError when there is none."""
        return self._judges[name]

    def judged(self, key: CellKey) -> bool:
        """Whether a worker has anything to do for the cell."""
        judge = self._judges.get(key.judge)
        if judge is None or judge.problem is not None or self.policy.look_only:
            return False
        if key.case not in self.snapshot.cases or not self.policy.selects(*key):
            return False
        return judge.kind != "agent" or self.recorded(key) is not None

    def recorded(self, key: CellKey) -> Score | None:
        """What `summary.yaml` holds for the cell."""
        return self.target.recorded.get(key.case, {}).get(key.judge)

    def late(self, epoch: int, ambient: str, key: CellKey) -> bool:
        """Whether a result of a batch of that epoch may rest on what has changed since."""
        paths = self.dependencies.changed_since(epoch)
        if not paths:
            return False
        writers = self.findings.writers

        def rests_on(some: Iterable[str]) -> bool:
            return self.dependencies.rests_on(some, ambient, key.case, self.snapshot)

        if rests_on(writers.not_own(paths)):
            return True
        own = writers.own(paths).items()
        return any(rests_on([path]) and self._follows(key, file) for path, file in own)

    def wrote(self, key: CellKey, files: Sequence[tuple[str, str]]) -> None:
        """A judge wrote files; what is due only because of them is not due any more (S14).

        That holds for the writer. Others that rest on the files are looked at.
        """
        if key.judge not in self._judges:
            return
        writers = self.findings.writers
        writers.wrote(self._judges[key.judge], key.case, self.config, self.run_key, dict(files))
        if not files:
            return
        for path, file in writers.own(path for path, _ in files).items():
            for due in filter(self.queue.is_due, self._resting_on([path])):
                causes = self.queue.causes(due.case)
                alone = bool(causes) and not writers.not_own(causes)
                if not self._follows(due, file) and alone and self.queue.excuse(due):
                    self.show(due)
        self.refresh_problems()

    def begin(self, trigger: str, touched: int) -> None:
        """A new plan: what the status line says starts anew."""
        self.epoch += 1
        if self.dependencies.crowded:
            under_way = (set(f.ambients.values()) for f in self.queue.inflight.values())
            used = {info.ambient for info in self.infos.values()}
            self.dependencies.prune(used.union(*under_way))
        self._ran = self._reused = 0
        self.set_status(trigger=trigger, touched=touched)
        self._dirty_status = True

    def count(self, *, ran: int = 0, reused: int = 0) -> None:
        """Add to what the status line says of the last trigger."""
        self.ran += ran
        self._ran += ran
        self._reused += reused
        self._dirty_status = True

    def set_status(self, **values: Any) -> None:
        """Replace parts of the status (see `Status`)."""
        status = replace(self.status, **values)
        if status != self.status:
            self.status = status
            self._dirty_status = True

    def refresh_problems(self) -> None:
        """Put together what the config and the judging found."""
        config = self.target.config
        problems = (*(config.problems if config else ()), *self.findings.problems)
        if problems != self.problems:
            self.problems = problems
            self._dirty_problems = True

    def news(self, *, problems: bool = False, structure: bool = False) -> None:
        """Something that the session does not hold changed: say so to the faces."""
        self._dirty_problems = self._dirty_problems or problems
        self._dirty_structure = self._dirty_structure or structure
        self._dirty_status = True

    def unobserved(self) -> None:
        """There is something new for `observe`."""
        self._observed = False

    # Inside

    def _doing(self, key: CellKey, judge: Judge) -> Doing:
        queue = self.queue
        underway = queue.underway(key)
        return Doing(
            judged=self.judged(key),
            present=key.case in self.snapshot.cases,
            due=queue.is_due(key),
            checking=key in self._checking or underway == "checking",
            running=underway == "running",
            paused=self.status.paused,
            asking=self.asking.state(key) if judge.asks_model else "",
            agent=judge.kind == "agent" and not self.policy.look_only,
        )

    def _forget(self) -> None:
        """Another grid: nothing of the old one counts."""
        self.infos.clear()
        self._cells.clear()
        self._waiting = 0
        self._outdated.clear()
        self._checking.clear()
        self.asking.clear()
        self.queue.clear(self.store.cases_with_results(self.run_key))
        self.dependencies.forget_cases()
        self.findings = Findings()

    def _drop_gone(self) -> None:
        """Cells of judges and cases that are no more leave the grid (S30)."""
        cases = self.snapshot.cases | set(self.target.recorded)
        gone = [k for k in self.infos if k.judge not in self._judges or k.case not in cases]
        for key in gone:
            del self.infos[key]
            self.asking.wants.pop(key, None)
        for key in [*gone, *(k for k in self.infos if k.case not in self.snapshot.cases)]:
            self.queue.remove(key)
            self._checking.discard(key)
        for key in self._outdated.keys() - self.infos.keys():
            del self._outdated[key]
        for key in [k for k in self._cells if k not in self.infos]:
            del self._cells[key]
        self._waiting = sum(map(_waits, self._cells.values()))


def _waits(cell: Cell | None) -> bool:
    """Whether the cell counts as waiting; while paused what is due counts as queued."""
    return cell is not None and cell.waiting not in (None, "paused")
