"""Running the app on a terminal, and leaving the terminal whole whatever ends it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Final

from eval_tui.config.problems import Problem
from eval_tui.tui.app import EvalApp
from eval_tui.tui.face import Driver

CLOSE_SECONDS: Final = 5.0
"""How long the driver may take to close."""

END_SECONDS: Final = CLOSE_SECONDS + 2.0
"""How long everything may take after a signal. A terminal that is there and takes nothing (ctrl+s)
holds the app up for ever; the workers end with the process, however that ends."""

UNUSABLE: Final = 2

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_app(
    driver: Driver,
    theme: str | None = None,
    ascii: bool = False,
    mouse: bool = True,
    state: str = "",
    bell: bool = False,
    key_problems: Sequence[Problem] = (),
) -> int:
    """Run until the person leaves; the exit code of the process. See `EvalApp` for the options.

    0 after leaving, 1 after an error of our own, 128 + n after signal n, 2 where there is no
    terminal to draw on: then nothing is drawn and standard error names the command to use.
    """
    if not _on_terminal():
        print(
            "eval-tui needs a terminal to draw on. For plain output use: eval-tui score",
            file=sys.stderr,
        )
        return UNUSABLE
    return asyncio.run(
        _run(
            EvalApp(driver, theme, ascii, mouse, state=state, bell=bell, key_problems=key_problems)
        )
    )


def _on_terminal() -> bool:
    if os.environ.get("TERM", "") in ("", "dumb"):
        return False
    # Textual draws on standard error and reads standard input.
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _end_on_signals(app: EvalApp, loop: asyncio.AbstractEventLoop) -> None:
    """On each of the signals end the app, and the process in any case."""

    def end(number: int, _: FrameType | None) -> None:
        code = 128 + number
        last_resort = threading.Timer(END_SECONDS, os._exit, (code,))
        last_resort.daemon = True
        last_resort.start()
        with contextlib.suppress(RuntimeError):  # the loop is closed: it is ending
            loop.call_soon_threadsafe(app.end, code)

    # Not the loop's own handlers, which would have to wait while a terminal holds up the loop.
    for number in _SIGNALS:
        signal.signal(number, end)


async def _run(app: EvalApp) -> int:
    _end_on_signals(app, asyncio.get_running_loop())
    try:
        await app.run_async(mouse=app.mouse)
    finally:
        try:
            await asyncio.wait_for(app.engine.close(), CLOSE_SECONDS)
        except TimeoutError:
            print("eval-tui: the engine did not close in time", file=sys.stderr)
    return app.return_code or 0
