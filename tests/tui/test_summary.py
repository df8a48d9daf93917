"""Writing `summary.yaml` by key, and the column of rewards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from eval_tui.config.schema import EvalConfig, RewardRules, VerdictRules
from eval_tui.engine.grid import Cell, CellState, Row
from eval_tui.scores import Reason, Unmeasured, measured
from tests.tui.fake import FakeDriver, check, ran
from tests.tui.hostile import LITERAL
from tests.tui.seeing import drained, lines_of, running, screen_text, sees, until

pytestmark = pytest.mark.asyncio

RULES = RewardRules(weights={"a": 1, "b": 1}, raw=("a", "b"))


def rewarded(verdict: VerdictRules | None = None, root: str = "/project") -> FakeDriver:
    judges = check("a"), check("b")
    config = EvalConfig(
        "/project/eval.yaml",
        root,
        "wiki",
        "wiki",
        judges=judges,
        reward=RULES,
        verdict=verdict,
    )
    driver = FakeDriver(
        [*ran("one", "two", "three"), Row("late", "not_run")], judges, config=config
    )
    driver.put("one", "a", measured(0.5))
    driver.put("one", "b", measured(0.834))
    driver.put("two", "a", Cell(CellState.STALE, measured(0.2)))
    driver.put("two", "b", Unmeasured(Reason.GRADER_ERROR, "it broke"))
    driver.put("three", "a", Unmeasured(Reason.MISSING_SECRET, "no key"))
    driver.put("three", "b", Unmeasured(Reason.GRADER_ERROR, "it broke"))
    return driver


def words(lines: list[str], case: str) -> list[str]:
    return next(line for line in lines if line[1:].startswith(case)).split()


async def test_the_reward_stands_behind_the_cases_name():
    async with running(rewarded()) as (pilot, grid):
        lines = lines_of(grid)
        assert [words(lines, case)[1] for case in ("one", "two", "three", "late")] == [
            "0.667",
            "0.2*",
            "undef",
            "not",
        ]
        head = "\n".join(lines[: grid.header_height])
        assert "reward" in head and "0.433" in head
        assert "reward 0.433 2/3" in screen_text(pilot.app)


async def test_verdict_and_reward_stand_side_by_side_each_under_its_word():
    async with running(rewarded(VerdictRules())) as (_, grid):
        lines = lines_of(grid)
        title = next(line for line in lines if "reward" in line)
        row = next(line for line in lines if line[1:].startswith("one"))
        assert title.index("verdict") < title.index("reward")
        assert title.index("reward") + len("reward") >= row.index("0.667") + len("0.667")


async def test_the_preview_says_why_there_is_none_or_what_is_missing():
    async with running(rewarded()) as (pilot, _):
        await pilot.press("j")
        await sees(pilot, "reward 0.2*, without b (error)")
        await pilot.press("j")
        await sees(pilot, "reward undefined, nothing to weigh: a")


async def test_it_follows_its_cells_and_goes_with_its_rules():
    driver = rewarded()
    async with running(driver) as (pilot, grid):
        driver.put("three", "a", measured(1))
        await drained(pilot, driver)
        assert words(lines_of(grid), "three")[1] == "1"
        driver.config = EvalConfig("/project/eval.yaml", "/project", judges=driver.grid.columns)
        driver.lay_out()
        await drained(pilot, driver)
        assert "reward" not in "\n".join(lines_of(grid))


async def test_w_writes_the_summary_and_says_where(tmp_path: Path):
    driver = rewarded(root=str(tmp_path))
    driver.run_dir = str(tmp_path)
    async with running(driver) as (pilot, _):
        await pilot.press("w")
        await sees(pilot, "Wrote summary.yaml: 6 cells, 1 of them")
    assert driver.calls[0] == ("write_own", os.path.join(tmp_path, "summary.yaml"))
    found = yaml.safe_load((tmp_path / "summary.yaml").read_text("utf-8"))
    assert found["run_id"] == "run-2"
    assert found["per_case"]["two"]["b"]["error"] == "it broke"
    assert "late" not in found["per_case"]


async def test_a_summary_of_another_hand_is_written_over_only_when_that_is_confirmed(
    tmp_path: Path,
):
    driver, path = rewarded(root=str(tmp_path)), tmp_path / "summary.yaml"
    driver.run_dir = str(tmp_path)
    theirs = {"per_case": {"one": {"a": {"value": 9}, "b": 0.834, "c": True}}, "remark": "mine"}
    path.write_text(yaml.safe_dump(theirs), "utf-8")
    async with running(driver, size=(140, 30)) as (pilot, _):
        await pilot.press("w")
        await sees(pilot, "summary.yaml is there, and not as eval-tui left it.")
        await sees(
            pilot, "6 cells would be written: 1 get another value, 1 keep theirs, 4 are new."
        )
        await sees(pilot, "What stays: 1 cell not judged here, `remark`.")
        await pilot.press("n")
        assert yaml.safe_load(path.read_text("utf-8")) == theirs
        await pilot.press("w", "y")
        await sees(pilot, "Wrote summary.yaml: 6 cells")
        found = yaml.safe_load(path.read_text("utf-8"))
        assert (found["remark"], found["per_case"]["one"]["c"]) == ("mine", True)
        assert found["per_case"]["one"]["a"]["value"] == 0.5
        driver.put("one", "a", measured(0.25))
        await drained(pilot, driver)
        await pilot.press("w")
        await until(
            pilot, lambda: "value: 0.25" in path.read_text("utf-8"), "ours is not asked about"
        )


async def test_a_summary_that_cannot_be_written_is_told_and_nothing_else_happens(tmp_path: Path):
    driver = rewarded()
    async with running(driver) as (pilot, _):
        await pilot.press("w")
        await sees(pilot, "There is no run whose scores could be written.")
        folder = tmp_path / LITERAL[1].replace("/", "")
        driver.run_dir = str(folder)
        await pilot.press("w")
        await sees(pilot, "Nothing was written:")
    assert os.listdir(tmp_path) == []
