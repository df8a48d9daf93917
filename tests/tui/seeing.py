"""What a person sees: the text of a widget or of the whole screen."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual._context import visible_screen_stack
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

from eval_tui.tui.app import EvalApp
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.widgets.grid import CaseGrid
from tests.tui.fake import FakeDriver

PATIENCE = 20.0
"""Seconds; only a test that fails waits this long."""


def lines_of(grid: CaseGrid) -> list[str]:
    """The lines of the grid as drawn now."""
    return [grid.render_line(y).text for y in range(grid.size.height)]


def screen_text(app: App[int]) -> str:
    """Everything on the screen."""
    return "\n".join(strip.text for strip in screen_strips(app))


def screen_strips(app: App[int]) -> list[Strip]:
    """The screen as it would be drawn now, with what shows behind a window."""
    # As the app does before it draws; without it a window stands before nothing, and stays so.
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


@asynccontextmanager
async def running(
    driver: FakeDriver, size: tuple[int, int] = (120, 30), **options: bool
) -> AsyncIterator[tuple[Pilot[int], CaseGrid]]:
    """The app around a driver, laid out, with its grid."""
    app = EvalApp(driver, **options)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, GridScreen)
        yield pilot, app.screen.cases


async def until(pilot: Pilot[int], reached: Callable[[], bool], what: str = "") -> None:
    """Let the app go on until something is so; fails if it never is."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        if time.monotonic() > deadline:
            pytest.fail(f"never happened: {what}\n{screen_text(pilot.app)}")
        await pilot.pause(0.01)


async def sees(pilot: Pilot[int], text: str) -> None:
    """Let the app go on until this text is on the screen."""
    await until(pilot, lambda: text in screen_text(pilot.app), f"{text!r} on the screen")


async def drained(pilot: Pilot[int], driver: FakeDriver) -> None:
    """Wait until the app has taken what changed, and has drawn it."""
    await until(pilot, lambda: not driver.dirty, "the changes are taken")
    await pilot.pause()
