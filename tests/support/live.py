"""A driver on a real project with a real watcher, and waiting for what it does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CellState
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import supervisors
from eval_tui.watch import Watcher

PATIENCE = 20.0
"""Seconds after which a test that waits for something fails; never a pause."""


class Live:
    """A driver that tells when it has taken in a change and settled."""

    def __init__(self, root: Path, **more: Any) -> None:
        self.root = root
        options = Options(root=str(root.resolve()), **more)
        self.driver = Driver(options, supervisors(None, options.root), self._watcher)
        self.watcher: Watcher | None = None
        self._changes = 0
        self._changed = asyncio.Event()

    def _watcher(self, on_change: Callable[[Any], None]) -> Watcher:
        def told(change: Any) -> None:
            on_change(change)
            self._changes += 1
            self._changed.set()

        self.watcher = Watcher(told, poll=self.driver_polls, sweep_s=600)
        return self.watcher

    driver_polls = False

    async def start(self) -> None:
        await self.driver.start()
        await asyncio.wait_for(self.driver.idle(), PATIENCE)
        if self.watcher is not None:
            await asyncio.wait_for(self.watcher.ready(), PATIENCE)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a change has made `holds` true and nothing is due any more."""

        async def wait() -> None:
            while True:
                await self.driver.idle()
                if holds():
                    return
                self._changed.clear()
                idle = asyncio.ensure_future(self._changed.wait())
                work = asyncio.ensure_future(_busy(self.driver))
                await asyncio.wait([idle, work], return_when=asyncio.FIRST_COMPLETED)
                idle.cancel()
                work.cancel()

        await asyncio.wait_for(wait(), PATIENCE)

    async def running(self, case: str, judge: str) -> None:
        """Wait until the cell runs."""

        await self.shown(lambda: self.driver.grid.cell(case, judge).state is CellState.RUNNING)

    async def shown(self, holds: Callable[[], bool]) -> None:
        """Wait until the grid shows something, whatever else is under way."""

        async def wait() -> None:
            while not holds():
                await asyncio.sleep(0.01)

        await asyncio.wait_for(wait(), PATIENCE)

    async def next_change(self) -> None:
        """Wait until the next batch of changes was taken in and everything is settled again."""
        seen = self._changes
        await self.until(lambda: self._changes > seen)

    def value(self, case: str, judge: str) -> object:
        return getattr(self.driver.grid.cell(case, judge).score, "value", None)

    @property
    def ran(self) -> int:
        return self.driver.session.ran


async def _busy(driver: Driver) -> None:
    while driver.is_idle:
        await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def live(root: Path, **more: Any) -> AsyncGenerator[Live]:
    """An opened and settled project."""
    project = Live(root, **more)
    try:
        await project.start()
        yield project
    finally:
        await project.driver.close()
