"""Carries between the session and the disk, the workers and the watcher, on one event loop.

What is judged and why is the session's business; what the faces ask is `driver`'s.
"""

from __future__ import annotations

import asyncio
import gc
import os

from eval_tui.collector import collector_paused, keep_all
from eval_tui.engine import follow, project
from eval_tui.engine.concerns import name_of, resolved, take_in
from eval_tui.engine.enquiries import Enquiries
from eval_tui.engine.errands import Errands
from eval_tui.engine.finding import Finding
from eval_tui.engine.own_files import OwnFiles
from eval_tui.engine.paid import RunCosts
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.reader import Reader
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.session import Session
from eval_tui.engine.stamps import Stamps
from eval_tui.engine.store import open_store
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.tasks import Tasks
from eval_tui.engine.threads import in_thread
from eval_tui.engine.watching import WatcherFactory, Watching
from eval_tui.engine.work import Work


class Carrier:
    """All parts of the engine of one project, and the traffic between them."""

    def __init__(
        self,
        options: Options,
        supervisors: SupervisorFactory,
        watcher: WatcherFactory | None = None,
    ) -> None:
        self._tasks = Tasks(self._failed)
        self.reader = Reader(options)
        self.store = open_store(options.root)
        self.stamps = Stamps(self.store)
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
        self._idle = asyncio.Event()
        self.enquiries = Enquiries(self.session, self.work.pool, options.look_only)
        self._errands = Errands(
            self.session,
            self.reader,
            self.enquiries,
            spawn=self._tasks.spawn,
            update=self._update,
            apply=self.apply,
            told=self._tell,
            settled=self._settle,
        )
        self._closed = False
        folder = os.path.dirname(self.store.path) if self.store.path else None
        self.own_files = OwnFiles(folder)
        self.costs = RunCosts(folder)
        self.finding = Finding(
            folder,
            self.enquiries.facts,
            self.session.full_score,
            self.enquiries.column,
            self.enquiries.stored,
            self.enquiries.said,
        )

    # Life

    async def start(self) -> None:
        """Read the project, show what is known and begin to judge.

        What is not there is told by the banner; it is watched for, and opens when it appears.
        """
        gc.disable()  # until all is there: what is made on the way stays
        if not self.reader.options.look_only:
            await self.work.start()
        if (watcher := self._watching.watcher) is not None:
            watcher.ignore(os.path.join(self.reader.options.root, ".eval-tui"))
            self._tasks.spawn(watcher.run())
        await self._open()
        if not self.reader.found:
            self._errands.find_evals()
        keep_all()

    async def _open(self) -> None:
        try:
            path, found = await in_thread(lambda: project.choose_eval(self.reader.options))
        except NoSuchThing as exc:
            self.reader.missing = str(exc)
        else:
            self.reader.choose(path, found)
        await self.show("start")

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

    def authority_changed(self) -> None:
        """Something was accepted, or is no longer what was: verdicts are told anew."""
        self.session.display.news(problems=True, structure=True)
        self._watching.set_roots()

    # Showing

    async def show(self, trigger: str) -> None:
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
        self._errands.count_costs(self.costs)

    def _update(self, trigger: str) -> None:
        with collector_paused():
            if self.session.update(self.reader.target(), trigger):
                self._errands.compare_soon()
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
            if not (self.reader.options.look_only or self.work.broken):
                self.stamps.put(self.session.run_key, self.reader.authority)
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
        trigger = name_of(paths, self.reader.options.root)
        others = self.own_files.foreign(paths)
        news = take_in(reader, paths, others)
        if news.another_run:
            self._tasks.spawn(self.show(f"new run {reader.run.id}" if reader.run else ""))
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
