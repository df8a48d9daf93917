"""A walk through every screen, with the quickstart judged by the real engine.

tests/tui/test_looks.py compares what is seen with tests/tui/snapshots, which, like the pictures of the
guide, `python -m tests.picture` makes anew.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from textual import _wait
from textual.app import App
from textual.pilot import Pilot
from textual.screen import SystemModalScreen

from eval_tui.config.problems import Problem
from eval_tui.engine import supervisor
from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CaseView, CellKey, Detail, Status
from eval_tui.engine.project import Options
from eval_tui.tui.app import EvalApp
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.watch import Watcher
from tests.tui.seeing import screen_text, sees, until

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOTS = Path(__file__).parent / "snapshots"
RUN = Path("eval", "runs", "triage", "2026-03-02-haiku")
HERE = "/home/you/triage"
"""Where the projects are said to be."""
MIDDLE = (110, 30)
"""The size that the pictures of the guide have."""
SIZES = ((80, 24), MIDDLE, (200, 50))
FAILED = CellKey("double-charge", "asks_before_refund")
CITED = CellKey("angry-outage", "tools_worked")
ASKED = CellKey("feature-request", "tone")
MENDED = CellKey("invoice-vat", "valid_triage")
SOON = 1.0
"""Seconds that a view has to look like its snapshot; only one that does not takes them."""


@dataclass(frozen=True, slots=True)
class View:
    """A screen: where the cursor of the grid is, the keys that lead there, what it then says."""

    name: str
    keys: Sequence[str]
    says: str
    at: CellKey | None = FAILED


def case_tab(name: str, key: str, says: str, at: CellKey = CITED) -> View:
    return View(name, ("enter", key), says, at)


VIEWS = (
    View("grid", (), "speaks of a refund"),
    View("filter", ("slash", *"fail"), "5 of 8"),
    View("spoken", ("T",), "Judge"),
    View("runs", ("m",), "claude-haiku"),
    View("evals", ("E",), "thresholds"),
    View("problems", ("P",), "install it"),
    View("authority", ("A",), "No grader"),
    View("lenses", ("L",), "None yet"),
    View("groups", ("S",), "annotations.queue"),
    View("over-runs", ("H",), "over the runs"),
    View("help", ("question_mark",), "The grid"),
    View("palette", ("ctrl+p",), "Leave the app"),
    case_tab("reason", "1", "speaks of a refund", FAILED),
    case_tab("trace", "2", "2 errors"),
    case_tab("files", "3", "Kind regards"),
    case_tab("inputs", "4", "whatever its tone"),
    case_tab("logs", "5", "cache_read"),
    case_tab("why", "6", "What it read"),
    case_tab("request", "8", "The request", ASKED),
    View("opinion", ("V",), "cases reviewed"),
    View("disagreements", ("D",), "No judge says"),
)

CHANGED = (
    View("changed", (), "▲", MENDED),
    View("changes", ("d",), "fail → pass", MENDED),
    View("confirm", ("b",), "in its place", MENDED),
    View("side-by-side", ("equals_sign",), "  now ", MENDED),
    View("both-reasons", ("enter",), "now ·", MENDED),
)
"""After the file of a case was mended."""
DECLARED = (
    View("ground-truth", ("A",), "matches_ledger", None),
    View("ground-truth-review", ("enter",), "bookkeeping", None),
)


class StillDriver(Driver):
    """The engine, in a place and at a time that are always the same."""

    @property
    def status(self) -> Status:
        status = super().status
        return replace(status, banner=status.banner.replace(self.options.root, HERE))

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(
            replace(problem, message=problem.message.replace(sys.executable, "/usr/bin/python3"))
            for problem in super().problems
        )

    def detail(self, case: str, judge: str) -> Detail:
        detail = super().detail(case, judge)
        return replace(detail, at=time.time() - 330, duration_s=0.012) if detail.at else detail

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        view = await super().view(case, beginning)
        here = self.config.root if self.config else ""
        paths = ("case_dir", "input_path", "annotations_path", "events_path")
        return replace(view, **{path: getattr(view, path).replace(here, HERE) for path in paths})


def copied(example: str, folder: Path) -> Path:
    """An example that nobody has opened yet."""
    there = ROOT / "examples" / example
    return shutil.copytree(there, folder / example, ignore=shutil.ignore_patterns(".eval-tui"))


def copy_quickstart(folder: Path) -> Path:
    """The quickstart as it was written, at noon of the day that its run is named after."""
    root = copied("quickstart", folder)
    noon = time.mktime((2026, 3, 2, 12, 0, 0, 0, 0, -1))
    os.utime(root / RUN, (noon, noon))
    return root


def seen(app: App[int]) -> str:
    """The text of the screen."""
    whole = "".join(f"{line.rstrip()}\n" for line in screen_text(app).split("\n"))
    return at_noon(whole)


def at_noon(text: str) -> str:
    """A text or a picture with a fixed moment for each that it names."""
    moment = r"\d{4}-\d\d-\d\d( |&#160;)\d\d:\d\d(:\d\d)?"
    return re.sub(moment, lambda m: f"2026-03-02{m[1]}12:00{':00' if m[2] else ''}", text)


async def home(pilot: Pilot[int]) -> None:
    """Back to the grid, without a filter."""
    while not isinstance(pilot.app.screen, GridScreen):
        await pilot.press("escape")


def driver_of(pilot: Pilot[int]) -> Driver:
    assert isinstance(pilot.app, EvalApp)
    assert isinstance(pilot.app.engine, Driver)
    return pilot.app.engine


@asynccontextmanager
async def opened(
    root: Path, size: tuple[int, int], theme: str, **options: bool
) -> AsyncGenerator[Pilot[int], None]:
    """The app on a project."""
    place = str(root)
    first = supervisor.start_supervisor(None, place)
    driver = StillDriver(
        Options(root=place, **options), supervisor.supervisors(None, place, first), Watcher
    )
    try:
        async with EvalApp(driver, theme=theme).run_test(size=size) as pilot:
            yield pilot
    finally:
        await driver.close()


@contextmanager
def brisk() -> Generator[None]:
    """The pilot waits after each key until the app is idle for 20 ms, twice; 5 ms tell as much.

    What a view waits for besides is what it says.
    """
    before = _wait.SLEEP_GRANULARITY, _wait.SLEEP_IDLE
    _wait.SLEEP_GRANULARITY, _wait.SLEEP_IDLE = 0.005, 0.00025
    try:
        yield
    finally:
        _wait.SLEEP_GRANULARITY, _wait.SLEEP_IDLE = before


async def walk(
    folder: Path,
    size: tuple[int, int],
    themes: Sequence[str],
    take: Callable[[str, EvalApp], None],
) -> None:
    """Call `take` with the name of each view in turn, in each theme, when all of it is there."""
    with brisk():
        await _walk(folder, size, themes, take)


async def _walk(
    folder: Path,
    size: tuple[int, int],
    themes: Sequence[str],
    take: Callable[[str, EvalApp], None],
) -> None:
    theme = themes[0]

    async def stop(pilot: Pilot[int], view: View) -> None:
        await show(pilot, view)
        app = pilot.app
        assert isinstance(app, EvalApp)
        # From the theme that is on, so that the next view begins with the last one of this.
        for name in sorted(themes, key=lambda name: name != app.theme):
            if name != app.theme:
                app.theme = name
                await pilot.pause()
                if isinstance(app.screen, SystemModalScreen):  # keeps the colours it began with
                    await leave(pilot, view)
                    await show(pilot, view)
            await comes_to_rest(pilot, snapshot(view.name, size))
            take(view.name, app)

    root = copy_quickstart(folder)
    async with opened(root, size, theme) as pilot:
        await until(pilot, lambda: bool(driver_of(pilot).status.trigger), "the first look")
        await driver_of(pilot).idle()
        await sees(pilot, "66 cells ran")
        for view in VIEWS:
            await stop(pilot, view)
            await leave(pilot, view)
        await bless_and_mend(pilot, root)
        for view in CHANGED:
            await stop(pilot, view)
            await home(pilot)
    async with opened(copied("graders", folder), size, theme, look_only=True) as pilot:
        for view in DECLARED:
            await stop(pilot, view)
    (folder / "bare").mkdir()
    async with opened(folder / "bare", size, theme) as pilot:
        await stop(pilot, View("no-config", (), "watching", None))
    shutil.rmtree(root / RUN)
    async with opened(root, size, theme) as pilot:
        await stop(pilot, View("no-runs", (), "nothing to run", None))


async def comes_to_rest(pilot: Pilot[int], kept: Path) -> None:
    """Wait for what is drawn last, such as a scrollbar: until all is as kept, or soon given up."""
    wanted = kept.read_text("utf-8") if kept.exists() else ""
    deadline = time.monotonic() + SOON
    while seen(pilot.app) != wanted and time.monotonic() < deadline:
        await pilot.pause(0.01)


async def show(pilot: Pilot[int], view: View) -> None:
    screen = pilot.app.screen
    if view.at is not None:
        assert isinstance(screen, GridScreen)
        screen.cases.select(view.at)
        await pilot.pause()
    await pilot.press(*view.keys)
    said = f"{view.says} on {view.name}"
    await until(pilot, lambda: view.says in screen_text(pilot.app), said)
    if isinstance(screen := pilot.app.screen, GridScreen):
        await until(pilot, lambda: not screen.busy, "the preview is whole")
    await pilot.pause()


async def leave(pilot: Pilot[int], view: View) -> None:
    await home(pilot)
    if view.name == "filter":
        await pilot.press("escape", "escape")
    if view.name == "spoken":
        await pilot.press("T")


async def bless_and_mend(pilot: Pilot[int], root: Path) -> None:
    """Make the run the baseline, then mend the file of one case."""
    await pilot.press("b")
    await until(pilot, (root / ".eval-tui" / "baselines").is_dir, "a baseline")
    path = root / RUN / "cases" / MENDED.case / "output" / "triage.json"
    path.write_text(re.sub(r",(\s*})", r"\1", path.read_text("utf-8")), "utf-8")
    await sees(pilot, "3 cells ran")


def snapshot(name: str, size: tuple[int, int]) -> Path:
    """Where the text of a view is kept."""
    return SNAPSHOTS / f"{size[0]}x{size[1]}" / f"{name}.txt"
