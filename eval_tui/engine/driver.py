"""Connects the session with the disk, the workers and the watcher, on one event loop.

Both faces of the product use it: the terminal app and the headless commands. What is judged and
why is the session's business; this module only carries.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from eval_tui.collector import collector_paused, keep_all
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import estimates, follow, project
from eval_tui.engine.authority import Authority
from eval_tui.engine.concerns import name_of, resolved, take_in
from eval_tui.engine.enquiries import Enquiries
from eval_tui.engine.errands import Errands
from eval_tui.engine.finding import Finding
from eval_tui.engine.grid import (
    CaseView,
    CellKey,
    Counterpart,
    Detail,
    Dirty,
    EvalInfo,
    FileText,
    Grid,
    RunInfo,
    Scope,
    Status,
)
from eval_tui.engine.money import Estimate
from eval_tui.engine.own_files import OwnFiles
from eval_tui.engine.paid import RunCosts
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.reader import Reader
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.session import Session
from eval_tui.engine.stamps import Stamps
from eval_tui.engine.store import open_store
from eval_tui.engine.stored import StoredEval, stored_eval
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.tasks import Tasks
from eval_tui.engine.threads import T, in_thread
from eval_tui.engine.watching import WatcherFactory, Watching
from eval_tui.engine.work import Work
from eval_tui.scores import Score

if TYPE_CHECKING:
    from eval_tui.engine.dryrun import DryRun
    from eval_tui.verdicts.policy import Stamp


class Driver:
    """The running engine of one project. Belongs to one event loop."""

    def __init__(
        self,
        options: Options,
        supervisors: SupervisorFactory,
        watcher: WatcherFactory | None = None,
    ) -> None:
        self._tasks = Tasks(self._failed)
        self.reader = Reader(options)
        self.store = open_store(options.root)
        self._stamps = Stamps(self.store)
        self.session = Session(self.store, options.policy)
        self.secrets = Secrets(options.root, options.environ)
        watched = None
        if watcher is not None and options.watch:
            watched = watcher(lambda change: self.apply(change.paths))
        self._watching = Watching(watched, self.reader, self.session.dependencies)
        self.reader.patient = watched is not None
        self.work = Work(
            options,
            self.session,
            self.store,
            supervisors,
            self.secrets,
            options.workers or max(1, os.cpu_count() or 1),
            patient=self.reader.patient,
            spawn=self._tasks.spawn,
            settled=self._settle,
            told=self._tell,
            wrote=self._watching.set_roots,
        )
        self._interpreter = project.interpreter_problems(options)
        self._idle = asyncio.Event()
        self._enquiries = Enquiries(self.session, self.work.pool, options.look_only)
        self._errands = Errands(
            self.session,
            self.reader,
            self._enquiries,
            spawn=self._tasks.spawn,
            update=self._update,
            apply=self.apply,
            told=self._tell,
            settled=self._settle,
        )
        self._closed = False
        self._own_files = OwnFiles()
        folder = os.path.dirname(self.store.path) if self.store.path else None
        self._costs = RunCosts(folder)
        self.finding = Finding(
            folder,
            self._enquiries.facts,
            self.session.full_score,
            self._enquiries.column,
            self._enquiries.stored,
        )

    # The face of the engine

    @property
    def options(self) -> Options:
        return self.reader.options

    @property
    def grid(self) -> Grid:
        return self.session

    @property
    def config(self) -> EvalConfig | None:
        return self.reader.config

    @property
    def status(self) -> Status:
        """What is going on, and what the run in view has cost."""
        run, spent = self.reader.run, self.session.asking.spent
        agent = run.cost_usd if run is not None else None
        costs = self._costs.now(self.session.run_key, spent, agent)
        return replace(self.session.line, costs=costs)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of the files as they are now, then what judging found."""
        found = (*self.session.findings.problems, *self._stamps.problems)
        return (*self.reader.problems, *self._interpreter, *found)

    @property
    def authority(self) -> Authority:
        """What is declared as ground truth, what of it was accepted, and the policy in force."""
        return self.reader.authority

    def authority_changed(self) -> None:
        """Something was accepted, or is no longer what was: verdicts are told anew."""
        self.session.display.news(problems=True, structure=True)
        self._watching.set_roots()

    @property
    def earlier_policy(self) -> Stamp | None:
        """The policy of the run's last scoring, if it is not the one in force (D43)."""
        return self._stamps.earlier(self.session.run_key, self.authority)

    @property
    def broken(self) -> str:
        """Why nothing can be judged, or empty."""
        return self.work.broken

    @property
    def run_dir(self) -> str:
        """The folder of the run in view; empty while there is none."""
        return self.reader.run.path if self.reader.run is not None else ""

    @property
    def baseline_id(self) -> str:
        """The run that the one in view is compared with, or empty."""
        return self.session.target.baseline_id

    async def write_own(self, path: str, write: Callable[[], T]) -> T:
        """Write a file of the run, off the loop: no judge is run because of it."""
        with self._own_files.writing(path):
            return await in_thread(write)

    def take_dirty(self) -> Dirty:
        return self.session.take_dirty()

    def full_score(self, case: str, judge: str) -> Score | None:
        """The score in view with its whole rationale."""
        return self.session.full_score(CellKey(case, judge))

    def detail(self, case: str, judge: str) -> Detail:
        return self.session.detail(case, judge)

    def select(
        self, scope: Scope, case: str | None = None, judge: str | None = None
    ) -> tuple[CellKey, ...]:
        return self.session.select(scope, case or "", judge or "")

    def rerun(self, cells: Sequence[CellKey], force: bool = False) -> int:
        """Judge cells again; the number of cells that will be."""
        if self.work.calls is not None:
            self.work.calls.retry_refused()
        count = self.session.rerun(cells, force)
        self.work.pump()
        return count

    def cancel(self, cells: Sequence[CellKey] | None) -> int:
        """Cancel cells, or everything; the number cancelled."""
        count, batches = self.session.cancel(cells)
        if batches:
            self.work.pool.cancel(batches)
        self.work.pump()  # stops calls that nobody asks any more
        return count

    def estimate(self, cells: Sequence[CellKey], force: bool = False) -> Estimate:
        """What the model calls of a rerun of these cells are expected to take."""
        return estimates.of_rerun(self.session, cells, force)

    def pause(self, on: bool) -> None:
        self.session.pause(on)
        self.work.pump()

    def runs(self) -> tuple[RunInfo, ...]:
        return self.reader.runs()

    def evals(self) -> tuple[EvalInfo, ...]:
        return self.reader.evals()

    async def stored_eval(self, path: str) -> StoredEval:
        """An eval of the project at its newest run, as that was last scored."""
        options = self.options
        return await in_thread(lambda: stored_eval(path, options))

    async def view(self, case: str) -> CaseView:
        """One case for reading, loaded in a worker. Raises OSError when that fails."""
        return await self._enquiries.view(case)

    async def file_text(self, case: str, name: str) -> FileText:
        """The text of one file of a case. Raises OSError when that fails."""
        return await self._enquiries.file_text(case, name)

    async def counterparts(self, case: str, name: str) -> tuple[Counterpart, ...]:
        """What one file of a case can be compared with. Raises OSError when that fails."""
        baseline = self.baseline_id
        if not baseline and (config := self.session.target.config) is not None:
            blessed = await self.finding.baseline(config, self.grid.columns)
            baseline = blessed.run if blessed is not None else ""
        folders = (run.path for run in self.reader.found_runs if run.id == baseline)
        return await self._enquiries.counterparts(case, name, next(folders, ""))

    async def prompt(self, case: str, judge: str) -> str:
        """Exactly what a model judge would send for a case. Raises OSError when it cannot be told."""
        return await self._enquiries.prompt(CellKey(case, judge))

    async def dry_run(self, case: str, judge: str) -> DryRun:
        """The same with what it takes and what is new in it. Raises OSError."""
        calls, mask = self.work.books(), self.secrets.mask
        return await self._enquiries.dry_run(CellKey(case, judge), calls, mask)

    async def open_run(self, run_id: str) -> None:
        """Show another run. Raises NoSuchThing."""
        self.reader.choose_run(run_id)
        await self._show(f"run {run_id}")

    async def open_eval(self, path: str) -> None:
        """Show another eval of the project."""
        self.reader.choose_eval(path)
        await self._show("opened")

    # Life

    async def start(self) -> None:
        """Read the project, show what is known and begin to judge.

        What was asked for and is not there is told by the banner; the project is watched all
        the same, and opens when it appears.
        """
        gc.disable()  # until all is there: what is made on the way stays
        if not self.options.look_only:
            await self.work.start()
        if (watcher := self._watching.watcher) is not None:
            watcher.ignore(os.path.join(self.options.root, ".eval-tui"))
            self._tasks.spawn(watcher.run())
        await self._open()
        if not self.reader.found:
            self._errands.find_evals()
        keep_all()

    async def _open(self) -> None:
        try:
            path, found = await in_thread(lambda: project.choose_eval(self.options))
        except NoSuchThing as exc:
            self.reader.missing = str(exc)
        else:
            self.reader.choose(path, found)
        await self._show("start")

    async def idle(self) -> None:
        """Wait until nothing is due, under way or being compared."""
        while not self.is_idle:
            self._idle.clear()
            await self._idle.wait()

    @property
    def is_idle(self) -> bool:
        return self.session.idle and self.work.idle and self._errands.idle

    async def close(self) -> None:
        """End workers and watcher and write what is pending. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self.work.stop()
        self._errands.stop()
        await self._tasks.close()
        await self.work.close()
        self.store.close()

    def _failed(self, error: BaseException) -> None:
        self.work.broken = f"internal error: {type(error).__name__}: {error}"
        self._tell()

    # Showing

    async def _show(self, trigger: str) -> None:
        """Show the eval and the run that the reader has taken up."""
        self.work.pool.cancel(None)
        self._watching.set_roots()
        self._update(trigger)
        while self.session.restore_some():
            await asyncio.sleep(0)  # whoever looks sees what is there
        looking = self._errands.look_at_cases()
        await self._errands.compare()
        self.work.pump()
        await asyncio.wait([looking])
        self._errands.count_costs(self._costs)

    def _update(self, trigger: str) -> None:
        with collector_paused():
            self.session.update(self.reader.target(), trigger)
        self.finding.facts.show(self.session.run_key)
        self._errands.see_to_target()
        self._tell()
        self.work.pump()

    def _tell(self) -> None:
        """Say what the session does not know: banner, following, how changes are seen."""
        self.session.set_status(
            banner=self.work.broken or self.reader.banner or self.store.notice,
            following=self.reader.following,
            looked_in=self.reader.looked_in,
            watching=self._watching.mode,
        )
        self.session.display.news(problems=True)
        self._settle()

    # Settling

    def _settle(self) -> None:
        if self.is_idle:
            self.session.observe()
            if not (self.options.look_only or self.work.broken):
                self._stamps.put(self.session.run_key, self.authority)
            self._idle.set()

    # Watching

    def apply(self, paths: frozenset[str]) -> None:
        """Take in that these files and folders changed."""
        reader = self.reader
        if self._closed:
            return
        if reader.missing:
            self._tasks.spawn(self._open())
            return
        self.finding.facts.changed(paths)
        trigger = name_of(paths, self.options.root)
        others = self._own_files.foreign(paths)
        news = take_in(reader, paths, others)
        if news.another_run:
            self._tasks.spawn(self._show(f"new run {reader.run.id}" if reader.run else ""))
            return
        if news.runs:
            self.session.display.news(structure=True)
        if news.case_graders:
            self._errands.look_at_cases()
        if news.authority:
            self.authority_changed()
        if news.variables:
            self.secrets.refresh()
            self.work.refresh_key()
            self.session.variables_changed()
        if news.target:
            self._watching.set_roots()
            self._update(trigger)
        follow.changed(self.session, resolved(reader, others, self.session.target.spec), trigger)
        self._tell()
        self.work.pump()
