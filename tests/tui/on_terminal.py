"""Run by tests in a terminal of their own: the app around a driver without an engine.

`python -m tests.tui.on_terminal [crash | hostile | broken]`
"""

from __future__ import annotations

import sys

from eval_tui.tui.run import run_app
from eval_tui.tui.screens.grid import GridScreen
from tests.tui.fake import FakeDriver, check, ran, sample_driver
from tests.tui.hostile import ALL


def crash(self: GridScreen) -> None:
    """An error of our own in a handler, with a secret in a local variable and in its message."""
    import os

    key = os.environ["SOME_API_KEY"]
    raise RuntimeError(f"\x1b]0;title\x07[/] {key}")


async def broken_start() -> None:
    raise OSError("no worker")


def main() -> int:
    driver = sample_driver()
    if "hostile" in sys.argv:
        driver = FakeDriver(ran(*ALL), [check(name) for name in ALL])
    if "crash" in sys.argv:
        GridScreen.action_sort = crash
    if "broken" in sys.argv:
        driver.start = broken_start  # type: ignore[method-assign]
    return run_app(driver)


if __name__ == "__main__":
    sys.exit(main())
