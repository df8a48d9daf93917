"""The watcher: hints gathered into batches, compared with what is known, told as changes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from eval_tui.watch.hints import NoEvents, Source, open_source
from eval_tui.watch.index import Index
from eval_tui.watch.mounts import current_mounts, silent_mount
from eval_tui.watch.scope import Kind, Scope, make_roots

QUIET_S = 0.05
"""A batch is closed when nothing was heard for so long,"""
LONGEST_S = 0.5
"""and at the latest so long after its first hint."""
SLICE_S = 0.004
"""Longest piece of work between two turns of the event loop."""
SWEEP_S = 5.0
"""Pause between two comparisons of everything, as a net under the events."""
POLL_S = 1.0
"""The same when there are no events."""
SWEEP_SHARE = 0.02
POLL_SHARE = 0.1
"""Comparing may take at most this share of the time: large projects are compared less often."""
CLOCK_GRAIN_NS = 20_000_000
"""File times may be this much behind the clock."""
ASKED_LATE_NS = 60_000_000_000
"""A single file may have been read so long before it is asked for: what changed since is told."""

Mode = Literal["events", "polling"]
PathLike = os.PathLike[str] | str


@dataclass(frozen=True)
class Change:
    """What differs from what the watcher last knew."""

    paths: frozenset[str]
    """Absolute paths of files and folders that appeared, disappeared or have another signature,
    and of folders in whose listing an entry came or went."""
    rescan: bool = False
    """Hints were lost or a watched folder was replaced. `paths` is complete all the same; look
    again at whatever was derived from the folders as a whole."""


class Watcher:
    """Watches files and folders and calls `on_change` on the event loop.

    What was changed after the call of `set_roots` is reported even if the watcher had not seen
    the entry before, so call it *before* reading the files.
    """

    def __init__(
        self,
        on_change: Callable[[Change], None],
        *,
        poll: bool = False,
        sweep_s: float = SWEEP_S,
        poll_s: float = POLL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._on_change, self._clock = on_change, clock
        self._sweep_s, self._poll_s = sweep_s, poll_s
        self._why_polling = "asked for" if poll else ""
        self._source: Source | None = None
        self._index = Index(self._watch, self._unwatch)
        self._hints: set[tuple[str, str]] = set()
        self._last_hint = 0.0
        self._lost = False
        self._wake = asyncio.Event()
        self._ready = asyncio.Event()
        self._polls = asyncio.Event()
        self._mounted: dict[str, Kind] = {}
        self._given: frozenset[str] = frozenset()
        self._scope = Scope()
        self._new_scope: tuple[Scope, int] | None = None

    @property
    def mode(self) -> Mode:
        """How changes are seen."""
        return "polling" if self._why_polling else "events"

    @property
    def why_polling(self) -> str:
        """Why there are no events, in words; empty in the mode `events`."""
        return self._why_polling

    async def ready(self) -> None:
        """Wait until everything asked for so far is being watched and is known."""
        await self._ready.wait()

    def set_roots(
        self,
        folders: Iterable[PathLike],
        files: Iterable[PathLike] = (),
        *,
        whole: Iterable[PathLike] = (),
        flat: Iterable[PathLike] = (),
    ) -> None:
        """Say anew what to watch; cheap when nothing differs from the last time.

        `folders`: trees of code and configuration, without `.git`, virtual environments and the
        like. `whole`: trees in which everything counts (a run, a dataset). `flat`: only the names
        in the folder and in its direct subfolders (a runs folder). The nearest of them decides
        for what lies in several. `files`: single files; they need not exist yet.
        """
        # Thousands of files may be named again and again, so only new ones are looked at.
        given = frozenset(os.fspath(path) for path in files)
        added = {os.path.abspath(path) for path in given - self._given}
        dropped = {os.path.abspath(path) for path in self._given - given}
        self._given = given
        self._rescope(
            Scope(
                make_roots(folders, whole, flat),
                (self._scope.files - dropped) | added,
                self._scope.ignored,
            )
        )

    def ignore(self, path: PathLike) -> None:
        """Leave `path` and what is below it alone, except for roots inside it."""
        ignored = self._scope.ignored | {os.path.abspath(path)}
        self._rescope(Scope(self._scope.roots, self._scope.files, ignored))

    def _rescope(self, scope: Scope) -> None:
        if scope == self._scope:
            return
        self._scope = scope
        since_ns = time.time_ns() - CLOCK_GRAIN_NS
        if self._new_scope is not None:
            since_ns = min(since_ns, self._new_scope[1])
        self._new_scope = scope, since_ns
        self._ready.clear()
        self._wake.set()

    @contextmanager
    def expect(self, path: PathLike) -> Generator[None]:
        """`with watcher.expect(path): write(path)`: this write of our own is not reported (S14)."""
        full = os.path.abspath(path)
        self._index.held.add(full)
        try:
            yield
        finally:
            self._index.held.discard(full)
            self._index.keep(full)

    async def run(self) -> None:
        """Watch until cancelled. What `on_change` raises ends the watching and is raised here."""
        loop = asyncio.get_running_loop()
        if not self._why_polling:
            try:
                self._source = open_source(self._hint, self._poll_because, loop)
            except NoEvents as error:
                self._poll_because(str(error))
        tasks = [loop.create_task(self._batches()), loop.create_task(self._sweeps())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            self._close_source()

    # Hints

    def _hint(self, folder: str, name: str) -> None:
        if not folder:
            self._lost = True
        elif self._index.concerns(folder, name):
            self._hints.add((folder, name))
        else:
            return
        self._last_hint = self._clock()
        self._wake.set()

    def _watch(self, folder: str, deep: bool) -> None:
        if self._source is None:
            return
        try:
            self._source.add(folder, deep)
        except NoEvents as error:
            self._poll_because(str(error))

    def _unwatch(self, folder: str) -> None:
        if self._source is not None:
            self._source.remove(folder)

    def _poll_because(self, why: str) -> None:
        self._why_polling = why
        self._polls.set()
        self._close_source()
        # What the broken source did not tell is found by comparing.
        self._lost = bool(self._index.folders)
        self._wake.set()

    def _close_source(self) -> None:
        if self._source is not None:
            self._source.close()
            self._source = None

    # Work, in slices

    async def _batches(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._hints:
                await self._until_quiet()
            await self._slices(self._work())
            self._tell()
            if not self._wake.is_set():
                self._ready.set()

    async def _until_quiet(self) -> None:
        first = self._clock()
        while (now := self._clock()) - first < LONGEST_S and now - self._last_hint < QUIET_S:
            await asyncio.sleep(QUIET_S / 5)

    def _work(self) -> Iterator[None]:
        """Everything that is due: a new scope, lost events, hints, folders that appeared."""
        index = self._index
        if self._new_scope is not None:
            scope, since_ns = self._new_scope
            self._new_scope = None
            self._look_at_mounts(scope)
            yield from index.rescope(scope, since_ns)
        if self._lost:
            yield from self._everything()
        yield from self._look()
        yield from index.ask_files(time.time_ns() - ASKED_LATE_NS)

    def _look(self) -> Iterator[None]:
        told = self._clock()
        while self._hints or self._index.todo:
            while self._hints:
                self._index.look(*self._hints.pop())
                yield
            if self._index.todo:
                yield from self._index.list(self._index.todo.popleft())
            if self._index.changed and self._clock() - told > LONGEST_S:
                self._tell()
                told = self._clock()

    def _everything(self) -> Iterator[None]:
        for path in tuple(self._index.folders):
            yield from self._index.list(path)

    async def _slices(self, work: Iterator[None], pause_s: float = 0.0) -> float:
        """Do `work` without holding up the loop; returns the seconds that it took by itself."""
        busy = 0.0
        begin = self._clock()
        for _ in work:
            if self._clock() - begin > SLICE_S:
                busy += self._clock() - begin
                await asyncio.sleep(pause_s)
                begin = self._clock()
        return busy + self._clock() - begin

    async def _sweeps(self) -> None:
        busy = 0.0
        while True:
            polling = self.mode == "polling"
            every, share = (self._poll_s, POLL_SHARE) if polling else (self._sweep_s, SWEEP_SHARE)
            pause = max(every, busy / share)
            if polling:
                await asyncio.sleep(pause)
            else:
                # Cut short when events fail: the pauses of polling are shorter.
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._polls.wait(), pause)
            busy = await self._slices(self._everything(), SLICE_S)
            if self._index.changed or self._index.todo:
                self._wake.set()

    def _look_at_mounts(self, scope: Scope) -> None:
        if self.mode == "polling" or scope.roots == self._mounted:
            return
        self._mounted = scope.roots
        # Single files are few or lie inside the roots; a thousand of them are not worth the time.
        if found := silent_mount(scope.roots, current_mounts()):
            path, kind = found
            self._poll_because(f"{path} is on a mount of type {kind}, which reports no changes")

    def _tell(self) -> None:
        index = self._index
        rescan = self._lost or index.replaced_root
        paths = frozenset(index.changed)
        index.changed.clear()
        index.replaced_root = self._lost = False
        if paths or rescan:
            self._on_change(Change(paths, rescan))
