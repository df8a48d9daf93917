"""Two runs side by side in the grid, and what both said of a case in the case screen."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from eval_tui.config.schema import Criterion
from eval_tui.engine.grid import Cell, CellKey, CellState, Dirty, FileEntry, Row, RunInfo
from eval_tui.engine.stored import StoredGrid
from eval_tui.scores import Measured, Reason, Score, Unmeasured, measured
from eval_tui.tui.screens.case import CaseScreen
from eval_tui.tui.screens.changes import ChangesScreen
from eval_tui.tui.screens.opinion import OpinionScreen
from eval_tui.tui.widgets.grid import CaseGrid
from tests.tui.fake import FakeDriver, check, model, ran
from tests.tui.hostile import LITERAL
from tests.tui.seeing import drained, lines_of, running, screen_text, sees, until
from tests.tui.test_case import case_view

pytestmark = pytest.mark.asyncio

WITHOUT = "run-1-without-skill"
ODD = LITERAL[0]
LOST = Unmeasured(Reason.MISSING_EVIDENCE, "no trace")


def stored(driver: FakeDriver, cells: dict[str, tuple[Score | None, ...]]) -> StoredGrid:
    """A run of these cases, with a score for each column of the driver's grid."""
    columns = driver.grid.columns
    found = {
        (case, judge.name): Cell(CellState.FRESH, score)
        for case, scores in cells.items()
        for judge, score in zip(columns, scores, strict=True)
        if score is not None
    }
    return StoredGrid(tuple(ran(*cells)), columns, found)


def two_runs() -> FakeDriver:
    """`kept` says the same in both, `moved` and `lost` do not, `fresh` is new, `old` has gone."""
    driver = FakeDriver(
        [*ran("kept", "moved", "lost", "fresh"), Row("late", "not_run")],
        [check("links"), model("quality", score_range=(1.0, 5.0))],
    )
    now: dict[str, tuple[Score, Score]] = {
        "kept": (measured(True), measured(4)),
        "moved": (measured(True), measured(4.5)),
        "lost": (LOST, Unmeasured(Reason.MISSING_SECRET, "no key")),
        "fresh": (measured(False), measured(2)),
    }
    for case, (links, quality) in now.items():
        driver.put(case, "links", links)
        driver.put(case, "quality", quality)
    driver.run_list = tuple(RunInfo(run, f"/runs/{run}", 0.0, 4) for run in ("run-2", WITHOUT))
    driver.scored[WITHOUT] = stored(
        driver,
        {
            "kept": (measured(True), measured(4)),
            "moved": (measured(False), measured(3)),
            "lost": (measured(True), Unmeasured(Reason.MISSING_SECRET, "no key")),
            "old": (measured(False), measured(1)),
        },
    )
    return driver


def rows(grid: CaseGrid) -> dict[str, list[str]]:
    """What stands behind each case's name, with arrows right between their values."""
    below = (line[1:] for line in lines_of(grid)[grid.header_height :] if line.strip())
    lines = [re.sub(r" *(→|->) *", r"\1", line).split() for line in below]
    return {line[0]: line[1:] for line in lines}


async def beside(pilot: Pilot[int], grid: CaseGrid) -> None:
    """Choose the only other run."""
    await pilot.press("equals_sign")
    await sees(pilot, "Side by side with which run?")
    await pilot.press("enter")
    await until(pilot, lambda: grid.split is not None, "both runs are there")
    await pilot.pause()


async def test_every_cell_has_both_values_and_a_changed_one_an_arrow():
    driver = two_runs()
    async with running(driver) as (pilot, grid):
        await beside(pilot, grid)
        assert rows(grid) == {
            "kept": ["✓", "✓", "4", "4"],
            "moved": ["✗→✓▲", "3→4.5▲"],
            "lost": ["✓→∅▼", "∅", "∅"],
            "fresh": ["new", "✗", "new", "2"],
            "late": ["not", "run"],
            "old": ["✗", "gone", "1", "gone"],
        }


async def test_values_of_one_run_stand_below_each_other():
    driver = two_runs()
    async with running(driver) as (pilot, grid):
        await beside(pilot, grid)
        lines = {line[1:].split()[0]: line for line in lines_of(grid)[grid.header_height :][:4]}
        assert lines["kept"].rindex("4") == lines["moved"].rindex("4.5") + 2
        assert lines["moved"].index("3") == lines["kept"].index("4")


async def test_the_head_has_the_figures_of_both_with_denominators_and_names_both_runs():
    driver = two_runs()
    async with running(driver) as (pilot, grid):
        await beside(pilot, grid)
        head = [line.split() for line in lines_of(grid)[: grid.header_height]]
        then, now = (next(line for line in head if line[:1] == [word]) for word in ("then", "now"))
        assert then == ["then", "50%", "2/4", "2.667", "mean", "3/4"]
        assert now == ["now", "67%", "2/3", "∅1", "3.5", "mean", "3/4"]
        assert f"then {WITHOUT}  now run-2" in screen_text(pilot.app)


async def test_the_grid_holds_still_and_goes_on_living():
    driver = two_runs()
    async with running(driver) as (pilot, grid):
        grid.select(CellKey("lost", "quality"))
        before = list(rows(grid))
        await beside(pilot, grid)
        assert grid.cursor == CellKey("lost", "quality")
        assert list(rows(grid)) == [*before, "old"], "the same order, and what has gone below it"
        driver.put("kept", "links", measured(False))
        await until(pilot, lambda: rows(grid)["kept"][0] == "✓→✗▼", "the new value")
        await until(pilot, lambda: "33% 1/3 ∅1" in "\n".join(lines_of(grid)), "and its figure")
        await pilot.press("equals_sign")
        await pilot.pause()
        assert list(rows(grid)) == before
        assert rows(grid)["kept"] == ["✗", "4"]
        assert grid.cursor == CellKey("lost", "quality")


async def test_with_a_baseline_that_is_what_stands_beside_and_another_run_only_for_a_while():
    driver = two_runs()
    async with running(driver) as (pilot, grid):
        await pilot.press("b")
        await sees(pilot, "is the baseline:")
        driver.put("moved", "links", measured(False))
        await drained(pilot, driver)
        await pilot.press("equals_sign")
        await until(pilot, lambda: rows(grid)["moved"] == ["✓→✗▼", "4.5", "4.5"], "the baseline")
        await pilot.press("plus")
        await sees(pilot, "Side by side with which run?")
        await pilot.press("enter")
        await until(pilot, lambda: rows(grid)["moved"] == ["✗", "✗", "3→4.5▲"], "the other run")
        await pilot.press("d")
        await sees(pilot, f"Changed since run {WITHOUT} as last scored")
        await sees(pilot, f"cases that only {WITHOUT} has (1)")
        await pilot.press("escape", "equals_sign")
        await until(
            pilot, lambda: rows(grid)["moved"] == ["✗▼", "4.5"], "compared with the baseline"
        )


async def test_a_run_without_scores_and_no_other_run_are_said():
    driver = two_runs()
    driver.scored.clear()
    async with running(driver) as (pilot, grid):
        await pilot.press("equals_sign")
        await sees(pilot, "Side by side with which run?")
        await pilot.press("enter")
        await sees(pilot, f"{WITHOUT} has no scores yet")
        assert grid.split is None
        driver.run_list = driver.run_list[:1]
        await pilot.press("equals_sign")
        await sees(pilot, "There is no other run to compare with.")


async def test_a_run_of_which_not_all_is_known_says_how_to_know_it():
    driver = two_runs()
    driver.scored[WITHOUT] = stored(driver, {"kept": (None, measured(4)), "old": (None, None)})
    async with running(driver, size=(140, 30)) as (pilot, grid):
        await beside(pilot, grid)
        await sees(pilot, f"3 cells of {WITHOUT} without")
        assert rows(grid)["kept"] == ["·", "✓", "4", "4"]


async def test_what_an_edited_judge_said_in_the_other_run_is_not_its_word_any_more():
    driver = two_runs()
    async with running(driver) as (pilot, grid):
        await beside(pilot, grid)
        driver.scored[WITHOUT] = stored(driver, {"kept": (None, measured(4))})
        driver.lay_out(judges=[check("links", line=9), *driver.grid.columns[1:]])
        await until(pilot, lambda: rows(grid)["kept"] == ["·", "✓", "4", "4"], "it is read anew")
        driver.scored[WITHOUT] = stored(driver, {"kept": (None, measured(5))})
        driver.status = replace(driver.status, code=1)  # of a module of its, no more
        driver.change(Dirty(structure=True))
        await until(pilot, lambda: rows(grid)["kept"][2] == "5→4▼", "and again")


async def test_many_columns_have_their_values_whole_in_a_small_terminal_with_plain_marks():
    driver = two_runs()
    driver.lay_out(judges=[*driver.grid.columns, *(check(f"judge_{n}") for n in range(6))])
    driver.scored[WITHOUT] = stored(
        driver, {"lost": (measured(True), LOST, *[None] * 6), "old": (None,) * 8}
    )
    async with running(driver, size=(80, 24), ascii=True) as (pilot, grid):
        await beside(pilot, grid)
        assert rows(grid)["lost"][:4] == ["P->?v", "?->?", "_", "_"]
        assert screen_text(pilot.app).isascii()
        assert all(len(line) == 80 for line in lines_of(grid))


async def test_to_know_that_a_case_fails_is_no_step_up():
    driver = two_runs()
    driver.scored[WITHOUT] = stored(driver, {"fresh": (LOST, LOST), "kept": (LOST, LOST)})
    async with running(driver) as (pilot, grid):
        await beside(pilot, grid)
        assert rows(grid)["fresh"] == ["∅→✗", "∅→2▲"]
        assert rows(grid)["kept"] == ["∅→✓▲", "∅→4▲"]


async def test_names_of_runs_are_shown_as_they_are():
    driver = two_runs()
    for name in LITERAL:
        driver.run_list = (driver.run_list[0], RunInfo(name, "/runs/x", 0.0, 4))
        driver.scored[name] = driver.scored[WITHOUT]
        async with running(driver, size=(160, 30)) as (pilot, grid):
            await beside(pilot, grid)
            grid.select(CellKey("moved", "links"))
            await sees(pilot, "fail → pass")
            await sees(pilot, f"then {name}  now run-2")


# The case screen


def said(driver: FakeDriver, texts: dict[CellKey, Score]) -> None:
    """What the judges said in the other run, with whole reasons."""

    async def look_up(run: RunInfo, key: CellKey) -> Score | None:
        assert run.id == WITHOUT
        return texts.get(key)

    driver.finding.said = look_up


@pytest.mark.parametrize(("size", "side_by_side"), [((140, 30), True), ((80, 24), False)])
async def test_both_runs_say_why(size: tuple[int, int], side_by_side: bool):
    driver, key = two_runs(), CellKey("moved", "links")
    driver.rationales[key] = "Every link leads somewhere now."
    said(driver, {key: Measured(False, False, "Two links lead nowhere. " * 20)})
    async with running(driver, size=size) as (pilot, grid):
        grid.select(key)
        await beside(pilot, grid)
        await pilot.press("enter")
        await sees(pilot, "Two links lead nowhere.")
        text = screen_text(pilot.app)
        assert f"then · {WITHOUT} as last scored" in text
        assert "Every link leads somewhere now." in text
        heads = [line for line in text.splitlines() if "then ·" in line]
        assert ("now · run-2" in heads[0]) is side_by_side
        verdicts = [line for line in text.splitlines() if "✗ failed" in line]
        assert ("✓ passed" in verdicts[0]) is side_by_side
        await pilot.press("2")
        await until(pilot, lambda: "then ·" not in screen_text(pilot.app), "only with the reason")


async def test_a_cell_that_says_the_same_has_one_reason_unless_both_runs_are_in_view():
    driver, key = two_runs(), CellKey("kept", "links")
    async with running(driver, size=(140, 30)) as (pilot, grid):
        await pilot.press("b")
        await sees(pilot, "is the baseline:")
        grid.select(key)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CaseScreen), "the case")
        assert "then ·" not in screen_text(pilot.app)
        await pilot.press("escape", "equals_sign", "enter")
        await sees(pilot, "then · run-2 as of")


@pytest.mark.parametrize(
    ("kept", "shown"),
    [("x" * 80, "its reason is not any more"), ("It was short.", "It was short.")],
)
async def test_a_kept_value_whose_reason_is_gone_says_so(kept: str, shown: str):
    driver, key = two_runs(), CellKey("moved", "links")
    moved = (Measured(False, False, kept), measured(3))
    driver.scored[WITHOUT] = stored(driver, {"moved": moved})
    said(driver, {key: measured(True, "another verdict by now")})
    async with running(driver, size=(140, 30)) as (pilot, grid):
        grid.select(key)
        await beside(pilot, grid)
        await pilot.press("enter")
        await sees(pilot, shown)
        assert "another verdict" not in screen_text(pilot.app)


async def test_a_case_that_has_gone_can_still_be_read_as_far_as_it_is_known():
    driver, key = two_runs(), CellKey("old", "links")
    said(driver, {key: measured(False, "It led nowhere.")})
    async with running(driver, size=(140, 30)) as (pilot, grid):
        await beside(pilot, grid)
        grid.select(key)
        await sees(pilot, f"gone · was ✗ in run {WITHOUT}")
        await pilot.press("enter")
        await sees(pilot, "It led nowhere.")


async def test_files_are_compared_with_those_of_the_run_that_was_chosen():
    driver, file = two_runs(), FileEntry("out/page.md", 3, False, "/runs/run-2/page.md")
    driver.views["kept"] = case_view("kept", files=[file])
    async with running(driver, size=(140, 30)) as (pilot, grid):
        for chosen in (True, False):
            if chosen:
                await beside(pilot, grid)
            grid.select(CellKey("kept", "links"))
            await pilot.press("enter", "3")
            await sees(pilot, "page.md")
            await pilot.press("d")
            await until(pilot, lambda: driver.calls[-1][0] == "counterparts", "it is compared")
            assert driver.calls[-1] == ("counterparts", "out/page.md", WITHOUT if chosen else "")
            driver.calls.clear()
            await pilot.press("escape", "equals_sign")


async def test_there_is_nothing_to_say_here_of_a_case_that_only_the_other_run_has():
    driver = two_runs()
    async with running(driver, size=(140, 30)) as (pilot, grid):
        await beside(pilot, grid)
        grid.select(CellKey("old", "links"))
        for opened in ([], ["enter"]):
            await pilot.press(*opened, "V")
            await sees(pilot, "There is no case old in run-2")
            assert not isinstance(pilot.app.screen, OpinionScreen)


def in_parts(value: float, **parts: bool) -> Measured:
    found = {name: measured(passed) for name, passed in parts.items()}
    return Measured(value, None, "overall", parts=found)


async def test_what_changed_tells_the_parts_of_scores_and_what_chance_explains():
    driver = FakeDriver(
        ran("a", "b", ODD),
        [check("links"), model(ODD, criteria=(Criterion("tone"), Criterion("facts")))],
    )
    driver.run_list = tuple(RunInfo(run, f"/runs/{run}", 0.0, 3) for run in ("run-2", WITHOUT))
    then: dict[str, tuple[Score | None, ...]] = {}
    for case in ("a", "b", ODD):
        driver.put(case, "links", measured(case != "a"))
        driver.put(case, ODD, in_parts(4, tone=case != ODD, facts=True))
        then[case] = (measured(True), in_parts(4, tone=True, facts=case != ODD))
    driver.scored[WITHOUT] = stored(driver, then)
    async with running(driver, size=(140, 40)) as (pilot, grid):
        await beside(pilot, grid)
        await pilot.press("d")
        await sees(pilot, "pass rate 100% → 67% ▼ of 3 cells in both · within the noise (p = 1)")
        await sees(pilot, "p: how often coin tosses")
        await sees(pilot, f"{ODD} · tone   pass rate 100% → 67%")
        await sees(pilot, "parts of scores (2)")
        await sees(pilot, f"{ODD}  {ODD} · tone   ✓ → ✗")
        await sees(pilot, f"{ODD}  {ODD} · facts  ✗ → ✓")
        screen = pilot.app.screen
        assert isinstance(screen, ChangesScreen)
        words = [entry.copied for entry in screen.entries()]
        turned = words.index(f"pass → fail: {ODD}, {ODD} · tone: ✓ → ✗")
        screen.query_one(OptionList).highlighted = turned
        await pilot.press("enter")
        assert grid.cursor == CellKey(ODD, ODD)


async def test_headings_of_changes_are_passed_over():
    driver = two_runs()
    async with running(driver) as (pilot, grid):
        await beside(pilot, grid)
        await pilot.press("d")
        await sees(pilot, "measured → unmeasured (1)")
        screen = pilot.app.screen
        assert isinstance(screen, ChangesScreen)
        listing, words = screen.query_one(OptionList), [e.shown.plain for e in screen.entries()]
        heading = words.index("better (1)")
        listing.highlighted = heading - 1
        await pilot.press("j")
        assert listing.highlighted == heading + 1
        await pilot.press("enter")
        assert grid.cursor == CellKey("moved", "quality")
