"""The page in a real browser: what it shows, and that nothing in it runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from eval_tui.config.schema import Judge, RewardRules
from eval_tui.engine.grid import Cell, CellState, Row
from eval_tui.results.formats import FORMATS
from eval_tui.results.report import Report
from eval_tui.scores import Measured
from eval_tui.verdicts.compare import Difference
from eval_tui.verdicts.statistics import Tally
from tests.results.pages import Page
from tests.results.reports import HOSTILE, report
from tests.results.test_formats import words_of
from tests.support.grids import StillGrid

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = pytest.mark.skipif(not BROWSER, reason="there is no Chromium on the PATH")

TITLE = "demo · run r2"


class Shown(NamedTuple):
    page: Page
    """The document as the browser has it once it is loaded."""
    log: str


def show(text: str, folder: Path) -> Shown:
    """Open a page in a browser without a window."""
    file = folder / "page.html"
    file.write_text(text, "utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += [f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--dump-dom"]
    done = subprocess.run(
        [*command, file.as_uri()], capture_output=True, text=True, check=True, timeout=100
    )
    return Shown(Page.of(done.stdout), done.stderr)


@pytest.fixture
def hostile() -> Report:
    """Hostile text in every place where text can be."""
    rows = tuple(Row(text, "ran") for text in HOSTILE)
    columns = tuple(Judge(text, "check") for text in HOSTILE)
    after, before = (
        StillGrid(rows, columns, {(text, text): whole(passed, text) for text in HOSTILE})
        for passed in (False, True)
    )
    rules = RewardRules(weights=dict.fromkeys(HOSTILE, 1.0), gate=False)
    trials = [
        Difference(text, Tally(1, 1), Tally(0, 1), 1.0, significant=False) for text in HOSTILE
    ]
    return report(after, baseline=before, rules=rules, trials=tuple(trials))


def whole(passed: bool, text: str) -> Cell:
    parts = {text: Measured(passed, passed, text)}
    return Cell(CellState.FRESH, Measured(passed, passed, text, parts=parts))


def test_the_grid_in_a_browser_is_that_of_the_document(hostile: Report, tmp_path: Path) -> None:
    shown = show(FORMATS["html"](hostile), tmp_path)
    assert shown.page.grid == words_of(hostile)
    assert shown.page.rewards == ["0"] * len(HOSTILE)
    assert len(shown.page.details) == len(HOSTILE)
    assert shown.page.title == TITLE, "something in the page was executed"
    assert "script" not in shown.page.tags
    assert "Content Security Policy" not in shown.log, "the page's own style was refused"


def test_a_script_that_got_into_the_page_would_not_run(hostile: Report, tmp_path: Path) -> None:
    text = FORMATS["html"](hostile)
    script = "<script>document.title = 'run'</script><b onclick='0'></b></body>"
    shown = show(text.replace("</body>", script), tmp_path)
    assert "script" in shown.page.tags and shown.page.title == TITLE
    assert "Content Security Policy" in shown.log
