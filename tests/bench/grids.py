"""What a key press and many updates cost, on an app around a driver without an engine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellKey, CellState, Dirty, Row
from eval_tui.scores import measured
from eval_tui.tui.app import EvalApp
from eval_tui.tui.widgets.grid import CaseGrid
from tests.bench.ground import Figure, Ground, median
from tests.tui.fake import FakeDriver

SIZE = (160, 40)
PRESSES = 100


def key_press(ground: Ground) -> Iterator[Figure]:
    """One line down at the lower edge: the whole picture scrolls."""
    costs = {rows: asyncio.run(_scroll(rows)) for rows in (100, 10_000, 100_000)}
    for rows, cost in costs.items():
        yield Figure(f"a scrolled line at {rows:,} rows, CPU, median", cost * 1000, "ms", 12)
    yield Figure("  dearest over cheapest", max(costs.values()) / min(costs.values()), "x", 1.2)


async def _scroll(rows: int) -> float:
    app = EvalApp(_driver(rows))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*["pagedown"] * 2 if rows > 100 else ["pagedown"])
        costs: list[float] = []
        down = ["j"] * min(PRESSES, rows // 2)
        for key in down:
            began = time.process_time()
            await pilot.press(key)
            costs.append(time.process_time() - began)
    return median(costs)


def many_updates(ground: Ground) -> Iterator[Figure]:
    repaints, lost = asyncio.run(_flood(1_000))
    yield Figure("repaints of the grid for 1,000 updates at once", repaints, "", 1)
    yield Figure("keys lost in ten seconds of 100 updates a second", lost, "", 0)


async def _flood(count: int) -> tuple[int, int]:
    driver = _driver(1_000)
    app = EvalApp(driver)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.5)
        grid = app.screen.query_one("#grid", CaseGrid)
        calls: list[int] = []
        plain = grid.update_cells

        def counted(keys: object) -> None:
            calls.append(1)
            plain(keys)  # type: ignore[arg-type]

        grid.update_cells = counted  # type: ignore[method-assign]
        keys = list(driver.grid.cells)
        _change(driver, keys[:count], 0)
        await pilot.pause(0.3)
        repaints = len(calls)
        pressed, end, turn = 0, time.monotonic() + 10, 0
        await pilot.press("g")
        while time.monotonic() < end:
            turn += 1
            _change(driver, [keys[turn % len(keys)]], turn)
            if turn % 5 == 0:
                await pilot.press("j")
                pressed += 1
            await asyncio.sleep(0.01)
        await pilot.pause(0.2)
        at = grid.cursor
        assert at is not None
        return repaints, pressed - int(at.case.rpartition("-")[2])


def _change(driver: FakeDriver, keys: list[CellKey], turn: int) -> None:
    for key in keys:
        driver.grid.cells[key] = Cell(CellState.FRESH, measured(float(turn % 7)))
    driver.change(Dirty(frozenset(keys)))


def _driver(rows: int) -> FakeDriver:
    judges = [Judge(name=f"judge_{n:02}", kind="check", check="return True") for n in range(12)]
    driver = FakeDriver([Row(f"case-{n:06}", "ran") for n in range(rows)], judges)
    passed = Cell(CellState.FRESH, measured(True))
    driver.grid.cells = {
        CellKey(row.case, j.name): passed for row in driver.grid.rows for j in judges
    }
    return driver
