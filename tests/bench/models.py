"""What model judges cost against the stand-in server: requests, money committed, seconds, key presses."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual import events

from eval_tui.engine.calls import ModelCalls
from eval_tui.tui.app import EvalApp
from eval_tui.tui.widgets.grid import CaseGrid
from tests.bench.ground import Figure, Ground, median
from tests.support.fake_anthropic import FakeAnthropic
from tests.support.live import Live
from tests.support.models import asking, judge, values
from tests.support.small import write_config, write_project

CASES = [f"case-{number:03}" for number in range(200)]
PATIENCE = 300.0


def counts(ground: Ground) -> Iterator[Figure]:
    """200 cases x 5 model judges: what an edit, its revert, a reopening and a storm ask."""
    with FakeAnthropic() as server:
        yield from asyncio.run(_edits(server, ground.scratch / "edits"))
    with FakeAnthropic() as server:
        yield from asyncio.run(_storm(server, ground.scratch / "storm"))
    with FakeAnthropic() as server:
        yield from asyncio.run(_budget(server, ground.scratch / "budget"))


@contextlib.asynccontextmanager
async def _opened(root: Path, **options: Any) -> AsyncGenerator[Live]:
    project = Live(root, **options)
    try:
        await project.driver.start()
        await asyncio.wait_for(project.driver.idle(), PATIENCE)
        if project.watcher is not None:
            await project.watcher.ready()
        yield project
    finally:
        await project.driver.close()


async def _edits(server: FakeAnthropic, root: Path) -> list[Figure]:
    judges = [judge(f"judge-{number}", f"SCORE: {number}") for number in range(1, 6)]
    edited = [*judges[:4], judge("judge-5", "SCORE: 2 once more")]
    write_project(root, judges, CASES)
    found: list[Figure] = []

    def asked(what: str, limit: float) -> None:
        found.append(Figure(f"requests: {what}", len(server.requests), "", limit))
        server.reset()

    async with _opened(root, **asking(server, concurrency=16)) as project:
        asked("200 cases x 5 model judges", 1_000)
        write_config(root, edited)
        await project.until(lambda: set(values(project, "judge-5")) == {2})
        asked("one rubric edited", 200)
        write_config(root, judges)
        await project.until(lambda: set(values(project, "judge-5")) == {5})
        asked("  and put back", 0)
    async with _opened(root, **asking(server)):
        asked("  reopened", 0)
    return found


async def _storm(server: FakeAnthropic, root: Path) -> list[Figure]:
    write_project(root, [judge("rubric", "STATUS: 429*2 SCORE: 3")], CASES)
    began = time.perf_counter()
    async with _opened(root, **asking(server, concurrency=16)) as project:
        seconds = time.perf_counter() - began
        lost = sum(value != 3 for value in values(project, "rubric"))
    return [
        Figure("cells lost in a storm of 429*2 on 200 calls, 16 in flight", lost, "", 0),
        Figure("  until it is over", seconds, "s"),
    ]


async def _budget(server: FakeAnthropic, root: Path) -> list[Figure]:
    words = "USAGE: 630,500 SCORE:"
    judges = [judge(f"judge-{n}", f"{words} {n}") for n in range(1, 4)]
    write_project(root, judges, CASES)
    async with _opened(root, **asking(server, budget=1.0, concurrency=16)) as project:
        waiting = project.driver.select("waiting")
        rest = project.driver.estimate(waiting)
        calls = project.driver.work.calls
        assert isinstance(calls, ModelCalls) and calls.policy.budget is not None
        spent = calls.policy.budget.spent
        project.driver.rerun(waiting)
        await asyncio.wait_for(project.driver.idle(), PATIENCE)
        left = len(project.driver.select("waiting"))
    return [
        Figure("US dollars spent of a budget of 1, 16 in flight", spent, "USD", 1.0),
        Figure("  cells that wait, shown with their price", len(waiting), "", None, f"{rest.cost}"),
        Figure("  that still wait after one key", left, "", 0),
    ]


def pace(ground: Ground) -> Iterator[Figure]:
    """400 calls of 0.2 s, 20 in flight, through the whole app, and key presses meanwhile."""
    with _apart() as server:
        seconds, presses = asyncio.run(_pace(server, ground.scratch / "pace"))
    yield Figure("400 calls of 0.2 s, 20 in flight, over the ideal 4 s", seconds / 4.0, "x", 1.3)
    yield Figure("  a key press meanwhile, median", median(presses) * 1000, "ms", 16)


@dataclass(frozen=True)
class _Address:
    base_url: str


@contextlib.contextmanager
def _apart() -> Iterator[_Address]:
    """The server in a process of its own, so that it does not share our interpreter."""
    command = [sys.executable, "-m", "tests.support.fake_anthropic"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield _Address(f"http://127.0.0.1:{server.stdout.readline().strip()}")
        finally:
            server.terminate()


async def _pace(server: _Address, root: Path) -> tuple[float, list[float]]:
    judges = [judge(f"judge-{n}", f"DELAY: 0.2 SCORE: {n}") for n in (1, 2)]
    write_project(root, judges, CASES)
    project = Live(root, **asking(server, "free", concurrency=20))
    presses: list[float] = []
    app = EvalApp(project.driver)
    async with app.run_test(size=(120, 40)):
        await asyncio.wait_for(_waits_for_money(project), PATIENCE)
        project.driver.rerun(project.driver.select("row", CASES[-1]))
        await asyncio.wait_for(project.driver.idle(), PATIENCE)  # the SDK is loaded by now
        began = time.perf_counter()
        project.driver.rerun(project.driver.select("all"))
        grid = app.screen.query_one("#grid", CaseGrid)
        while not project.driver.is_idle:
            presses.append(await _press(app, grid, "j" if len(presses) % 20 < 10 else "k"))
            await asyncio.sleep(0.02)
        seconds = time.perf_counter() - began
    return seconds, presses


async def _press(app: EvalApp, grid: CaseGrid, key: str) -> float:
    """Seconds from a key press until the cursor has moved."""
    before, began = grid.cursor, time.perf_counter()
    app.post_message(events.Key(key, key))
    while grid.cursor == before:
        await asyncio.sleep(0)
    return time.perf_counter() - began


async def _waits_for_money(project: Live) -> None:
    while len(project.driver.select("waiting")) < 2 * len(CASES):
        await asyncio.sleep(0.05)
