"""Running the app on a terminal, and leaving the terminal whole whatever ends it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from typing import Final

from eval_tui.tui.app import EvalApp
from eval_tui.tui.face import Driver

CLOSE_SECONDS: Final = 5.0
"""How long the driver may take to close."""

END_SECONDS: Final = CLOSE_SECONDS + 2.0
"""How long everything may take after a signal. With its terminal gone, the app may wait for ever
for what it draws to be taken; the workers end with the process, however that ends."""

UNUSABLE: Final = 2

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_app(
    driver: Driver, theme: str | None = None, ascii: bool = False, mouse: bool = True
) -> int:
    """Run until the person leaves; the exit code of the process.

    0 after leaving, 1 after an error of our own, 128 + n after signal n, 2 where there is no
    terminal to draw on: then nothing is drawn and standard error names the command to use.
    """
    if not _on_terminal():
        print(
            "eval-tui needs a terminal to draw on. For plain output use: eval-tui score",
            file=sys.stderr,
        )
        return UNUSABLE
    return asyncio.run(_run(EvalApp(driver, theme, ascii, mouse)))


def _on_terminal() -> bool:
    if os.environ.get("TERM", "") in ("", "dumb"):
        return False
    # Textual draws on standard error and reads standard input.
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _end(app: EvalApp, code: int) -> None:
    """End the app, and the process in any case."""
    last_resort = threading.Timer(END_SECONDS, os._exit, (code,))
    last_resort.daemon = True
    last_resort.start()
    app.end(code)


async def _run(app: EvalApp) -> int:
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, _end, app, 128 + number)
    try:
        await app.run_async(mouse=app.mouse)
    finally:
        try:
            await asyncio.wait_for(app.engine.close(), CLOSE_SECONDS)
        except TimeoutError:
            print("eval-tui: the engine did not close in time", file=sys.stderr)
    return app.return_code or 0
