"""What the engine knows of runs that are not in view, and of cells that nobody can be asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tui.engine.grid import CellKey
from eval_tui.scores import Measured
from tests.support.live import live
from tests.support.small import run_dir, write_case, write_config, write_project

pytestmark = pytest.mark.asyncio

LONG = 'return "page" in outputs["files"]["out/page.md"], "because " * 100'
JUDGES = [{"name": "long", "check": LONG}]


async def test_a_whole_reason_of_another_run_is_found_as_long_as_it_is_the_judges_word(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "p", JUDGES, ["a"], run="r1")
    write_case(root, "a", "r2", text="text")
    async with live(root, run="r1"):
        pass
    async with live(root, run="r2") as project:
        driver, key = project.driver, CellKey("a", "long")
        first = next(run for run in driver.runs() if run.id == "r1")
        found = await driver.finding.said(first, key)
        assert isinstance(found, Measured)
        assert (found.value, found.rationale) == (True, "because " * 100)
        assert project.value("a", "long") is False, "what is in view is the other one's"
        grid = (await driver.finding.stored([first]))["r1"]
        assert getattr(grid.cell("a", "long").score, "value", None) is True
        assert await driver.finding.said(first, CellKey("nobody", "long")) is None
        assert driver.rerun([CellKey("nobody", "long")]) == 0
        write_config(root, [{"name": "long", "check": "return True, 'short'"}])
        await project.until(lambda: project.value("a", "long") is True)
        assert await driver.finding.said(first, key) is None
        (run_dir(root, "r1") / "summary.yaml").write_text(
            "per_case: {a: {long: {value: true, rationale: noted down}}}\n"
        )
        recorded = await driver.finding.said(first, key)
        assert isinstance(recorded, Measured) and recorded.rationale == "noted down"


async def test_a_rerun_says_which_cells_wait_for_a_key(tmp_path: Path) -> None:
    asks = {"name": "asks", "prompt": "{{ conversation }}", "model": "m", "feedback_type": "bool"}
    root = write_project(tmp_path / "p", [*JUDGES, asks], ["a", "b"])
    async with live(root, environ={}) as project:
        cells = project.driver.select("all")
        assert len(cells) == 4
        assert project.driver.estimate(cells).keyless == 2
        assert project.driver.estimate([CellKey("a", "long")]).keyless == 0
    async with live(root, environ={"ANTHROPIC_API_KEY": "sk-ant-not-used"}) as project:
        found = project.driver.estimate(project.driver.select("all"))
        assert (found.keyless, found.calls) == (0, 2)
