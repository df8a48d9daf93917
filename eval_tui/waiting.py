"""Waiting for work to end, on a terminal with a bar that says how far it is."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Generator
from typing import Any, TextIO

from eval_tui.engine.driver import Driver


class Interruption:
    """Whether a signal asked for the end, and which."""

    def __init__(self) -> None:
        self.number = 0
        self._came = asyncio.Event()

    def set(self, number: int) -> None:
        self.number = self.number or number
        self._came.set()

    async def wait(self) -> None:
        await self._came.wait()


@contextlib.contextmanager
def interrupts(interruption: Interruption) -> Generator[None]:
    """While this lasts, signals that ask for the end are noted instead of ending the process."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        loop.add_signal_handler(number, interruption.set, number)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def until_idle(driver: Driver, interrupted: Interruption) -> None:
    """Wait for the end or an interruption; on a terminal a bar shows the progress."""
    waits: list[asyncio.Future[Any]] = [
        asyncio.ensure_future(driver.idle()),
        asyncio.ensure_future(interrupted.wait()),
    ]
    bar = _Bar(sys.stderr) if sys.stderr.isatty() else None
    try:
        over = False
        while not over:
            done, _ = await asyncio.wait(
                waits, timeout=0.1 if bar else None, return_when=asyncio.FIRST_COMPLETED
            )
            over = bool(done)
            if bar:
                bar.show(driver)
        if interrupted.number:
            driver.cancel(None)
    finally:
        for wait in waits:
            wait.cancel()
        if bar:
            bar.clear()


class _Bar:
    """One line on a terminal that says how far the scoring is."""

    WIDTH = 30

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = 0

    def show(self, driver: Driver) -> None:
        status = driver.status
        left = status.queued + status.running
        self._total = max(self._total, left + status.ran + status.reused)
        share = 1 - left / self._total if self._total else 1.0
        full = round(share * self.WIDTH)
        words = f"{share:4.0%}  {self._total - left:,} of {self._total:,} cells"
        self._stream.write(f"\r{'━' * full}{'╌' * (self.WIDTH - full)} {words}\x1b[K")
        self._stream.flush()

    def clear(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()
