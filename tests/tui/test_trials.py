"""Runs that repeat one configuration, in the grid and in a case."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from eval_tui.config.schema import EvalConfig, VerdictRules
from eval_tui.engine.grid import Cell, CellState, Dirty, RunInfo, Status
from eval_tui.engine.stored import StoredGrid
from eval_tui.scores import measured
from tests.tui.fake import FakeDriver, check, ran
from tests.tui.hostile import LITERAL
from tests.tui.seeing import drained, lines_of, running, screen_text, sees, until

pytestmark = pytest.mark.asyncio

LINKS = check("links")


def stored(**values: bool) -> StoredGrid:
    cells = {(case, "links"): Cell(CellState.FRESH, measured(on)) for case, on in values.items()}
    return StoredGrid(tuple(ran(*values)), (LINKS,), cells)


def info(run: str) -> RunInfo:
    return RunInfo(run, f"/project/runs/{run}", 0.0, 3)


def driver_of(*listed: str, shown: str = "r1") -> FakeDriver:
    """Run `r1` is in view: a and b pass, c fails. `r2` and `r3` were scored, `r4` was not."""
    rules = VerdictRules(trials=listed) if listed else None
    names = ("/project/eval.yaml", "/project", "wiki", "wiki")
    config = EvalConfig(*names, judges=(LINKS,), verdict=rules)
    status = Status(eval_name="wiki", run_id=shown)
    driver = FakeDriver(ran("a", "b", "c"), [LINKS], config=config, status=status)
    driver.run_list = tuple(map(info, ("r1", "r2", "r3", "r4")))
    driver.scored = {"r2": stored(a=True, b=False, c=False), "r3": stored(a=True, b=True, c=False)}
    for case in ("a", "b", "c"):
        driver.put(case, "links", measured(case != "c"))
    driver.change(Dirty(structure=True))
    return driver


def tallies(lines: list[str], *cases: str) -> list[str]:
    rows = (next(line for line in lines if line[1:].startswith(case)) for case in cases)
    return [" ".join(line.split()[1:3]) for line in rows]


async def test_the_grid_says_in_how_many_trials_a_case_passes_and_which_are_flaky():
    async with running(driver_of("r1", "r2", "r3")) as (pilot, grid):
        expected = ["✓ 3/3", "✓ 2/3~", "✗ 0/3"]
        await until(pilot, lambda: tallies(lines_of(grid), "a", "b", "c") == expected)
        assert "trials" in "\n".join(lines_of(grid)[: grid.header_height])
        await sees(pilot, "trials: pass@1 56%, pass@3 67% · 3 cases, 1 flaky")


async def test_the_run_in_view_counts_as_it_stands_and_the_others_are_read_once():
    driver = driver_of("r1", "r2", "r3")
    async with running(driver) as (pilot, grid):
        await until(pilot, lambda: tallies(lines_of(grid), "a") == ["✓ 3/3"])
        driver.put("a", "links", measured(False))
        await until(pilot, lambda: tallies(lines_of(grid), "a") == ["✗ 2/3~"])
        await sees(pilot, "3 cases, 2 flaky")
        driver.change(Dirty(structure=True))
        await until(pilot, lambda: not driver.dirty)
        await pilot.pause()
        assert driver.read_runs == [("r2", "r3")]


async def test_the_preview_and_the_case_name_each_trial_and_what_was_never_scored():
    listed = ("r1", "r2", "r3", "r4", "gone")
    async with running(driver_of(*listed), size=(200, 50)) as (pilot, _):
        await pilot.press("j")
        trials = "trials 2/3~ flaky · pass@1 67%, pass@2 100%"
        await sees(pilot, trials)
        await sees(pilot, "r1 ✓, r2 ✗, r3 ✓")
        await pilot.press("enter")
        await sees(pilot, "verdict ✓ passed")
        open_runs = "not scored under these judges: r4 · not there: gone"
        await sees(pilot, f"{trials} · r1 ✓, r2 ✗, r3 ✓ · {open_runs}")


async def test_a_difference_from_the_baseline_that_chance_explains_is_said_to_be_noise():
    driver = driver_of("r1", "r2", "r3", shown="r1")
    driver.status = Status(eval_name="wiki", run_id="r4")
    async with running(driver) as (pilot, grid):
        await pilot.press("b")
        await sees(pilot, "r4 is the baseline")
        driver.say(Status(eval_name="wiki", run_id="r1"))
        driver.change(Dirty(structure=True))
        await until(pilot, lambda: tallies(lines_of(grid), "b") == ["✓ 2/3~"])
        await pilot.press("j")
        await sees(pilot, "the verdict was ✓ in the baseline, r4")
        await sees(pilot, "within the noise")
        await pilot.press("k")  # passes in all trials as it did then
        await until(pilot, lambda: "within the noise" not in screen_text(pilot.app))


async def test_a_run_that_repeats_no_other_has_no_column_and_nothing_is_read():
    driver = driver_of("r2", "r3")
    async with running(driver) as (pilot, grid):
        await pilot.pause()
        assert "trials" not in screen_text(pilot.app)
        assert driver.read_runs == []
        driver.say(Status(eval_name="wiki", run_id="r2"))
        driver.change(Dirty(structure=True))
        await until(pilot, lambda: tallies(lines_of(grid), "b") == ["✓ 2/2"])
        assert driver.read_runs == [("r3",)]


async def mark(pilot: Pilot[int], *places: int) -> None:
    """Mark runs in the list of runs, by their place in it, and show them as trials."""
    await pilot.press("m")
    for place in places:
        await pilot.press("g", *["j"] * place, "space")
    await pilot.press("t")


async def test_marked_runs_are_trials_until_they_are_no_longer():
    driver = driver_of()
    async with running(driver, size=(160, 40)) as (pilot, grid):
        assert "verdict" not in screen_text(pilot.app)
        await mark(pilot, 0, 1, 2)
        expected = ["✓ 3/3", "✓ 2/3~", "✗ 0/3"]
        await until(pilot, lambda: tallies(lines_of(grid), "a", "b", "c") == expected)
        await sees(pilot, "trials of 3 marked runs: pass@1 56%")
        await sees(pilot, "As trials of one configuration: r3, r2, r1.")
        driver.put("a", "links", measured(False))
        await until(pilot, lambda: tallies(lines_of(grid), "a") == ["✗ 2/3~"])
        await pilot.press("enter")
        await sees(pilot, "trials 2/3~ flaky · pass@1 67%, pass@2 100% · r3 ✓, r2 ✓, r1 ✗")
        await pilot.press("escape", "m")
        assert screen_text(pilot.app).count("shown as a trial") == 3
        await pilot.press("t")
        await sees(pilot, "no longer shown as trials")
        await until(pilot, lambda: "verdict" not in "\n".join(lines_of(grid)))
        assert driver.read_runs == [("r2", "r3")]


async def test_marked_runs_stand_in_for_those_of_the_config():
    driver = driver_of("r1", "r2", "r3")
    async with running(driver) as (pilot, grid):
        await until(pilot, lambda: tallies(lines_of(grid), "b") == ["✓ 2/3~"])
        await mark(pilot, 0, 1)
        await until(pilot, lambda: tallies(lines_of(grid), "b") == ["✓ 1/2~"])
        await pilot.press("m", "t")
        await until(pilot, lambda: tallies(lines_of(grid), "b") == ["✓ 2/3~"])


async def test_of_marked_runs_without_the_one_in_view_the_newest_is_opened():
    driver = driver_of()
    async with running(driver) as (pilot, grid):
        await mark(pilot, 1, 2)
        await until(pilot, lambda: ("open_run", "r2") in driver.calls)
        driver.say(Status(eval_name="wiki", run_id="r2"))
        driver.change(Dirty(structure=True))
        await until(pilot, lambda: tallies(lines_of(grid), "b") == ["✓ 2/2"])
        driver.say(Status(eval_name="wiki", run_id="r4"))
        driver.change(Dirty(structure=True))
        await until(pilot, lambda: "verdict" not in "\n".join(lines_of(grid)))


async def test_one_run_repeats_nothing():
    driver = driver_of()
    async with running(driver) as (pilot, _):
        await pilot.press("m", "t")
        await sees(pilot, "Mark the runs that repeat one configuration")
        await pilot.press("space")
        await sees(pilot, "4, 1 marked")
        assert "as trials" not in screen_text(pilot.app)
        await pilot.press("j", "space")
        await sees(pilot, "as trials")
        await pilot.press("space", "t", "escape")
        await drained(pilot, driver)
        assert driver.read_runs == [] and "verdict" not in screen_text(pilot.app)


async def test_runs_of_another_eval_are_not_the_marked_ones():
    driver = driver_of()
    async with running(driver) as (pilot, grid):
        await mark(pilot, 0, 1)
        await until(pilot, lambda: tallies(lines_of(grid), "b") == ["✓ 1/2~"])
        assert driver.config is not None
        driver.config = replace(driver.config, path="/project/other.yaml")
        driver.change(Dirty(structure=True))
        await until(pilot, lambda: "trials" not in "\n".join(lines_of(grid)))


async def test_it_can_be_read_without_letters_beyond_ascii():
    async with running(driver_of("r1", "r2", "r3"), size=(80, 24), ascii=True) as (pilot, grid):
        expected = ["P 3/3", "P 2/3~", "F 0/3"]
        await until(pilot, lambda: tallies(lines_of(grid), "a", "b", "c") == expected)
        await sees(pilot, "trials 3/3")
        assert screen_text(pilot.app).isascii()


@pytest.mark.parametrize("name", LITERAL)
async def test_names_of_runs_are_shown_as_they_are(name: str):
    async with running(driver_of("r1", name)) as (pilot, _):
        await pilot.press("enter")
        await sees(pilot, f"not there: {name}")
