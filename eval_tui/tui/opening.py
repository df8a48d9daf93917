"""Going to another run or eval, which may have gone since it was listed."""

from __future__ import annotations

from collections.abc import Awaitable

from textual.message_pump import MessagePump

from eval_tui.engine.project import NoSuchThing
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say


def open_run(node: MessagePump, driver: Driver, run_id: str) -> None:
    """Look at a run; the last that was asked for counts."""
    _begin(node, driver.open_run(run_id))


def open_eval(node: MessagePump, driver: Driver, path: str) -> None:
    """Look at an eval of the project; the last that was asked for counts."""
    _begin(node, driver.open_eval(path))


def _begin(node: MessagePump, opening: Awaitable[None]) -> None:
    app = app_of(node)  # not the screen, which may be left at once

    async def opened() -> None:
        try:
            await opening
        except NoSuchThing as error:
            say(app, str(error), "warning")

    app.run_worker(opened(), exclusive=True, group="open")
