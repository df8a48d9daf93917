"""Draws the README's picture: `python -m tests.picture`.

The quickstart is opened with the real engine, and its screen is written to docs/grid.svg.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
from pathlib import Path

from eval_tui.engine import supervisor
from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CellKey
from eval_tui.engine.project import Options
from eval_tui.tui.app import EvalApp
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.watch import Watcher

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "grid.svg"
SIZE = (110, 30)
AT = CellKey("double-charge", "asks_before_refund")
"""Where the cursor stands unless the command names another cell."""


def portable(svg: str) -> str:
    """The picture with whatever monospaced font the reader has, and nothing to load."""
    svg = re.sub(r"\s*@font-face\s*\{[^}]*\}", "", svg)
    svg = re.sub(r"font-family:[^;]*Fira Code[^;]*;", "font-family: monospace;", svg)
    return re.sub(r"terminal-\d+", "grid", svg)


async def draw(root: Path, at: CellKey) -> str:
    """The screen as SVG, with everything judged and the cursor on a cell."""
    place = str(root)
    first = supervisor.start_supervisor(None, place)
    supervisors = supervisor.supervisors(None, place, first)
    driver = Driver(Options(root=place, config=""), supervisors, Watcher)
    app = EvalApp(driver, theme="dark")
    try:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            while not driver.status.trigger:
                await pilot.pause(0.01)
            await driver.idle()
            screen = app.screen
            assert isinstance(screen, GridScreen)
            await pilot.pause(0.1)
            screen.cases.select(at)
            await pilot.pause()
            while screen.busy:
                await pilot.pause(0.01)
            return app.export_screenshot(title="eval-tui")
    finally:
        await driver.close()


def main() -> None:
    at = CellKey(*sys.argv[1:3]) if len(sys.argv) > 2 else AT
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "quickstart"
        shutil.copytree(
            ROOT / "examples" / "quickstart", root, ignore=shutil.ignore_patterns(".eval-tui")
        )
        PICTURE.write_text(portable(asyncio.run(draw(root, at))), encoding="utf-8")


if __name__ == "__main__":
    main()
