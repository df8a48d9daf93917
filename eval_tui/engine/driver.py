"""The running engine as both faces of the product see it: the terminal app and the headless commands.

It answers what they ask and passes on what they want; `carrier` has what runs behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import estimates, project
from eval_tui.engine.authority import Authority
from eval_tui.engine.carrier import Carrier
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
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.threads import T, in_thread
from eval_tui.engine.watching import WatcherFactory
from eval_tui.scores import Score

if TYPE_CHECKING:
    from eval_tui.engine.dryrun import DryRun
    from eval_tui.engine.stored import StoredEval
    from eval_tui.verdicts.policy import Stamp


class Driver:
    """The running engine of one project. Belongs to one event loop."""

    def __init__(
        self,
        options: Options,
        supervisors: SupervisorFactory,
        watcher: WatcherFactory | None = None,
    ) -> None:
        self._carrier = carrier = Carrier(options, supervisors, watcher)
        self.reader, self.store, self.session = carrier.reader, carrier.store, carrier.session
        self.secrets, self.work = carrier.secrets, carrier.work
        self.own_files, self.finding = carrier.own_files, carrier.finding
        self._interpreter = project.interpreter_problems(options)

    # What is known

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
        costs = self._carrier.costs.now(self.session.run_key, spent, agent)
        return replace(self.session.line, costs=costs)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of the files as they are now, then what judging found."""
        found = (*self.session.findings.problems, *self._carrier.stamps.problems)
        return (*self.reader.problems, *self._interpreter, *found)

    @property
    def authority(self) -> Authority:
        """What is declared as ground truth, what of it was accepted, and the policy in force."""
        return self.reader.authority

    def authority_changed(self) -> None:
        """Something was accepted, or is no longer what was: verdicts are told anew."""
        self._carrier.authority_changed()

    @property
    def earlier_policy(self) -> Stamp | None:
        """The policy of the run's last scoring, if it is not the one in force (D43)."""
        return self._carrier.stamps.earlier(self.session.run_key, self.authority)

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
        with self.own_files.writing(path):
            return await in_thread(write)

    def as_written(self, path: str) -> bool:
        """Whether a file is there as `write_own` left it, in this session or an earlier one."""
        return self.own_files.as_left(path)

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
        from eval_tui.engine.stored import stored_eval  # the first frame needs none

        options = self.options
        return await in_thread(lambda: stored_eval(path, options))

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        """One case for reading, loaded in a worker. Raises OSError when that fails."""
        return await self._carrier.enquiries.view(case, beginning)

    async def file_text(self, case: str, name: str) -> FileText:
        """The text of one file of a case. Raises OSError when that fails."""
        return await self._carrier.enquiries.file_text(case, name)

    async def counterparts(self, case: str, name: str, run: str = "") -> tuple[Counterpart, ...]:
        """What one file of a case can be compared with; `run`: the id of one in place of the baseline.

        Raises OSError when that fails.
        """
        wanted = run or self.baseline_id
        if not wanted and (config := self.session.target.config) is not None:
            blessed = await self.finding.baseline(config, self.grid.columns)
            wanted = blessed.run if blessed is not None else ""
        folders = (found.path for found in self.reader.found_runs if found.id == wanted)
        side = "other" if run else "baseline"
        return await self._carrier.enquiries.counterparts(case, name, next(folders, ""), side)

    async def prompt(self, case: str, judge: str) -> str:
        """Exactly what a model judge would send for a case. Raises OSError when it cannot be told."""
        return await self._carrier.enquiries.prompt(CellKey(case, judge))

    async def dry_run(self, case: str, judge: str) -> DryRun:
        """The same with what it takes and what is new in it. Raises OSError."""
        calls, mask = self.work.books(), self.secrets.mask
        return await self._carrier.enquiries.dry_run(CellKey(case, judge), calls, mask)

    async def open_run(self, run_id: str) -> None:
        """Show another run. Raises NoSuchThing."""
        self.reader.choose_run(run_id)
        await self._carrier.show(f"run {run_id}")

    async def open_eval(self, path: str) -> None:
        """Show another eval of the project."""
        self.reader.choose_eval(path)
        await self._carrier.show("opened")

    # Life

    async def start(self) -> None:
        """Read the project, show what is known and begin to judge."""
        await self._carrier.start()

    async def idle(self) -> None:
        """Wait until nothing is due, under way or being compared."""
        await self._carrier.idle()

    @property
    def is_idle(self) -> bool:
        return self._carrier.is_idle

    def apply(self, paths: frozenset[str]) -> None:
        """Take in that these files and folders changed."""
        self._carrier.apply(paths)

    async def close(self) -> None:
        """End workers and watcher and write what is pending. May be called twice."""
        await self._carrier.close()
