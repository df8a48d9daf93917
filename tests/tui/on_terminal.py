"""Run by tests in a terminal of their own: the app around a driver without an engine.

`python -m tests.tui.on_terminal [crash | hostile | broken]`
"""

from __future__ import annotations

import sys

from eval_tui.tui.keymap import take_keys

KEY_PROBLEMS = take_keys()  # before the screens are imported

from eval_tui.tui.run import run_app  # noqa: E402
from eval_tui.tui.screens.grid import GridScreen  # noqa: E402
from tests.tui.fake import FakeDriver, check, ran, sample_driver  # noqa: E402
from tests.tui.hostile import ALL  # noqa: E402


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
    return run_app(driver, key_problems=KEY_PROBLEMS)


if __name__ == "__main__":
    sys.exit(main())
