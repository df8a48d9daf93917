"""What the engine knows of runs that are not in view, and of cells that nobody can be asked about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval_tui.engine.grid import CellKey
from eval_tui.judges.fingerprint import fingerprint
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


async def test_what_a_judge_said_before_its_module_was_edited_is_not_its_word(
    tmp_path: Path,
) -> None:
    judge = {"name": "words", "module": "judges.words", "function": "enough"}
    code = {
        "judges/words.py": "from .limit import LIMIT\n\n"
        "def enough(outputs):\n    return len(outputs['files']['out/page.md']) > LIMIT\n",
        "judges/__init__.py": "",
        "judges/limit.py": "LIMIT = 1\n",
    }
    root = write_project(tmp_path / "p", [judge, *JUDGES], ["a"], run="r1", files=code)
    write_case(root, "a", "r2")
    async with live(root, run="r1"):
        pass
    async with live(root, run="r2") as project:
        driver = project.driver
        first = next(run for run in driver.runs() if run.id == "r1")
        columns = {one.name: one for one in driver.grid.columns}

        async def of_first(judge: str) -> list[bool]:
            """Whether anything is known, in each of the ways to ask."""
            grid = (await driver.finding.stored([first]))["r1"]
            column = await driver.finding.column(first, columns[judge])
            said = await driver.finding.said(first, CellKey("a", judge))
            return [grid.cell("a", judge).score is not None, "a" in column, said is not None]

        assert await of_first("words") == [True] * 3
        before = driver.status.code
        (root / "judges" / "limit.py").write_text("LIMIT = 1000\n")
        await project.until(lambda: project.value("a", "words") is False)
        assert await of_first("words") == [False] * 3
        assert driver.status.code > before, "so that who looks at other runs looks again"
        noted = {"value": True, "judge_digest": fingerprint(columns["words"])}
        summary = run_dir(root, "r1") / "summary.yaml"
        summary.write_text(json.dumps({"per_case": {"a": {"words": noted}}}))
        assert await of_first("words") == [False] * 3, "nor what was written down of it then"
        summary.unlink()
        assert await of_first("long") == [True] * 3, "another judge is what it was"
        (root / "judges" / "limit.py").write_text("LIMIT = 1\n")
        await project.until(lambda: project.value("a", "words") is True)
        assert await of_first("words") == [True] * 3, "the edit is taken back"


async def test_a_file_is_compared_with_that_of_the_run_that_was_chosen_else_of_the_baseline(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "p", JUDGES, ["a"], run="r1")
    write_case(root, "a", "r2", text="text")
    write_case(root, "a", "r3", text="third")
    async with live(root, run="r3") as project:
        driver, config = project.driver, project.driver.config
        assert config is not None
        assert await driver.counterparts("a", "out/page.md") == ()
        await driver.finding.bless(config, driver.grid, "r1")
        for run, side, text in (("", "baseline", "page"), ("r2", "other", "text")):
            (found,) = await driver.counterparts("a", "out/page.md", run)
            assert (found.side, found.file.text) == (side, f"{text} of a\n")
        assert await driver.counterparts("a", "out/page.md", "gone") == ()


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
