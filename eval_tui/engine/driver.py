"""Connects the session with the disk, the workers and the watcher, on one event loop.

Both faces of the product use it: the terminal app and the headless commands. What is judged and
why is the session's business; this module only carries.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from eval_tui.config.discovery import discover
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import project
from eval_tui.engine.grid import (
    CaseView,
    CellKey,
    Detail,
    Dirty,
    EvalInfo,
    FileEntry,
    FileText,
    Grid,
    RunInfo,
    Scope,
    Status,
)
from eval_tui.engine.money import Estimate
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.reader import Reader, Roots, name_of
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.session import Session
from eval_tui.engine.store import open_store
from eval_tui.engine.summary import SUMMARY, YOUNG_S, unpacked, unread
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.target import Policy
from eval_tui.engine.threads import in_thread
from eval_tui.engine.views import ViewError
from eval_tui.engine.wire import judge_to_plain
from eval_tui.engine.work import Work

FILE_LIMIT = 20_000_000
"""Bytes of a file that are read for looking at it."""

COLLECT_AFTER = (20_000, 20, 20)
"""Thresholds of the garbage collector: cells are many and live long, cycles among them are rare."""

VIEW_TIMEOUT = 60.0
"""Seconds that a worker may take to load a case for reading."""


class ChangeLike(Protocol):
    """What the watcher tells."""

    @property
    def paths(self) -> frozenset[str]: ...


class WatcherLike(Protocol):
    """What the driver needs of a watcher (see `eval_tui.watch`)."""

    @property
    def mode(self) -> str: ...
    @property
    def why_polling(self) -> str: ...
    def set_roots(
        self,
        folders: Iterable[str],
        files: Iterable[str] = (),
        *,
        whole: Iterable[str] = (),
        flat: Iterable[str] = (),
    ) -> None: ...
    def ignore(self, path: str) -> None: ...
    async def ready(self) -> None: ...
    async def run(self) -> None: ...


WatcherFactory = Callable[[Callable[[ChangeLike], None]], WatcherLike]


@contextlib.contextmanager
def _collector_at_rest() -> Generator[None]:
    """Much is built and nothing of it is garbage: walking over it again and again is in vain."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Driver:
    """The running engine of one project. Belongs to one event loop."""

    def __init__(
        self,
        options: Options,
        supervisors: SupervisorFactory,
        watcher: WatcherFactory | None = None,
    ) -> None:
        self.reader = Reader(options)
        self.store = open_store(options.root)
        policy = Policy(
            has_key=project.has_key(options),
            look_only=options.look_only,
            judges=options.judges,
            cases=options.cases,
            force=options.force,
        )
        self.session = Session(self.store, policy)
        self.secrets = Secrets(options.root, options.environ)
        self.work = Work(
            options,
            self.session,
            self.store,
            supervisors,
            self.secrets,
            options.workers or max(1, os.cpu_count() or 1),
            spawn=self._spawn,
            settled=self._settle,
            told=self._tell,
            wrote=self._watch_roots,
        )
        self._interpreter = project.interpreter_problems(options)
        self._watcher = watcher(self._changed) if watcher and options.watch else None
        if self._watcher is None:  # nobody edits meanwhile: no worker need be kept free
            self.session.queue.slow_lanes = self.work.workers
        else:
            self.session.queue.slow_lanes = max(1, self.work.workers - 1)
        self.reader.patient = self._watcher is not None
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._reread: asyncio.TimerHandle | None = None
        self._summary_task: asyncio.Task[None] | None = None
        self._comparing = 0
        self._closed = False
        self._roots: Roots | None = None

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
        return self.session.line

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of the files as they are now, then what judging found."""
        return (*self.reader.problems, *self._interpreter, *self.session.findings.problems)

    @property
    def broken(self) -> str:
        """Why nothing can be judged, or empty."""
        return self.work.broken

    def take_dirty(self) -> Dirty:
        return self.session.take_dirty()

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
        self._settle()
        return count

    def estimate(self, cells: Sequence[CellKey], force: bool = False) -> Estimate:
        """What the model calls of a rerun of these cells are expected to take."""
        return self.session.asking.estimate(cells, force)

    def pause(self, on: bool) -> None:
        self.session.pause(on)
        self.work.pump()

    def runs(self) -> tuple[RunInfo, ...]:
        return self.reader.runs()

    def evals(self) -> tuple[EvalInfo, ...]:
        return self.reader.evals()

    async def view(self, case: str) -> CaseView:
        """One case for reading, loaded in a worker. Raises OSError when that fails."""
        answer = await self._ask({"op": "case", "record": self._record(), "case": case})
        plain: dict[str, Any] = answer["view"]
        files = tuple(FileEntry(**entry) for entry in plain.pop("files"))
        events, notes = tuple(plain.pop("events")), tuple(plain.pop("notes"))
        return CaseView(**plain, files=files, events=events, notes=notes)

    async def file_text(self, case: str, name: str) -> FileText:
        """The text of one file of a case. Raises OSError when that fails."""
        request = {"op": "file", "record": self._record(), "case": case, "name": name}
        answer = await self._ask({**request, "limit": FILE_LIMIT})
        return FileText(**answer["file"])

    async def prompt(self, case: str, judge: str) -> str:
        """Exactly what a model judge would send for a case. Raises OSError when it cannot be told."""
        entry, config = self.session.judge(judge), self.session.config
        if not entry.asks_model or entry.kind == "agent":
            raise OSError(f"{judge} asks no model")
        request = {"op": "prompt", "record": self._record(), "case": case}
        request |= {"judge": judge_to_plain(entry), "root": config.root, "config": config.path}
        answer = await self._ask(request)
        if "failed" in answer:
            raise OSError(answer["failed"])
        return answer["text"]

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
            await self.work.pool.start()
        if self._watcher is not None:
            self._watcher.ignore(os.path.join(self.options.root, ".eval-tui"))
            self._spawn(self._watcher.run())
        await self._open()
        if not self.reader.found:
            self._spawn(self._find_evals())
        gc.freeze()  # what is there by now stays: the collector need not walk over it
        gc.set_threshold(*COLLECT_AFTER)
        gc.enable()

    async def _open(self) -> None:
        try:
            path, found = await in_thread(lambda: project.choose_eval(self.options))
        except NoSuchThing as exc:
            self.reader.missing = str(exc)
        else:
            self.reader.choose(path, found)
        await self._show("start")

    async def _find_evals(self) -> None:
        """Look for the other evals of the project, off the loop: the tree may be large."""
        root, environ = Path(self.options.root), self.options.environ
        self.reader.found = await in_thread(lambda: discover(root, environ))
        self.session.news(structure=True)

    async def idle(self) -> None:
        """Wait until nothing is due, under way or being compared."""
        while not self.is_idle:
            self._idle.clear()
            await self._idle.wait()

    @property
    def is_idle(self) -> bool:
        return self.session.idle and self.work.idle and not self._comparing

    async def close(self) -> None:
        """End workers and watcher and write what is pending. May be called twice."""
        if self._closed:
            return
        self._closed = True
        self.work.stop()
        if self._reread is not None:
            self._reread.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.work.close()
        self.store.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.work.broken = f"internal error: {type(error).__name__}: {error}"
            self._tell()

    # Showing

    async def _show(self, trigger: str) -> None:
        """Show the eval and the run that the reader has taken up."""
        self.work.pool.cancel(None)
        self._watch_roots()
        self._update(trigger)
        await self._compare()

    def _update(self, trigger: str) -> None:
        with _collector_at_rest():
            self.session.update(self.reader.target(), trigger)
        self._see_to_summary()
        self._tell()
        self.work.pump()

    def _see_to_summary(self) -> None:
        """A large summary is read by a worker, one that is being written is looked at again."""
        reader = self.reader
        if reader.recorded_elsewhere and reader.run is not None:
            reader.recorded_elsewhere = False
            self._comparing += 1
            self._summary_task = self._spawn(self._read_summary(reader.run.path))
        if self._reread is not None:
            self._reread.cancel()
            self._reread = None
        if reader.recorded_young and reader.run is not None:
            path = frozenset({os.path.join(reader.run.path, SUMMARY)})
            self._reread = asyncio.get_running_loop().call_later(YOUNG_S, self.apply, path)

    async def _read_summary(self, run_dir: str) -> None:
        try:
            answer = await self._ask({"op": "recorded", "run_dir": run_dir})
            found = await in_thread(lambda: unpacked(answer))
        except OSError as error:
            found = unread(run_dir, str(error))
        finally:
            self._comparing -= 1
        run = self.reader.run
        latest = asyncio.current_task() is self._summary_task
        if latest and run is not None and run.path == run_dir and not self._closed:
            self.reader.take_recorded(found)
            self._update(SUMMARY)
        self._settle()

    def _tell(self) -> None:
        """Say what the session does not know: banner, following, how changes are seen."""
        watching = self._watcher.mode if self._watcher is not None else ""
        self.session.set_status(
            banner=self.work.broken or self.reader.banner or self.store.notice,
            following=self.reader.following,
            watching=watching,
        )
        self.session.news(problems=True)
        self._settle()

    async def _compare(self) -> None:
        """Compare what the store knows with the disk, in a worker."""
        cases, ambients = self.session.restorable()
        spec = self.session.target.spec
        if not cases or spec is None or self.options.look_only:
            self.session.compared({}, ())
            self.work.pump()
            return
        self._comparing += 1
        request = {
            "op": "scan",
            "run_dir": spec.run_dir,
            "dataset_dir": spec.dataset_dir,
            "cases": cases,
            "ambients": ambients,
        }
        answer: dict[str, Any] = {"signatures": {}, "holds": []}
        try:
            answer = await self._ask(request)
        except OSError:
            pass  # nothing is taken on trust then: every cell is verified
        finally:
            self._comparing -= 1
        if self.session.target.spec == spec:
            self.session.compared(answer["signatures"], answer["holds"])
        self.work.pump()

    async def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Trusted work: in a worker, or in this process when nothing may be started."""
        if self.options.look_only:
            from eval_tui.engine.lookups import LOOKUPS

            return await in_thread(lambda: LOOKUPS[request["op"]](dict(request)))
        try:
            return await self.work.pool.view(dict(request), VIEW_TIMEOUT)
        except (ViewError, TimeoutError) as error:
            raise OSError(f"the case could not be read: {error}") from error

    def _record(self) -> dict[str, Any]:
        spec = self.session.target.spec
        if spec is None:
            raise OSError("there is no run to read from")
        return spec.to_plain()

    # Settling

    def _settle(self) -> None:
        if self.is_idle:
            self.session.observe()
            self._idle.set()

    # Watching

    def _watch_roots(self) -> None:
        """Tell the watcher what concerns the eval and the run on screen."""
        if self._watcher is None:
            return
        roots = self.reader.roots(self.session.dependencies.index.paths())
        if roots != self._roots:
            self._roots = roots
            self._watcher.set_roots(roots.folders, roots.files, whole=roots.whole, flat=roots.flat)

    def _changed(self, change: ChangeLike) -> None:
        self.apply(change.paths)

    def apply(self, paths: frozenset[str]) -> None:
        """Take in that these files and folders changed."""
        reader = self.reader
        if self._closed:
            return
        if reader.missing:
            self._spawn(self._open())
            return
        trigger = name_of(paths, self.options.root)
        again = reader.concerns_rows(paths)
        if reader.concerns_config(paths):
            reader.read_config()
            again = True
        if reader.concerns_runs(paths):
            if reader.follow():
                self._spawn(self._show(f"new run {reader.run.id}" if reader.run else ""))
                return
            self.session.news(structure=True)
        if reader.concerns_summary(paths):
            reader.read_recorded()
            again = True
        if reader.concerns_env(paths):
            self.secrets.refresh()
            policy = self.session.policy
            self.session.policy = replace(policy, has_key=project.has_key(self.options))
            self.work.refresh_key()
            again = True
        if again:
            self._watch_roots()
            self._update(trigger)
        self.session.changed(reader.resolved(paths, self.session.target.spec), trigger)
        self._tell()
        self.work.pump()
