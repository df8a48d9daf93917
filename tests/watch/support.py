"""A watcher at work on real files, and what it told."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from eval_tui.watch import Change, Watcher

NEVER_S = 3600.0
"""No sweep: whatever is seen was seen through events."""


class Told:
    """All changes that were told so far, and a way to wait for one."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._news = asyncio.Event()

    def __call__(self, change: Change) -> None:
        self.changes.append(change)
        self._news.set()

    @property
    def paths(self) -> set[str]:
        return {path for change in self.changes for path in change.paths}

    async def until(self, reached: Callable[[], bool]) -> None:
        """Wait until `reached()`; the test's own time limit is the only one."""
        while not reached():
            self._news.clear()
            await self._news.wait()

    async def told(self, *paths: os.PathLike[str] | str) -> None:
        """Wait until all `paths` have been told as changed."""
        wanted = {os.fspath(path) for path in paths}
        await self.until(lambda: wanted <= self.paths)

    def clear(self) -> None:
        self.changes.clear()


class Watching:
    """A running watcher. `settle` waits, by a write of its own, until nothing is under way."""

    def __init__(self, watcher: Watcher, told: Told, probe: Path) -> None:
        self.watcher, self.told, self._probe = watcher, told, probe
        self._count = 0

    async def settle(self) -> None:
        """Everything that was written before this call has been looked at when it returns."""
        for _ in range(2):
            self._count += 1
            probe = self._probe / f"probe-{self._count}"
            probe.write_text("x")
            await self.told.told(probe)

    def seen(self) -> set[str]:
        """All paths told, without the probes."""
        mine = os.fspath(self._probe)
        return {path for path in self.told.paths if not path.startswith(mine)}


@asynccontextmanager
async def watching(
    probe: Path,
    folders: Iterable[Path] = (),
    files: Iterable[Path] = (),
    *,
    whole: Iterable[Path] = (),
    flat: Iterable[Path] = (),
    ignore: Iterable[Path] = (),
    poll: bool = False,
    sweep_s: float = NEVER_S,
    poll_s: float = 0.05,
) -> AsyncIterator[Watching]:
    """Watch, with everything known from the start; `probe` must be a folder outside the rest."""
    told = Told()
    watcher = Watcher(told, poll=poll, sweep_s=sweep_s, poll_s=poll_s)
    for path in ignore:
        watcher.ignore(path)
    probe.mkdir(exist_ok=True)
    watcher.set_roots(folders, files, whole=[*whole, probe], flat=flat)
    task = asyncio.create_task(watcher.run())
    ready = asyncio.create_task(watcher.ready())
    try:
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        state = Watching(watcher, told, probe)
        await state.settle()
        told.clear()
        yield state
    finally:
        ready.cancel()
        task.cancel()
        await asyncio.gather(task, ready, return_exceptions=True)
