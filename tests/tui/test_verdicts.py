"""Verdicts in the grid and in a case, and ground truth that is reviewed and accepted in the app."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from eval_tui.config.load import load_config
from eval_tui.config.schema import EvalConfig, Judge, Threshold, VerdictRules
from eval_tui.engine.grid import Cell, CellState, Row
from eval_tui.scores import Measured, Reason, Unmeasured, measured
from eval_tui.tui.screens.authority import AuthorityScreen
from eval_tui.tui.screens.review import ReviewScreen
from eval_tui.verdicts.lock import read_lock
from tests.support.small import write_project
from tests.tui.fake import FakeDriver, check, ran
from tests.tui.hostile import LITERAL
from tests.tui.seeing import drained, lines_of, running, screen_text, sees, until

pytestmark = pytest.mark.asyncio

BROKEN = Unmeasured(Reason.GRADER_ERROR, "it broke")


def flat(*judges: Judge, rows: list[Row] | None = None) -> FakeDriver:
    config = EvalConfig(
        "/project/eval.yaml", "/project", "wiki", "wiki", judges=judges, verdict=VerdictRules()
    )
    return FakeDriver(ran("a", "b", "c") if rows is None else rows, judges, config=config)


def three() -> FakeDriver:
    driver = flat(check("links"), check("facts"))
    for case, links, facts in (("a", True, True), ("b", True, False), ("c", True, None)):
        driver.put(case, "links", measured(links))
        driver.put(case, "facts", BROKEN if facts is None else measured(facts))
    return driver


def verdicts(lines: list[str], *cases: str) -> list[str]:
    rows = (next(line for line in lines if line[1:].startswith(case)) for case in cases)
    return [line.split()[1] for line in rows]


async def test_the_verdict_stands_first_behind_the_cases_name():
    async with running(three()) as (_, grid):
        assert verdicts(lines_of(grid), "a", "b", "c") == ["✓", "✗", "?"]
        assert "verdict" in "\n".join(lines_of(grid)[: grid.header_height])


async def test_without_letters_beyond_ascii_it_can_be_read_as_well():
    async with running(three(), ascii=True) as (_, grid):
        assert verdicts(lines_of(grid), "b", "c") == ["F", "?"]


async def test_there_is_no_column_where_nobody_said_what_passing_means():
    driver = FakeDriver(ran("a"), [check("links")])
    driver.put("a", "links", measured(True))
    async with running(driver) as (pilot, grid):
        assert "verdict" not in screen_text(pilot.app)
        assert next(line for line in lines_of(grid) if line[1:].startswith("a")).count("✓") == 1


async def test_it_follows_its_cells_and_says_when_it_rests_on_something_old():
    driver = three()
    async with running(driver) as (pilot, grid):
        driver.put("c", "facts", measured(True))
        await drained(pilot, driver)
        assert verdicts(lines_of(grid), "c") == ["✓"]
        driver.put("c", "facts", Cell(CellState.STALE, measured(True)))
        await drained(pilot, driver)
        assert verdicts(lines_of(grid), "c") == ["✓*"]


async def test_a_case_that_did_not_run_has_none():
    driver = flat(check("links"), rows=[*ran("a"), Row("late", "not_run")])
    driver.put("a", "links", measured(True))
    async with running(driver) as (pilot, grid):
        assert verdicts(lines_of(grid), "late") == ["not"]
        await sees(pilot, "1 passed, 0 failed, 0 not evaluated")


async def test_the_title_counts_each_state_by_itself():
    driver = three()
    async with running(driver) as (pilot, _):
        await sees(pilot, "1 passed, 1 failed, 1 not evaluated")
        driver.put("b", "facts", measured(True))
        await sees(pilot, "2 passed, 0 failed, 1 not evaluated")
    async with running(three(), size=(80, 24)) as (pilot, _):
        await sees(pilot, "1✓ 1✗ 1?")


async def test_critical_cases_have_a_gate_of_their_own():
    driver = three()
    rules = VerdictRules(critical_cases=({"id": "a"}, {"id": "b"}))
    limits = (Threshold("links", "min_pass_rate", 0.5),)
    driver.config = replace(driver.config, verdict=rules, thresholds=limits)
    driver.authority.read(driver.config)
    async with running(driver, size=(160, 40)) as (pilot, grid):
        assert "✗ 1/2 critical" in "\n".join(lines_of(grid)[: grid.header_height])
        await sees(pilot, "1 not evaluated · critical cases: 1 failed (b), 1 passed")
        await pilot.press("j")
        await sees(pilot, "critical case, verdict ✗ failed")
        await pilot.press("j")
        await sees(pilot, " verdict ? not evaluated")
        driver.put("b", "facts", measured(True))
        await sees(pilot, "critical cases: 2 passed")
        driver.put("a", "links", BROKEN)
        await sees(pilot, "critical cases: 1 not evaluated (a), 1 passed")


async def test_it_stays_in_view_when_the_judges_scroll():
    driver = flat(*(check(f"judge_number_{number}") for number in range(20)))
    for judge in driver.grid.columns:
        driver.put("a", judge.name, measured(True))
        driver.put("b", judge.name, measured(judge.name != "judge_number_0"))
    async with running(driver, size=(80, 24)) as (pilot, grid):
        for _ in range(19):
            await pilot.press("l")
        assert "judge_number_0" not in lines_of(grid)[0]
        assert verdicts(lines_of(grid), "a", "b") == ["✓", "✗"]


async def test_the_preview_and_the_case_say_what_decided_or_what_is_missing():
    async with running(three()) as (pilot, _):
        await sees(pilot, "verdict ✓ passed")
        await pilot.press("enter")
        await sees(pilot, "passed, by everything that passes or fails: links, facts")
        await pilot.press("escape", "j")
        await sees(pilot, "verdict ✗ failed")
        await pilot.press("enter")
        await sees(pilot, "failed, by everything that passes or fails: facts")
        await pilot.press("escape", "j", "enter")
        await sees(pilot, "? not evaluated, something that decides was not measured: facts")


@pytest.mark.parametrize("name", LITERAL)
async def test_names_in_the_reasons_are_shown_as_they_are(name: str):
    driver = flat(check(name), rows=ran("a"))
    driver.put("a", name, BROKEN)
    async with running(driver) as (pilot, _):
        await pilot.press("enter")
        await sees(pilot, f"not measured: {name} (grader_error)")


# Ground truth


@pytest.fixture
def project(tmp_path: Path) -> Path:
    grader = {
        "id": "script",
        "config": {"id": "business", "cmd": "sh check.sh"},
        "metrics": [{"id": "quality", "authority": "ground_truth"}],
    }
    files = {"check.sh": "echo SCORE=1\n"}
    return write_project(tmp_path / "p", [], (), files=files, graders=[grader])


def graded(root: Path) -> FakeDriver:
    config = load_config(root / "eval.yaml", root)
    driver = FakeDriver(ran("a", "b"), config.judges, config=config)
    for case, passed in (("a", True), ("b", False)):
        quality = Measured(float(passed), passed)
        driver.put(case, "business", Measured(float(passed), passed, parts={"quality": quality}))
    return driver


async def test_ground_truth_counts_once_a_person_has_typed_its_name(project: Path):
    driver, lock = graded(project), project / "eval-tui.lock"
    async with running(driver) as (pilot, grid):
        assert verdicts(lines_of(grid), "a", "b") == ["?", "?"]
        await pilot.press("A")
        await sees(pilot, "unreviewed")
        await pilot.press("enter")
        await sees(pilot, "1 become passed, 1 become failed (of 2 cases)")
        await sees(pilot, "echo SCORE=1")
        await pilot.press("enter", *"yes", "enter")
        await pilot.pause()
        assert not lock.exists()
        await pilot.press("escape", "enter", *"quality", "enter")
        await until(pilot, lock.exists, "the lock is written")
        (entry,) = read_lock(str(lock)).entries
        assert (entry.metric, entry.config) == ("quality", "eval.yaml")
        assert entry.accepted_by
        await sees(pilot, "accepted as it is")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, AuthorityScreen))
        await pilot.press("escape")
        await until(pilot, lambda: verdicts(lines_of(grid), "a", "b") == ["✓", "✗"])


async def test_a_change_behind_accepted_ground_truth_is_shown_as_a_diff(project: Path):
    driver = graded(project)
    driver.authority.accept(driver.authority.reviews[0], "a reviewer")
    (project / "check.sh").write_text("echo SCORE=0\n")
    driver.authority.read(driver.config)
    async with running(driver) as (pilot, grid):
        assert verdicts(lines_of(grid), "a", "b") == ["?", "?"]
        await pilot.press("A", "enter")
        for text in ("drifted", "by a reviewer", "-echo SCORE=1", "+echo SCORE=0"):
            await sees(pilot, text)


async def test_leaving_the_question_accepts_nothing(project: Path):
    driver = graded(project)
    async with running(driver) as (pilot, _):
        await pilot.press("A", "enter", "enter", *"quality", "escape")
        await until(pilot, lambda: "Type the metric's name" not in screen_text(pilot.app))
        assert isinstance(pilot.app.screen, ReviewScreen)
        assert not (project / "eval-tui.lock").exists()


async def test_without_ground_truth_the_list_says_how_to_declare_it():
    async with running(three()) as (pilot, _):
        await pilot.press("A")
        await sees(pilot, "authority: ground_truth")


async def test_an_acceptance_that_cannot_be_written_is_an_error_in_words(project: Path):
    driver = graded(project)
    (project / "eval-tui.lock").write_text("{")
    async with running(driver) as (pilot, _):
        await pilot.press("A", "enter", "enter", *"quality", "enter")
        await sees(pilot, "The lock cannot be written")
        assert (project / "eval-tui.lock").read_text() == "{"
