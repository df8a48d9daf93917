"""The session: which cells there are, what is known of each, what is due, and why.

A plain object with an injected clock. It consumes targets (what to judge), changed paths and
workers' messages, hands out batches, and answers questions. It knows no event loop, no process
and no screen; `driver` connects it with these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from eval_tui.collector import collector_paused
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine import details, estimates, recall, select
from eval_tui.engine.ambients import Dependencies
from eval_tui.engine.arrivals import Arrivals
from eval_tui.engine.asking import Asking
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.display import Display
from eval_tui.engine.findings import Findings
from eval_tui.engine.grader_needs import asks_for_variables, runs_commands
from eval_tui.engine.grid import (
    Cell,
    CellKey,
    Detail,
    Dirty,
    Row,
    Scope,
    Status,
    Waiting,
)
from eval_tui.engine.plan import Snapshot, Touched, plan
from eval_tui.engine.queue import Queue
from eval_tui.engine.restore import Restore
from eval_tui.engine.store import Store
from eval_tui.engine.target import Policy, Target, rows_of, snapshot_of
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
        self._new_recorded = False
        """`summary.yaml` says something new that no cell has been told of."""
        self.judges: dict[str, Judge] = {}
        self.display = Display(self)
        self._unpaid: tuple[int, float | None] = 0, None
        self.restore = Restore(self)
        self._restoring = False
        """Not all cells are there yet, and nothing is due until they are."""
        self._observed = True
        self._arrivals = Arrivals(self)

    # What the faces ask

    def cell(self, case: str, judge: str) -> Cell:
        """The cell as shown; an empty one where there is nothing to show."""
        if self._restoring:
            self.restore.need(case)
        return self.display.cell(CellKey(case, judge))

    def take_dirty(self) -> Dirty:
        """What changed since the last call."""
        self.display.catch_up(AT_ONCE)
        if self.display.any_news:
            self._unpaid = estimates.unpaid(self.asking.wants, self.infos)
        return self.display.take_dirty()

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
        under_way = self._restoring or self.restore.checking or self.asking.busy
        return self.queue.empty and not under_way

    @property
    def line(self) -> Status:
        """The status with its counts as of now."""
        config = self.target.config
        self.display.catch_up(AT_ONCE)
        return replace(
            self.status,
            eval_name=config.name if config else "",
            run_id=self.target.run_id,
            ran=self._ran,
            reused=self._reused,
            queued=self.queue.queued,
            running=self.queue.running,
            waiting=self.display.waiting,
            unpaid=self._unpaid[0],
            unpaid_cost=self._unpaid[1],
            loading=self.restore.left if self._restoring else 0,
        )

    # What to judge

    def update(self, target: Target, trigger: str) -> bool:
        """Take over what the disk holds now and find out what is due.

        Whether cells are to be compared with the disk, beside those of a grid that is opened.
        """
        before, old = self.snapshot, self.target
        if target == old and self.policy is self._applied:
            return False
        self._applied = self.policy
        another = old.identity != target.identity
        if not another:
            self.restore_all()
        self.target, self.snapshot = target, snapshot_of(target)
        self.judges = {j.name: j for j in target.config.judges} if target.config else {}
        self.columns, self.rows = tuple(self.judges.values()), rows_of(target)
        self.queue.order(self.rows, self.columns)
        keys = self.snapshot.judges
        self.queue.expect_slow(keys[j.name].fingerprint for j in self.columns if runs_commands(j))
        self._new_recorded = old.recorded is not target.recorded
        known: set[CellKey] = set()
        if another:
            self._forget()
            self.restore.begin()
            self._restoring = True
            self.set_status(trigger=trigger)
            self.restore_some()
        else:
            recall.adopt(self, before)
            known = self.restore.come(before, trigger)
            due = set(plan(before, self.snapshot, Touched())) | recall.resampled(self, old)
            recall.drop_gone(self)
            self.display.drop_gone()
            self._begin_with(due - known, trigger)
            self.display.outdate(self.infos)
        self.display.news(structure=True)
        return bool(known)

    def restore_some(self) -> bool:
        """Take up some more of what was stored; whether there is more of it (see `restore`)."""
        if self._restoring:
            with collector_paused():
                self.restore.some(AT_ONCE)
                self.display.news()
                if not self.restore.left:
                    self.restore_all()
        return self._restoring

    def restore_all(self) -> None:
        """Whoever changes what is known of cells needs all of them."""
        if self._restoring:
            self._restoring = False
            self.begin(self.status.trigger, 0)
            self._begin_with(self.restore.finish(), self.status.trigger)

    def _begin_with(self, due: set[CellKey], trigger: str) -> None:
        """All cells are there; these may not hold any more."""
        if self._new_recorded:
            due |= recall.take_recorded(self)
        self.findings.keep_only(self.judges)
        self._observed = False
        self.refresh_problems()
        if due:
            self.restore.checking -= due  # else what is forced would be forced twice
            # Looking at what a recorded verdict rests on runs nothing: it is no news.
            self.begin(trigger, sum(not self.judges[key.judge].asks_model for key in due))
            self.enqueue(due)

    def compared(self, signatures: Mapping[str, str], holds: Iterable[str]) -> None:
        """The disk was looked at: cells that still hold are fresh, the others are due."""
        self.restore_all()
        good, due = self.restore.compared(signatures, holds)
        self.count(reused=len(good))
        self.enqueue(due)
        self.display.outdate(good)
        self.display.news()

    def variables_changed(self) -> None:
        """The environment that graders are given by name may be another one."""
        self.restore_all()
        names = [judge.name for judge in self.columns if asks_for_variables(judge)]
        if names:
            self.epoch += 1
            self.enqueue(key for key in self.infos if key.judge in names)

    # What the person asks

    def rerun(self, cells: Iterable[CellKey], force: bool = False) -> int:
        """Judge these cells again; returns how many will be.

        Python judges cost nothing and really run. Model judges reuse what is known of the
        same request unless forced.
        """
        self.restore_all()
        wanted = {k for k in cells if k in self.infos and self.judged(k)}
        if wanted:
            self.begin("rerun", len(wanted))
            self.findings.writers.start_over(wanted)
            python = {key for key in wanted if not self.judges[key.judge].asks_model}
            self.asking.confirmed |= wanted - python
            self.enqueue(wanted, forced=wanted if force else python, by_hand=True)
        return len(wanted)

    def cancel(self, cells: Iterable[CellKey] | None) -> tuple[int, set[int]]:
        """Cancel what waits its turn or runs: (number of cells, batches to stop)."""
        self.restore_all()
        dropped, hit, batches = self.queue.cancel(None if cells is None else set(cells))
        for key in dropped:
            self.set_aside(key, "cancelled")
        asked = self.asking.cancel(None if cells is None else set(cells))
        self.display.news()
        return len(dropped) + hit + asked, batches

    def pause(self, on: bool) -> None:
        """Stop or go on starting work; what runs is finished."""
        self.set_status(paused=on)
        for key in self.queue.due_cells():
            self.display.show(key)

    # Work

    def next_batch(self, generation: int, most: int) -> dict[str, Any] | None:
        """The next batch of due cells of up to `most` cases, or None when nothing may start."""
        if self.status.paused or self.policy.look_only:
            return None
        batch = self.queue.next_batch(generation, most)
        if batch is not None:
            self.display.news()
        return batch

    def received(self, message: Mapping[str, Any]) -> None:
        """Take in one message of a worker or of the pool."""
        self._arrivals.receive(message)

    def at_work(self, cells: Iterable[CellKey]) -> None:
        """These judges are running for long enough to say so; no others are."""
        before, now = self.queue.at_work, frozenset(cells)
        self.queue.at_work = now
        for key in before ^ now:
            self.display.show(key)

    def observe(self) -> None:
        """Once everything is known: which judges ask for keys that no case has (D24)."""
        if self._observed or not self.idle or self.target.config is None:
            return
        self._observed = True
        self.findings.look_for_absent_keys(self.infos, self.judges, self.config)
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
                self.display.show(key)
                continue
            if not by_hand and not self.judges[key.judge].auto and not info.known:
                self.set_aside(key, "off")
                continue
            forces = key in force or (self.policy.force and not info.ran)
            self.queue.add(key, forces, not_before)
            # Until it is judged nothing proves that it holds, in this session or the next.
            info.behind, info.sig = None, ""
            info.trigger = self.status.trigger
            self.display.show(key)
        self.display.news()

    def set_aside(self, key: CellKey, why: Waiting) -> None:
        """Nothing is done about a cell that may not hold: that is shown until it is judged."""
        info = self.infos.get(key)
        if info is not None:
            info.behind = why
        self.display.show(key)

    def judge(self, name: str) -> Judge:
        """The judge of a column. KeyError when there is none."""
        return self.judges[name]

    def judged(self, key: CellKey) -> bool:
        """Whether a worker has anything to do for the cell."""
        judge = self.judges.get(key.judge)
        if judge is None or judge.problem is not None or self.policy.look_only:
            return False
        return key.case in self.snapshot.cases and self.policy.selects(*key)

    def recorded(self, key: CellKey) -> Score | None:
        """What `summary.yaml` holds for the cell."""
        return self.target.recorded.get(key.case, {}).get(key.judge)

    def begin(self, trigger: str, touched: int) -> None:
        """A new plan: what the status line says starts anew."""
        self.epoch += 1
        if self.dependencies.crowded:
            under_way = (set(f.ambients.values()) for f in self.queue.inflight.values())
            used = {info.ambient for info in self.infos.values()}
            self.dependencies.prune(used.union(*under_way))
        self._ran = self._reused = 0
        self.set_status(trigger=trigger, touched=touched)
        self.display.news()

    def count(self, *, ran: int = 0, reused: int = 0) -> None:
        """Add to what the status line says of the last trigger."""
        self.ran += ran
        self._ran += ran
        self._reused += reused
        self.display.news()

    def set_status(self, **values: Any) -> None:
        """Replace parts of the status (see `Status`)."""
        status = replace(self.status, **values)
        if status != self.status:
            self.status = status
            self.display.news()

    def refresh_problems(self) -> None:
        """Put together what the config and the judging found."""
        config = self.target.config
        problems = (*(config.problems if config else ()), *self.findings.problems)
        if problems != self.problems:
            self.problems = problems
            self.display.news(problems=True)

    def unobserved(self) -> None:
        """There is something new for `observe`."""
        self._observed = False

    # Inside

    def _forget(self) -> None:
        """Another grid: nothing of the old one counts."""
        self.infos.clear()
        self.display.clear()
        self.asking.clear()
        self.queue.clear(self.store.cases_with_results(self.run_key))
        self.dependencies.forget_cases()
        self.findings = Findings()
