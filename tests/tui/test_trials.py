"""Runs that repeat one configuration, in the grid and in a case."""

from __future__ import annotations

import pytest

from eval_tui.config.schema import EvalConfig, VerdictRules
from eval_tui.engine.grid import Cell, CellState, Dirty, RunInfo, Status
from eval_tui.engine.stored import StoredGrid
from eval_tui.scores import measured
from tests.tui.fake import FakeDriver, check, ran
from tests.tui.hostile import LITERAL
from tests.tui.seeing import lines_of, running, screen_text, sees, until

pytestmark = pytest.mark.asyncio

LINKS = check("links")


def stored(**values: bool) -> StoredGrid:
    cells = {(case, "links"): Cell(CellState.FRESH, measured(on)) for case, on in values.items()}
    return StoredGrid(tuple(ran(*values)), (LINKS,), cells)


def info(run: str) -> RunInfo:
    return RunInfo(run, f"/project/runs/{run}", 0.0, 3)


def driver_of(*listed: str, shown: str = "r1") -> FakeDriver:
    """Run `r1` is in view: a and b pass, c fails. `r2` and `r3` were scored, `r4` was not."""
    config = EvalConfig(
        "/project/eval.yaml",
        "/project",
        "wiki",
        "wiki",
        judges=(LINKS,),
        verdict=VerdictRules(trials=listed),
    )
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
