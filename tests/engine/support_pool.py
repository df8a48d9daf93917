"""Running batches through a real pool, and looking at the processes that it leaves."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eval_tui.engine.batches import Batch, BatchInfo
from eval_tui.engine.frames import Message
from eval_tui.engine.pool import Pool
from eval_tui.engine.supervisor import SupervisorHandle, start_supervisor

EVALUATE = "tests.engine.support_evaluate"
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE_S = 60.0


class PoolRun:
    """A pool whose messages are kept."""

    def __init__(self, root: str, size: int = 2, python: str | None = None) -> None:
        self.root = root
        self.python = python
        self.handles: list[SupervisorHandle] = []
        self.messages: list[Message] = []
        self.infos: list[BatchInfo | None] = []
        self._came = asyncio.Event()
        self.pool = Pool(self._supervisor, size, self._take)
        self.generation = 0
        self._next = 0

    def _supervisor(self) -> SupervisorHandle:
        handle = start_supervisor(self.python, self.root, evaluate_module=EVALUATE)
        self.handles.append(handle)
        return handle

    def _take(self, message: Message, info: BatchInfo | None) -> None:
        self.messages.append(message)
        self.infos.append(info)
        self._came.set()

    async def __aenter__(self) -> PoolRun:
        await self.pool.start()
        self.renew()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.pool.close()

    def renew(self, *, keep_running: bool = False, **setup: Any) -> None:
        setup.setdefault("name", f"g{self.generation + 1}")
        self.generation = self.pool.new_generation(setup, keep_running=keep_running)

    def submit(
        self,
        *rows: tuple[str, Sequence[str]],
        limits: Mapping[str, float] | None = None,
        **item: Any,
    ) -> int:
        """A batch of (case, judges)."""
        self._next += 1
        cases = [
            {"case": case, "jobs": [{"judge": name} for name in judges], **item}
            for case, judges in rows
        ]
        self.pool.submit(Batch(self._next, self.generation, cases, {"x": "y"}, limits or {}))
        return self._next

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._came.clear()
                await self._came.wait()

    def of(self, kind: str, batch: int | None = None) -> list[Message]:
        return [
            message
            for message in self.messages
            if message["t"] == kind and batch in (None, message.get("id"))
        ]

    async def finished(self, *batches: int) -> None:
        def over() -> bool:
            ended = {m["id"] for m in self.messages if m["t"] in ("done", "cancelled")}
            return ended.issuperset(batches)

        await self.until(over)

    def cells(self, batch: int | None = None) -> dict[tuple[str, str], Message]:
        found = [*self.of("cell", batch), *self.of("lost", batch)]
        names = [(message["case"], message["judge"]) for message in found]
        assert len(names) == len(set(names)), "a cell was told twice"
        return dict(zip(names, found, strict=True))


def alive(pid: int) -> bool:
    """Whether a process exists and has not ended (a zombie has)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def descendants(pid: int) -> set[int]:
    """All processes below `pid`."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:
                    parents[int(entry)] = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


async def gone(pids: Sequence[int]) -> None:
    """Wait until none of the processes is left."""
    async with asyncio.timeout(PATIENCE_S):
        while any(alive(pid) for pid in pids):
            await asyncio.sleep(0.005)
