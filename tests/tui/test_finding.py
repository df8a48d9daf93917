"""Finding and comparing in the grid: the filter line, a kept order, groups, and the baseline."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellKey, CellState, RunInfo
from eval_tui.results.filter.parse import parse
from eval_tui.scores import Measured as M
from eval_tui.scores import Reason, Sample, Score, Unmeasured, measured
from eval_tui.tui.finder import SLICE_SECONDS, Finder
from eval_tui.tui.screens.changes import ChangesScreen
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.sparkline import sparkline
from eval_tui.tui.widgets.bars import PickList
from eval_tui.tui.widgets.grid import CaseGrid
from tests.tui.fake import FakeDriver, check, model, ran
from tests.tui.seeing import drained, lines_of, running, screen_text, sees, until

pytestmark = pytest.mark.asyncio


def wiki() -> FakeDriver:
    """Four cases: `dup-b` fails, `c` is not measured, `quality` falls from case to case."""
    cases = ("a", "dup-b", "c", "dup-d")
    driver = FakeDriver(ran(*cases), [check("links"), model("quality", score_range=(1.0, 5.0))])
    for case, quality in zip(cases, (5, 4, 3, 2), strict=True):
        driver.put(case, "links", measured(True))
        driver.put(case, "quality", measured(quality))
    driver.put("dup-b", "links", measured(False, "Two links lead nowhere"))
    driver.put("c", "links", Unmeasured(Reason.MISSING_EVIDENCE, "no trace"))
    driver.facts = {
        "a": {"inputs": "Merge the pages", "annotations": {"tags": ["nav"], "level": 1}},
        "dup-b": {"annotations": {"tags": ["nav", "slow"], "level": 2}, "cost": 0.75},
        "c": {"annotations": {"level": 2}, "cost": 0.25},
    }
    return driver


def shown(grid: CaseGrid) -> list[str]:
    """The cases on the screen, in their order."""
    rows = lines_of(grid)[grid.header_height :]
    return [row[1:].split()[0] for row in rows if row.strip()]


async def typed(pilot: Pilot[int], text: str) -> None:
    """Have this in the filter line."""
    line = pilot.app.screen.query_one("#filter", Input)
    if not line.has_focus:
        await pilot.press("slash")
    line.value = text
    await pilot.pause()


async def blessed(pilot: Pilot[int]) -> None:
    await pilot.press("b")
    await sees(pilot, "is the baseline:")


# The filter line


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("dup", ["dup-b", "dup-d"]),
        ("fail", ["dup-b"]),
        ("unmeasured:evidence", ["c"]),
        ("judge:quality<4", ["c", "dup-d"]),
        ("not (fail or case:dup*)", ["a", "c"]),
        ('"lead nowhere"', ["dup-b"]),
        ("merge", ["a"]),
        ("tag:nav", ["a", "dup-b"]),
        ("annotations.level:2 and tag:slow", ["dup-b"]),
        ("cost>0.5", ["dup-b"]),
    ],
)
async def test_the_filter_line_shows_the_cases_that_are_like_that(text: str, cases: list[str]):
    async with running(wiki()) as (pilot, grid):
        await typed(pilot, text)
        await until(pilot, lambda: shown(grid) == cases, f"{cases} are shown")
        await sees(pilot, f"{len(cases)} of 4")


async def test_a_filter_that_cannot_be_read_is_said_and_the_one_before_stays():
    async with running(wiki()) as (pilot, grid):
        await typed(pilot, "fail")
        await typed(pilot, "fail and nope:x")
        await sees(pilot, "at 10: no field is called 'nope'")
        assert shown(grid) == ["dup-b"]
        await typed(pilot, "fail and case:a")
        await sees(pilot, "no case is like that")
        assert grid.shown == 0


async def test_a_case_joins_when_the_filter_lets_it_through_and_none_is_taken_away():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        await typed(pilot, "fail")
        await pilot.press("enter")
        driver.put("a", "links", measured(False))
        driver.put("dup-b", "links", measured(True))
        await until(pilot, lambda: shown(grid) == ["a", "dup-b"], "a joins, dup-b stays")
        await typed(pilot, "")
        await typed(pilot, "fail")
        assert shown(grid) == ["a"]


async def test_a_case_that_changed_while_files_were_read_joins_afterwards():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        gate = asyncio.Event()
        read = driver.finding.facts._read

        async def slowly(cases: Sequence[str]) -> Mapping[str, Any]:
            await gate.wait()
            return await read(cases)

        driver.finding.facts._read = slowly
        await typed(pilot, "fail tag:nav")
        await sees(pilot, "reading the cases")
        driver.put("a", "links", measured(False))
        await drained(pilot, driver)
        gate.set()
        await until(pilot, lambda: shown(grid) == ["a", "dup-b"], "a is found as well")


async def test_the_filter_is_for_rows_that_come_later_as_well():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        await typed(pilot, "dup")
        driver.lay_out(ran("a", "dup-b", "c", "dup-d", "dup-e"))
        await until(pilot, lambda: shown(grid) == ["dup-b", "dup-d", "dup-e"], "it joins")


async def test_files_of_cases_are_read_only_for_a_filter_that_asks_about_them_and_once():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        await typed(pilot, "fail or case:a")
        assert not driver.read_facts
        await typed(pilot, "tag:slow")
        await until(pilot, lambda: shown(grid) == ["dup-b"], "found")
        await typed(pilot, "tag:nav")
        await until(pilot, lambda: grid.shown == 2, "found")
        assert driver.read_facts == [("a", "dup-b", "c", "dup-d")]
        driver.facts["c"] = {"annotations": {"tags": ["nav"]}}
        driver.finding.facts.changed(["/data/c/annotations.yaml"])
        await typed(pilot, "tag:nav*")
        await until(pilot, lambda: grid.shown == 3, "what changed is read again")
        assert driver.read_facts[1:] == [("c",)]


async def test_the_word_being_typed_is_completed_with_the_right_arrow():
    async with running(wiki()) as (pilot, grid):
        await pilot.press("slash", *"fail", "space", *"judge", "colon", "q")
        line = pilot.app.screen.query_one("#filter", Input)
        await until(pilot, lambda: line._suggestion == "fail judge:quality", "it is offered")
        await pilot.press("right")
        assert line.value == "fail judge:quality"
        await until(pilot, lambda: shown(grid) == ["dup-b"], "it is in force")


async def test_a_filter_over_many_cases_lets_the_loop_turn():
    driver = FakeDriver(ran(*(f"case-{n:05}" for n in range(10_000))), [check("links")])
    ticks = iter(range(1_000_000))
    # Each look at the clock is a quarter of a slice later: a turn of the loop every four cases.
    finder = Finder(
        parse("case:*7"),
        driver.grid,
        driver.finding,
        None,
        clock=lambda: next(ticks) * SLICE_SECONDS / 4,
    )
    turns = 0
    work = finder.among(row.case for row in driver.grid.rows).__await__()
    while True:
        try:
            next(work)
        except StopIteration as end:
            assert len(end.value) == 1_000
            break
        turns += 1
    assert turns >= 10_000 / 5


async def test_filters_are_saved_used_and_forgotten():
    async with running(wiki()) as (pilot, grid):
        await typed(pilot, "judge:quality<4")
        await pilot.press("enter", "L")
        await sees(pilot, "Save the filter in force: judge:quality<4")
        await pilot.press("enter", "escape", "escape")
        assert grid.shown == 4
        await pilot.press("L", "enter")
        await until(pilot, lambda: shown(grid) == ["c", "dup-d"], "the saved one is in force")
        await pilot.press("L")
        await sees(pilot, "Forget the filter in force")
        await pilot.press("g", "enter", "escape", "escape", "L")
        await sees(pilot, "None yet")


# The order


async def test_the_order_stays_while_values_come_and_is_made_anew_by_key():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        await pilot.press("right", "s")
        assert shown(grid) == ["dup-d", "c", "dup-b", "a"]
        driver.put("a", "quality", measured(1))
        driver.lay_out(ran("a", "dup-b", "c", "dup-d", "e"))
        await drained(pilot, driver)
        assert shown(grid) == ["dup-d", "c", "dup-b", "a", "e"], "nothing jumps"
        await pilot.press("s")
        assert shown(grid) == ["a", "dup-d", "c", "dup-b", "e"], "the same order, as of now"
        await pilot.press("s")
        assert shown(grid)[0] == "dup-b", "the other way round"


# Groups


async def test_groups_add_up_and_opening_one_filters():
    async with running(wiki(), size=(160, 40)) as (pilot, grid):
        await pilot.press("S")
        await sees(pilot, "annotations.level")
        text = screen_text(pilot.app)
        assert "what became of the cells" in text
        assert "nav + slow" in text
        by_name = {" ".join(line.split()) for line in text.splitlines()}
        assert "failed 1 case 1 cell" in by_name, "what became of them is its name"
        assert "model 4 cases 4 cells 4 numbers" in by_name, "of all the same is said as well"
        together = [line for line in text.splitlines() if "together" in line]
        assert len(together) == 4
        assert all("4 cases" in line and "8 cells" in line for line in together)
        listing = pilot.app.screen.query_one(OptionList)
        words = [str(option.prompt) for option in listing.options]
        listing.highlighted = next(i for i, line in enumerate(words) if "nav + slow" in line)
        await pilot.press("enter")
        await until(pilot, lambda: shown(grid) == ["dup-b"], "its cases are shown")


# The baseline


async def test_cells_bear_a_sign_where_they_differ_from_the_baseline():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        assert "▼" not in screen_text(pilot.app)
        await blessed(pilot)
        driver.put("a", "links", measured(False))
        driver.put("a", "quality", measured(4))
        driver.put("c", "links", measured(True))
        await drained(pilot, driver)
        rows = {
            row[1:].split()[0]: row for row in lines_of(grid)[grid.header_height :] if row.strip()
        }
        assert (rows["a"].count("▼"), rows["a"].count("▲")) == (2, 0)
        assert (rows["c"].count("▼"), rows["c"].count("▲")) == (0, 1)
        assert "▼" not in rows["dup-b"]
        await sees(pilot, "pass → fail · was ✓ in the baseline, run-2")


async def test_a_baseline_does_not_drift_and_is_replaced_only_when_that_is_confirmed():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        await blessed(pilot)
        driver.put("a", "links", measured(False))
        await drained(pilot, driver)
        driver.lay_out(judges=[check("links", line=9), *driver.grid.columns[1:]])
        await until(pilot, lambda: "▼" in lines_of(grid)[grid.header_height], "still compared")
        await pilot.press("b")
        await sees(pilot, "Have run-2, as it is now")
        await pilot.press("n")
        assert "▼" in lines_of(grid)[grid.header_height]
        await pilot.press("b", "y")
        await until(pilot, lambda: "▼" not in lines_of(grid)[grid.header_height], "blessed anew")
        await pilot.press("B", "d")
        await sees(pilot, "There is no baseline yet")


async def test_what_changed_is_listed_in_groups_and_unstable_flips_stand_apart():
    driver = wiki()
    flip = M(False, False, samples=(Sample(True), Sample(False)))
    async with running(driver, size=(140, 30)) as (pilot, grid):
        await blessed(pilot)
        driver.put("a", "links", measured(False))
        driver.put("dup-b", "links", measured(True))
        driver.put("dup-d", "links", flip)
        driver.put("a", "quality", Unmeasured(Reason.GRADER_ERROR, "x"))
        driver.put("c", "quality", measured(5))
        await drained(pilot, driver)
        await pilot.press("d")
        await sees(pilot, "Changed since the baseline, run-2")
        await sees(pilot, "better (1)")
        text = screen_text(pilot.app)
        heads = ("pass → fail (1)", "measured → unmeasured (1)", "changed, but unstable (1)")
        places = [text.index(head) for head in (*heads, "fail → pass (1)", "better (1)")]
        assert places == sorted(places)
        assert "mean 3 → 3.667 ▲ of 3 cells in both" in text
        driver.put("c", "quality", measured(3))
        await until(pilot, lambda: "better (1)" not in screen_text(pilot.app), "it follows")
        screen = pilot.app.screen
        assert isinstance(screen, ChangesScreen)
        listing = screen.query_one(OptionList)
        words = [entry.shown.plain for entry in screen.entries()]
        listing.highlighted = next(i for i, line in enumerate(words) if line.startswith("  dup-b"))
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, GridScreen)
        assert grid.cursor == CellKey("dup-b", "links")


async def test_the_filter_knows_what_changed():
    driver = wiki()
    async with running(driver) as (pilot, grid):
        await typed(pilot, "changed")
        await sees(pilot, "there is no baseline: b blesses this run")
        await pilot.press("escape")
        await blessed(pilot)
        driver.put("c", "quality", measured(1))
        await drained(pilot, driver)
        await typed(pilot, "changed:worse")
        assert shown(grid) == ["c"]
        await typed(pilot, "changed:broke")
        assert not grid.shown


async def test_cells_that_are_not_settled_are_left_out_of_a_baseline_and_that_is_said():
    driver = wiki()
    driver.put("a", "links", Cell(CellState.STALE, measured(True)))
    async with running(driver) as (pilot, grid):
        await pilot.press("b")
        await sees(pilot, "run-2 is the baseline: 7 cells. 1 cell")
        driver.put("a", "links", measured(False))
        await drained(pilot, driver)
        assert "▼" not in lines_of(grid)[grid.header_height], "there is nothing to compare with"


async def test_the_signs_have_their_place_in_ascii_and_do_not_cut_the_value():
    driver = wiki()
    async with running(driver, size=(80, 24), ascii=True) as (pilot, grid):
        await blessed(pilot)
        driver.put("a", "links", Unmeasured(Reason.UNSUPPORTED, "x"))
        driver.lay_out()
        await drained(pilot, driver)
        assert "? unsupportedv" in lines_of(grid)[grid.header_height]
        await sees(pilot, "measured -> unmeasured - was P in the baseline")
        await pilot.press("d")
        await sees(pilot, "measured -> unmeasured (1)")
        assert screen_text(pilot.app).isascii()


# Over the runs


async def test_a_cell_and_its_judges_figure_are_seen_over_the_runs():
    driver = wiki()
    driver.run_list = tuple(RunInfo(f"run-{n}", f"/runs/{n}", float(n), 4) for n in (2, 1, 0))
    driver.columns["run-1", "quality"] = {"a": measured(1), "c": measured(2)}
    driver.columns["run-0", "quality"] = {"c": measured(5)}
    async with running(driver, size=(120, 24)) as (pilot, _):
        await pilot.press("right", "H")
        await sees(pilot, "run-0")
        lines = [" ".join(line.split()) for line in screen_text(pilot.app).splitlines()]
        assert lines[0] == "a · quality over the runs"
        assert lines[1] == "this case ▁█", "the oldest has none, then 1, then 5"
        assert lines[2] == "mean █▂▆", "5, 1.5, 3.5 on a scale of 1 to 5"
        assert lines[3].startswith("* run-2")
        assert lines[3].endswith("5 3.5 mean 4/4")
        assert lines[4].endswith("1 1.5 mean 2/2")
        assert lines[5].endswith("nothing 5 mean 1/1")
        await pilot.press("G", "enter")
        await until(pilot, lambda: ("open_run", "run-0") in driver.calls, "that run is opened")


async def test_a_screen_that_is_left_while_it_is_still_filled_is_filled_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver = wiki()
    driver.run_list = tuple(RunInfo(f"run-{n}", f"/runs/{n}", float(n), 4) for n in (1, 0))
    asked, half_gone = asyncio.Event(), asyncio.Event()

    async def column(run: RunInfo, judge: Judge) -> dict[str, Score]:
        asked.set()
        await half_gone.wait()
        return {}

    driver.finding.column = column
    async with running(driver) as (pilot, _):
        await pilot.press("H")
        await asked.wait()
        monkeypatch.setattr(PickList, "on_unmount", lambda _: half_gone.set(), raising=False)
        await pilot.press("escape")
        await half_gone.wait()
        await until(pilot, lambda: isinstance(pilot.app.screen, GridScreen), "back at the grid")
        await pilot.pause()


@pytest.mark.parametrize(
    ("values", "plot"),
    [([1, 3, 5], "▁▅█"), ([None, 9, -9], " █▁"), ([], ""), ([float("inf")], "█")],
)
async def test_a_small_plot_keeps_to_its_scale(values: list[float | None], plot: str):
    assert sparkline(values, 1, 5) == plot
    assert sparkline([2], 5, 5) == "▁"
