"""Connects the session with the disk, the workers and the watcher, on one event loop.

Both faces of the product use it: the terminal app and the headless commands. What is judged and
why is the session's business; this module only carries.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from eval_tui.config.discovery import FoundEval, discover
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import project
from eval_tui.engine.frames import Message
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
from eval_tui.engine.pool import Batch, BatchInfo, Pool
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.session import Policy, Session, relative
from eval_tui.engine.store import open_store
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.views import ViewError
from eval_tui.engine.wire import judge_to_plain
from eval_tui.record.recorded import Recorded
from eval_tui.record.runs import Run

BATCH_CASES = 16
"""Cases that go to a worker at once: large enough to hide the way, small enough to cancel."""

FILE_LIMIT = 20_000_000
"""Bytes of a file that are read for looking at it."""

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


class Driver:
    """The running engine of one project. Belongs to one event loop."""

    def __init__(
        self,
        options: Options,
        supervisors: SupervisorFactory,
        watcher: WatcherFactory | None = None,
    ) -> None:
        self.options = options
        self.store = open_store(options.root)
        policy = Policy(
            has_key=project.has_key(options),
            look_only=options.look_only,
            judges=options.judges,
            cases=options.cases,
            force=options.force,
        )
        self.session = Session(self.store, policy)
        self.pool = Pool(
            supervisors,
            options.workers or max(1, os.cpu_count() or 1),
            self._received,
        )
        self._watcher = watcher(self._changed) if watcher and options.watch else None
        self._config: EvalConfig | None = None
        self._broken: tuple[Problem, ...] = ()
        """Problems of a config that cannot be used while the last good one stays in force."""
        self._evals: tuple[FoundEval, ...] = ()
        self._runs: tuple[Run, ...] = ()
        self._run: Run | None = None
        self._recorded: Recorded | None = None
        self._following = not options.run
        self.missing = ""
        """What was asked for and is not there, in words; empty when all is well."""
        self._generation = 0
        self._generation_epoch = -1
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle = asyncio.Event()
        self._wake: asyncio.TimerHandle | None = None
        self._flush: asyncio.TimerHandle | None = None
        self._comparing = False
        self._closed = False
        self._watched: object = None

    # -- the face of the engine -------------------------------------------------------------

    @property
    def grid(self) -> Grid:
        return self.session

    @property
    def config(self) -> EvalConfig | None:
        return self._config

    @property
    def status(self) -> Status:
        return self.session.line()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of the file as it is now, then of what workers and the run told."""
        config = self._config.problems if self._config else ()
        others = tuple(p for p in self.session.problems if p not in config)
        recorded = self._recorded.problems if self._recorded else ()
        return (*(self._broken or config), *others, *recorded)

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
        count = self.session.rerun(cells, force)
        self._pump()
        return count

    def cancel(self, cells: Sequence[CellKey] | None) -> int:
        """Cancel cells, or everything; the number cancelled."""
        count, batches = self.session.cancel(cells)
        if batches:
            self.pool.cancel(batches)
        self._settle()
        return count

    def pause(self, on: bool) -> None:
        self.session.pause(on)
        self._pump()

    def runs(self) -> tuple[RunInfo, ...]:
        return tuple(
            RunInfo(
                run.id,
                run.path,
                run.started,
                run.cases,
                run.model,
                run.cost_usd,
                run.duration_s,
                not i,
            )
            for i, run in enumerate(self._runs)
        )

    def evals(self) -> tuple[EvalInfo, ...]:
        return tuple(EvalInfo(e.name, e.path, len(e.problems)) for e in self._evals)

    async def view(self, case: str) -> CaseView:
        """One case for reading, loaded in a worker. Raises OSError when that fails."""
        answer = await self._ask({"op": "case", "record": self._record(), "case": case})
        plain: dict[str, Any] = answer["view"]
        files = tuple(FileEntry(**entry) for entry in plain.pop("files"))
        events, notes = tuple(plain.pop("events")), tuple(plain.pop("notes"))
        return CaseView(**plain, files=files, events=events, notes=notes)

    async def file_text(self, case: str, name: str) -> FileText:
        """The text of one file of a case. Raises OSError when that fails."""
        answer = await self._ask(
            {
                "op": "file",
                "record": self._record(),
                "case": case,
                "name": name,
                "limit": FILE_LIMIT,
            }
        )
        return FileText(**answer["file"])

    async def open_run(self, run_id: str) -> None:
        """Show another run. Raises NoSuchThing."""
        run = project.choose_run(self._config, self._runs, run_id, self.options)
        self._following = bool(run) and run == (self._runs[0] if self._runs else None)
        await self._show_run(run, f"run {run_id}")

    async def open_eval(self, path: str) -> None:
        """Show another eval of the project."""
        self.options = replace(self.options, config=path, run="")
        self._config, self._broken, self._following = None, (), True
        self._read_config()
        self._runs = project.runs_of(self._config, self.options) if self._config else ()
        await self._show_run(self._runs[0] if self._runs else None, "opened")

    # -- life -------------------------------------------------------------------------------

    async def start(self) -> None:
        """Read the project, show what is known and begin to judge.

        What was asked for and is not there is told by `missing` and the banner; the project is
        watched all the same, and opens when it appears.
        """
        if not self.options.look_only:
            await self.pool.start()
        if self._watcher is not None:
            self._watcher.ignore(os.path.join(self.options.root, ".eval-tui"))
            self._spawn(self._watch())
        await self._open()
        if not self._evals:
            self._spawn(self._find_evals())
        gc.collect()
        gc.freeze()

    async def _find_evals(self) -> None:
        """Look for the other evals of the project, off the loop: the tree may be large."""
        self._evals = await asyncio.to_thread(
            discover, Path(self.options.root), self.options.environ
        )
        self.session.touch_structure()

    async def _open(self) -> None:
        run: Run | None = None
        try:
            path, self._evals = await asyncio.to_thread(project.choose_eval, self.options)
            self.options = replace(self.options, config=path)
            self._read_config()
            if self._config is not None:
                self._runs = project.runs_of(self._config, self.options)
            run = project.choose_run(self._config, self._runs, self.options.run, self.options)
            self.missing = ""
        except NoSuchThing as exc:
            self.missing = str(exc)
        await self._show_run(run, "start")
        if self.missing:
            self.session.set_status(banner=self.missing)

    async def idle(self) -> None:
        """Wait until nothing is due, under way or being compared."""
        while not self.is_idle:
            self._idle.clear()
            await self._idle.wait()

    @property
    def is_idle(self) -> bool:
        return self.session.idle and not self._comparing

    async def close(self) -> None:
        """End workers and watcher and write what is pending. May be called twice."""
        if self._closed:
            return
        self._closed = True
        for timer in (self._wake, self._flush):
            if timer is not None:
                timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.pool.close()
        self.store.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.session.set_status(banner=f"internal error: {type(error).__name__}: {error}")
            self._settle()

    # -- reading the project ----------------------------------------------------------------

    def _read_config(self) -> bool:
        """Read the config; a broken one leaves the last good one in force (D2)."""
        config = project.read_config(self.options.config, self.options)
        if config.usable:
            changed = self._config != config
            self._config, self._broken = config, ()
            self.session.set_status(banner=self.store.notice)
            return changed
        first = next((p for p in config.problems if p.severity == "error"), None)
        self._broken = config.problems
        where = relative(config.path, self.options.root)
        if first is not None:
            where += f":{first.line}:{first.column}" if first.line else ""
        words = first.message if first is not None else "it cannot be used"
        kept = "the last good one stays in force" if self._config is not None else ""
        self.session.set_status(banner=" · ".join(p for p in (f"{where} {words}", kept) if p))
        self.session.touch_problems()
        return False

    async def _show_run(self, run: Run | None, trigger: str) -> None:
        self._run = run
        self._recorded = project.recorded_of(run, None)
        self._update(trigger)
        self._set_roots()
        self.session.set_status(following=self._following, watching=self._watch_words())
        await self._compare()

    def _update(self, trigger: str) -> None:
        if self._config is None:
            self.session.update(project.Target(), trigger)
            return
        self.session.update(project.read_target(self._config, self._run, self._recorded), trigger)
        self._pump()

    async def _compare(self) -> None:
        """Compare what the store knows with the disk, in a worker."""
        cases, ambients = self.session.restorable()
        target = self.session.target
        if not cases or target.spec is None or self.options.look_only:
            self.session.compared({}, ())
            self._pump()
            return
        self._comparing = True
        request = {
            "op": "scan",
            "run_dir": target.spec.run_dir,
            "dataset_dir": target.spec.dataset_dir,
            "cases": cases,
            "ambients": ambients,
        }
        answer: dict[str, Any] = {"signatures": {}, "holds": []}
        try:
            answer = await self._ask(request)
        except OSError:
            pass  # nothing is taken on trust then: every cell is verified
        finally:
            self._comparing = False
        if self.session.target.spec == target.spec:
            self.session.compared(answer["signatures"], answer["holds"])
        self._pump()

    async def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Trusted work: in a worker, or in this process when nothing may be started."""
        if self.options.look_only:
            from eval_tui.engine.lookups import LOOKUPS

            return await asyncio.to_thread(LOOKUPS[request["op"]], dict(request))
        try:
            return await self.pool.view(dict(request), VIEW_TIMEOUT)
        except (ViewError, TimeoutError) as error:
            raise OSError(f"the case could not be read: {error}") from error

    def _record(self) -> dict[str, Any]:
        spec = self.session.target.spec
        if spec is None:
            raise OSError("there is no run to read from")
        return spec.to_plain()

    # -- work -------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Give workers what is due."""
        session, target = self.session, self.session.target
        if self._closed or target.spec is None or target.config is None:
            self._settle()
            return
        if session.due and session.epoch != self._generation_epoch and not session.status.paused:
            obsolete = session.obsolete()
            if obsolete:
                self.pool.cancel(obsolete)
            self._generation_epoch = session.epoch
            self._generation = self.pool.new_generation(self._setup(), keep_running=True)
        while self.pool.room > 0:
            batch = session.next_batch(self._generation, BATCH_CASES)
            if batch is None:
                break
            self.pool.submit(
                Batch(
                    batch["id"],
                    self._generation,
                    batch["cases"],
                    limit=self.options.judge_timeout,
                    extra={"ambients": batch["ambients"]},
                )
            )
        self._plan_wake()
        self._settle()

    def _setup(self) -> dict[str, Any]:
        target = self.session.target
        assert target.spec is not None and target.config is not None
        judges = [judge_to_plain(j) for j in target.config.judges if j.problem is None]
        return {
            "root": target.config.root,
            "config": target.config.path,
            "record": target.spec.to_plain(),
            "judges": judges,
            "memory_mb": self.options.judge_memory,
        }

    def _received(self, message: Message, info: BatchInfo | None) -> None:
        if message["t"] == "broken":
            self.session.set_status(banner=message["text"])
            self.session.cancel(None)
        else:
            self.session.received(message)
        if message["t"] in ("done", "cancelled", "cased", "broken", "lost"):
            self._pump()
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(0.1, self._write)

    def _write(self) -> None:
        self._flush = None
        self.store.flush()
        self._set_roots()

    def _plan_wake(self) -> None:
        """A job that waits for a file to be written needs someone to wake it."""
        after = self.session.wake_after()
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        if after is not None and after > 0:
            self._wake = asyncio.get_running_loop().call_later(after + 0.01, self._pump)

    def _settle(self) -> None:
        if self.is_idle:
            self.session.observe()
            self._idle.set()

    # -- watching ---------------------------------------------------------------------------

    async def _watch(self) -> None:
        assert self._watcher is not None
        await self._watcher.run()

    def _watch_words(self) -> str:
        return self._watcher.mode if self._watcher is not None else ""

    def _set_roots(self) -> None:
        """Tell the watcher what concerns the eval and the run on screen."""
        watcher, config = self._watcher, self._config
        if watcher is None:
            return
        files = {os.path.join(self.options.root, ".env")}
        if self.options.config:
            files.add(self.options.config)
        folders, whole, flat = {self.options.root}, set[str](), set[str]()
        if config is not None:
            files.update(config.looked_for)
            folders.add(os.path.dirname(config.path))
            flat.update(project.runs_folders(config, self.options))
            if config.dataset:
                whole.add(config.dataset)
        if self._run is not None:
            whole.add(self._run.path)
            flat.add(os.path.dirname(self._run.path))
        files.update(self.session.index.paths())
        wanted = (folders, files, whole, flat)
        if wanted != self._watched:
            self._watched = wanted
            watcher.set_roots(folders, files, whole=whole, flat=flat)

    def _changed(self, change: ChangeLike) -> None:
        self.apply(change.paths)
        self.session.set_status(watching=self._watch_words())

    def apply(self, paths: frozenset[str]) -> None:
        """Take in that these files and folders changed."""
        if self._closed:
            return
        trigger = _name_of(paths, self.options.root)
        if self.missing:
            self._spawn(self._open())
            return
        again = self._config is None
        if self._concerns_config(paths):
            again = self._read_config() or again
        if self._follow_runs(paths):
            return
        if self._run is not None and os.path.join(self._run.path, "summary.yaml") in paths:
            self._recorded = project.recorded_of(self._run, self._recorded)
            again = True
        if os.path.join(self.options.root, ".env") in paths:
            policy = self.session.policy
            self.session.policy = replace(policy, has_key=project.has_key(self.options))
            again = True
        if again or self._concerns_rows(paths):
            self._update(trigger)
            self._set_roots()
        self.session.changed(paths, trigger)
        self._pump()

    def _concerns_config(self, paths: frozenset[str]) -> bool:
        if self.options.config in paths or self._config is None:
            return True
        return not paths.isdisjoint(self._config.looked_for)

    def _concerns_rows(self, paths: frozenset[str]) -> bool:
        """Whether a case may have come or gone: a folder of cases, or one right below it."""
        folders = [self._config.dataset] if self._config and self._config.dataset else []
        if self._run is not None:
            folders += [self._run.path, os.path.join(self._run.path, "cases")]
        known = set(folders)
        return any(
            path in known
            or os.path.dirname(path) in known
            or any(folder.startswith(path + os.sep) for folder in folders)
            for path in paths
        )

    def _follow_runs(self, paths: frozenset[str]) -> bool:
        """Look for new runs; True when another run is shown because of it (S18)."""
        config = self._config
        if config is None:
            return False
        roots = project.runs_folders(config, self.options)
        if not any(
            path == root or path.startswith(root + os.sep) for path in paths for root in roots
        ):
            return False
        inside = self._run.path + os.sep if self._run is not None else "\0"
        beside = [
            p for p in paths if not p.startswith(inside) or os.path.basename(p) == "run_result.json"
        ]
        if not beside:
            return False
        self._runs = project.runs_of(config, self.options)
        self.session.touch_structure()
        newest = self._runs[0] if self._runs else None
        gone = self._run is not None and all(run.path != self._run.path for run in self._runs)
        if newest is None or not (self._following or gone):
            return False
        if self._run is not None and newest.path == self._run.path:
            self._run = newest
            return False
        self._spawn(self._show_run(newest, f"new run {newest.id}"))
        return True


def _name_of(paths: Iterable[str], root: str) -> str:
    """What the status line says changed: one path, or how many."""
    names = sorted(paths)
    files = [p for p in names if not any(q.startswith(p + os.sep) for q in names)] or names
    if not files:
        return ""
    first = relative(files[0], root)
    return first if len(files) == 1 else f"{first} and {len(files) - 1} more"
