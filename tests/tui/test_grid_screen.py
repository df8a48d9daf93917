"""The grid screen: what it says, what its keys do, and that outside text stays text."""

import re
from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.grid import Cell, CellKey, CellState, Dirty, EvalInfo, Row, RunInfo, Status
from eval_tui.engine.money import NOTHING, Estimate
from eval_tui.scores import Reason, Unmeasured, measured
from eval_tui.tui.host import say
from eval_tui.tui.screens.case import CaseScreen
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.screens.help import HelpScreen
from eval_tui.tui.screens.problems import ProblemsScreen
from eval_tui.tui.screens.runs import RunsScreen
from eval_tui.tui.text import one_line
from tests.tui.fake import FakeDriver, check, model, ran, sample_driver
from tests.tui.hostile import ACTING, ALL, LITERAL, acts
from tests.tui.seeing import drained, lines_of, running, screen_text, sees, until

pytestmark = pytest.mark.asyncio


def small() -> FakeDriver:
    """Three cases, a check and a model judge; `b` failed, `c` broke."""
    driver = FakeDriver(ran("a", "b", "c"), [check("links", line=7), model("quality")])
    driver.put("a", "links", measured(True))
    driver.put("b", "links", measured(False))
    driver.put("c", "links", Unmeasured(Reason.GRADER_ERROR, "ValueError: nope", retryable=True))
    for case in "abc":
        driver.put(case, "quality", Cell(CellState.FRESH, measured(4), recorded=True))
    return driver


# Nothing to show


async def test_no_judges_is_said_without_a_percentage():
    async with running(FakeDriver(ran("a"), [])) as (pilot, _):
        text = screen_text(pilot.app)
        assert "no judges" in text
        assert "%" not in text


async def test_no_config_no_cases_and_no_runs_are_said():
    driver = FakeDriver([], [check("j")])
    async with running(driver) as (pilot, _):
        assert "No cases" in screen_text(pilot.app)
        driver.status = replace(driver.status, run_id="")
        driver.lay_out()
        await drained(pilot, driver)
        assert "No runs yet" in screen_text(pilot.app)
        driver.config = None  # type: ignore[assignment]
        driver.lay_out()
        await drained(pilot, driver)
        assert "No eval config yet" in screen_text(pilot.app)
        driver.config = EvalConfig("/p/eval.yaml", "/p", "wiki")
        driver.lay_out(ran("a"))
        await drained(pilot, driver)
        assert "No " not in screen_text(pilot.app), "it goes on by itself"


async def test_a_config_that_cannot_be_used_at_start_is_said_with_its_place():
    driver = FakeDriver()
    driver.config = None  # type: ignore[assignment]
    driver.problems = (Problem("error", "yaml", "not valid YAML", "/p/eval.yaml", 3, 1),)
    driver.status = Status(banner="eval.yaml:3:1 not valid YAML", watching="events")
    async with running(driver) as (pilot, _):
        text = screen_text(pilot.app)
        assert "cannot be used yet" in text
        assert text.count("eval.yaml:3:1 not valid YAML") == 1, "once, not in a banner as well"


async def test_an_eval_that_is_not_there_is_said_and_the_others_are_named():
    driver = FakeDriver()
    driver.config = None  # type: ignore[assignment]
    driver.eval_list = (EvalInfo("wiki", "/p/eval.yaml"),)
    driver.status = Status(banner="no eval called 'nope'; there are: wiki", watching="events")
    async with running(driver) as (pilot, _):
        assert "No such eval" in screen_text(pilot.app)
        assert "there are: wiki" in screen_text(pilot.app)


# The status


async def test_the_status_names_the_trigger_and_what_it_touched():
    driver = small()
    async with running(driver) as (pilot, _):
        driver.say(
            replace(driver.status, trigger="output/wiki/page.md", touched=3, ran=2, reused=1)
        )
        await drained(pilot, driver)
        assert "output/wiki/page.md changed: 2 cells ran, 1 still valid" in screen_text(pilot.app)
        driver.say(Status("wiki", "run-2", running=2, queued=5, waiting=1, paused=True))
        await drained(pilot, driver)
        text = screen_text(pilot.app)
        assert "2 running · 5 queued · 1 waiting" in text
        assert "PAUSED" in text
        driver.say(replace(driver.status, watching="polling"))
        await drained(pilot, driver)
        assert "polling" in screen_text(pilot.app)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"trigger": "start", "reused": 70}, "first look: nothing to run, 70 still valid"),
        ({"trigger": "start", "touched": 4, "ran": 4}, "first look: 4 cells ran"),
        ({"trigger": "eval.yaml", "ran": 1}, "eval.yaml changed: 1 cell ran"),
        ({"trigger": "a.py and 3 more"}, "a.py and 3 more changed: nothing to run"),
        ({"trigger": "rerun", "touched": 9, "ran": 2, "queued": 7}, "by hand: 2 of 9 cells done"),
        ({"trigger": "run b"}, "run b opened: nothing to run"),
        ({"trigger": "new run b", "ran": 2}, "new run b: 2 cells ran"),
    ],
)
async def test_the_status_is_a_sentence(facts: dict[str, Any], words: str):
    driver = small()
    driver.status = replace(driver.status, **facts)
    async with running(driver) as (pilot, _):
        assert words in screen_text(pilot.app)


async def test_how_changes_are_seen_is_said():
    driver = small()
    async with running(driver) as (pilot, _):
        for mode, words in (("events", " watching"), ("polling", "polling"), ("", "not watching")):
            driver.say(replace(driver.status, watching=mode))
            await drained(pilot, driver)
            line = screen_text(pilot.app).splitlines()[-2]
            assert line.endswith(f"{words} ")
            assert ("not" in line) is (mode == "")


async def test_a_long_trigger_keeps_its_end_and_the_state_stays_in_sight():
    driver = small()
    driver.status = replace(driver.status, trigger="deep/" * 40 + "page.md", touched=3, running=1)
    async with running(driver, size=(60, 20)) as (pilot, _):
        text = screen_text(pilot.app)
        assert "page.md changed: 0 of 3 cells done" in text
        assert "1 running" in text


async def test_a_broken_config_keeps_the_grid_under_a_banner():
    driver = small()
    async with running(driver) as (pilot, grid):
        banner = "eval.yaml:12:5 mapping values are not allowed here [/]"
        driver.say(replace(driver.status, banner=banner))
        await drained(pilot, driver)
        assert banner in screen_text(pilot.app)
        assert "✗" in "\n".join(lines_of(grid))
        driver.say(replace(driver.status, banner=""))
        await drained(pilot, driver)
        assert "eval.yaml" not in screen_text(pilot.app)


async def test_cases_that_ran_and_did_not_are_counted():
    driver = FakeDriver([*ran("a", "b"), Row("c", "not_run")], [check("j")])
    async with running(driver) as (pilot, _):
        assert "2 of 3 cases ran, 1 not run" in screen_text(pilot.app)


# The preview


async def test_the_preview_follows_the_cursor():
    driver = small()
    driver.rationales[CellKey("b", "links")] = "Missing: [/] page.md"
    async with running(driver) as (pilot, _):
        await pilot.press("down")
        await sees(pilot, "✗ failed")
        await sees(pilot, "Missing: [/] page.md")
        await pilot.press("down")
        await sees(pilot, "ValueError: nope")


@pytest.mark.parametrize(
    ("judge", "cell", "words"),
    [
        (
            model("m"),
            Cell(CellState.WAITING, measured(4), True, "off"),
            "something that it rests on",
        ),
        (model("m"), Cell(CellState.WAITING, measured(4), True, "secret"), "there is an API key"),
        (model("m"), Cell(CellState.WAITING, waiting="off"), "That costs money"),
        (check("c", auto=False), Cell(CellState.WAITING, waiting="off"), "`auto: false`"),
        (check("c"), Cell(CellState.WAITING, waiting="paused"), "p goes on"),
        (check("c"), Cell(CellState.WAITING, waiting="cancelled"), "r runs it"),
    ],
)
async def test_a_cell_that_waits_says_for_what_in_preview_and_reason(
    judge: Judge, cell: Cell, words: str
):
    driver = FakeDriver(ran("a"), [judge])
    driver.put("a", judge.name, cell)
    async with running(driver, size=(160, 40)) as (pilot, _):
        await until(pilot, lambda: words in " ".join(screen_text(pilot.app).split()), words)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CaseScreen))
        await until(pilot, lambda: words in " ".join(screen_text(pilot.app).split()), words)


async def test_leaving_a_case_leads_to_the_case_reached_in_the_order_of_the_grid():
    driver = FakeDriver(ran("a", "b", "x1", "x2", "x3"), [check("j"), check("n")])
    for place, case in enumerate(("a", "b", "x1", "x2", "x3")):
        driver.put(case, "j", measured(False))
        driver.put(case, "n", measured(place))
    async with running(driver) as (pilot, grid):
        await pilot.press("slash", "x", "enter", "l", "s", "s", "h", "g")
        assert grid.cursor == ("x3", "j"), "filtered, and the highest number first"
        await pilot.press("enter", "n")
        case = pilot.app.screen
        assert isinstance(case, CaseScreen)
        assert case.case == "x2"
        await pilot.press("n", "n", "n", "escape")
        assert grid.cursor == ("x2", "j"), "round the end, past what the filter hides"


async def test_the_preview_says_what_it_leaves_out():
    driver = small()
    driver.rationales[CellKey("a", "links")] = "x" * 5_000
    async with running(driver, size=(120, 60)) as (pilot, _):
        preview = pilot.app.screen.query_one("#preview-text")
        await until(pilot, lambda: "… +1,000 chars" in str(preview.render()))


@pytest.mark.parametrize(
    ("size", "shown"), [((80, 24), True), ((120, 18), True), ((80, 18), False)]
)
async def test_the_preview_makes_room_on_small_screens(size: tuple[int, int], shown: bool):
    async with running(small(), size=size) as (pilot, _):
        assert pilot.app.screen.query_one("#preview").display is shown


# Work


@pytest.mark.parametrize(
    ("keys", "cells", "force"),
    [
        (("r",), {("a", "links")}, False),
        (("ctrl+r",), {("a", "links")}, True),
        (("R",), {("a", "links"), ("a", "quality")}, False),
        (("C",), {("a", "links"), ("b", "links"), ("c", "links")}, False),
        (("F",), {("b", "links")}, False),
        (("t",), {("c", "links")}, False),
        (("space", "j", "j", "space", "r"), {("a", "links"), ("c", "links")}, False),
        (("v", "j", "l", "v", "r"), {(c, j) for c in "ab" for j in ("links", "quality")}, False),
        (("a", "y"), {(c, j) for c in "abc" for j in ("links", "quality")}, False),
    ],
)
async def test_rerunning(keys: tuple[str, ...], cells: set[tuple[str, str]], force: bool):
    driver = small()
    async with running(driver) as (pilot, grid):
        await pilot.press(*keys)
        assert driver.calls == [("rerun", cells, force)]
        assert not grid.marked


async def test_rerunning_everything_asks_only_when_models_would_be_called():
    driver = small()
    driver.price = Estimate(3, 1200, 600, 0.14)
    async with running(driver) as (pilot, _):
        await pilot.press("a")
        for words in ("Rerun 6 cells?", "That takes 3 model calls", "1,200 tokens", "$0.14."):
            assert words in screen_text(pilot.app)
        await pilot.press("escape")
        assert not driver.calls
        driver.price = NOTHING
        await pilot.press("a")
        assert [call[0] for call in driver.calls] == ["rerun"]


@pytest.mark.parametrize(
    ("keyless", "told"),
    [
        (0, "2 cells queued."),
        (1, "1 cell queued. 1 cell waits for an API key: put"),
        (2, "2 cells wait for an API key: put"),
    ],
)
async def test_cells_that_wait_for_a_key_are_told(keyless: int, told: str):
    driver = sample_driver()
    driver.price = replace(NOTHING, keyless=keyless)
    async with running(driver) as (pilot, _):
        await pilot.press("space", "j", "space", "r")
        await sees(pilot, told[:40])


async def test_nothing_to_run_is_said():
    driver = FakeDriver(ran("a"), [check("links")])
    async with running(driver) as (pilot, _):
        await pilot.press("F")
        await sees(pilot, "Nothing to run there.")
        assert not driver.calls


async def test_cancel_pause_and_interrupt():
    driver = small()
    async with running(driver) as (pilot, _):
        await pilot.press("x", "p", "ctrl+c")
        assert driver.calls == [
            ("cancel", {("a", "links")}),
            ("pause", True),
            ("cancel", None),
        ]


# Finding


async def test_failures_only_and_a_row_that_recovers_stays():
    driver = small()
    async with running(driver) as (pilot, grid):
        await pilot.press("f")
        assert grid.shown == 2
        assert "2 of 3" in lines_of(grid)[0]
        driver.put("b", "links", measured(True))
        driver.put("a", "links", measured(False))
        await drained(pilot, driver)
        assert grid.shown == 3, "a new failure joins, the recovered one stays under the reader"
        await pilot.press("f", "f")
        assert grid.shown == 2


@pytest.mark.parametrize("key", ["n", "f"])
@pytest.mark.parametrize("value", [True, 1.0])
async def test_where_nothing_fails_it_says_how_to_find_low_numbers(value: bool | float, key: str):
    driver = FakeDriver(ran("a"), [check("style")])
    driver.put("a", "style", measured(value))
    async with running(driver, size=(120, 30)) as (pilot, _):
        await pilot.press(key)
        await sees(pilot, "No failures here.")
        assert ("Numbers neither" in screen_text(pilot.app)) is (value is not True)


async def test_problems_are_pointed_to_while_there_are_any():
    driver = FakeDriver(ran("a"), [check("style")])
    driver.problems = (Problem("note", "unknown-key", "nobody reads this"),)
    async with running(driver, size=(120, 30)) as (pilot, _):
        assert "P problems" not in screen_text(pilot.app)
        driver.problems = (Problem("error", "no-module", "it cannot be imported"),)
        driver.change(Dirty(problems=True))
        await sees(pilot, "P problems")


async def test_a_message_does_not_hide_the_filter_or_the_banner():
    driver = FakeDriver(ran("a"), [check("style")])
    async with running(driver, size=(80, 24)) as (pilot, _):
        await pilot.press("slash", "a", "enter", "n")
        driver.status = replace(driver.status, banner="the last good one stays in force")
        driver.change(Dirty(status=True))
        await sees(pilot, "stays in force")
        assert all(said in screen_text(pilot.app) for said in ("No failures here.", "1 of 1"))


async def test_next_and_previous_failure_go_around():
    async with running(small()) as (pilot, grid):
        seen: list[CellKey | None] = []
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            seen.append(grid.cursor)
        assert [key.case for key in seen if key] == ["b", "c", "b", "c"]


async def test_filter_by_name_and_keys_that_are_letters_there():
    driver = FakeDriver(ran("quick", "queue", "[/] odd", "rest"), [check("j")])
    async with running(driver) as (pilot, grid):
        await pilot.press("slash", "q", "U")
        assert grid.shown == 2, "any case of letters; q does not quit"
        await pilot.press("enter")
        assert grid.has_focus
        assert grid.shown == 2
        await pilot.press("escape")
        assert grid.shown == 4
        await pilot.press("slash", "[", "/", "]", "enter")
        assert grid.cursor == CellKey("[/] odd", "j")


async def test_keys_that_come_in_one_go_after_a_slash_are_typed():
    driver = FakeDriver(ran("area", "bay", "sea"), [check("j")])
    async with running(driver) as (pilot, grid):
        for key, character in (("slash", "/"), ("a", "a"), ("r", "r")):
            pilot.app.post_message(events.Key(key, character))
        await until(pilot, lambda: grid.shown == 1, "filtered")
        assert pilot.app.screen.query_one("#filter", Input).value == "ar"
        assert not driver.calls


async def test_the_preview_of_a_stale_cell_tells_no_time_of_the_new_trigger():
    driver = small()
    async with running(driver) as (pilot, _):
        await sees(pilot, "took 12 ms")
        driver.put("a", "links", Cell(CellState.STALE, measured(True)))
        driver.change(Dirty(cells=frozenset({CellKey("a", "links")})))
        await drained(pilot, driver)
        await pilot.press("j", "k")
        await until(pilot, lambda: "took" not in screen_text(pilot.app), "no time")


async def test_a_new_notice_replaces_the_one_before():
    async with running(small()) as (pilot, _):
        await pilot.press("v", "y", "y")
        await sees(pilot, "Copied.")
        text = screen_text(pilot.app)
        assert text.count("Copied.") == 1
        assert "v again elsewhere" not in text


async def test_in_a_text_input_only_a_few_keys_act_beyond_it():
    driver = small()
    async with running(driver) as (pilot, grid):
        await pilot.press("slash", "a", "ctrl+r", "ctrl+d", "tab", "f5")
        assert not driver.calls
        assert not grid.has_focus
        await pilot.press("ctrl+c")
        assert driver.calls == [("cancel", None)]


async def test_the_frozen_picture_stands_still():
    driver = small()
    async with running(driver) as (pilot, grid):
        before = lines_of(grid)[grid.header_height :]
        await pilot.press("z")
        driver.put("a", "links", measured(False))
        driver.lay_out(ran("a", "b", "c", "d"))
        await drained(pilot, driver)
        await pilot.press("down", "up")
        assert lines_of(grid)[grid.header_height :] == before
        assert "FROZEN, 1 changed" in screen_text(pilot.app)
        await pilot.press("z")
        assert grid.shown == 4
        assert "✗" in lines_of(grid)[grid.header_height]


# Elsewhere


async def test_enter_opens_the_case_and_back_is_where_it_was():
    async with running(sample_driver()) as (pilot, grid):
        await pilot.press("down", "right", "enter")
        assert isinstance(pilot.app.screen, CaseScreen)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, GridScreen)
        assert grid.cursor == CellKey("case-01", "wiki_page_structure")


async def test_changes_behind_another_screen_are_shown_on_return():
    driver = small()
    async with running(driver) as (pilot, grid):
        await pilot.press("P")
        assert isinstance(pilot.app.screen, ProblemsScreen)
        driver.put("a", "links", measured(False))
        await drained(pilot, driver)
        await pilot.press("q")
        await pilot.pause()
        assert "✗" in lines_of(grid)[grid.header_height]


async def test_problems_are_listed_with_place_and_hint():
    driver = small()
    driver.problems = (
        Problem("note", "unknown-key", "unknown key `[/]`", "/project/eval.yaml", 3, 1),
        Problem("error", "yaml", "not YAML", "/project/eval.yaml", 12, 5, hint="indent it"),
    )
    async with running(driver) as (pilot, _):
        await pilot.press("P")
        lines = [line.strip() for line in screen_text(pilot.app).splitlines()]
        first = next(i for i, line in enumerate(lines) if line.startswith("error"))
        assert lines[first + 1 : first + 3] == ["eval.yaml:12:5", "indent it"]
        assert lines[first + 3] == "note    unknown key `[/]`"


async def test_choosing_a_run_and_stepping_through_runs():
    driver = small()
    driver.run_list = tuple(
        RunInfo(f"run-{n}", f"/runs/run-{n}", 1e9 + n, 3, newest=n == 3) for n in (3, 2, 1)
    )
    async with running(driver) as (pilot, _):
        await pilot.press("m")
        assert isinstance(pilot.app.screen, RunsScreen)
        assert "cost n/a" in screen_text(pilot.app)
        await pilot.press("j", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, GridScreen)
        await pilot.press("left_square_bracket", "greater_than_sign")
        await pilot.pause()
        assert [call[1] for call in driver.calls] == ["run-1", "run-1", "run-3"]
        driver.status = replace(driver.status, run_id="run-3")
        await pilot.press("right_square_bracket")
        await sees(pilot, "This is the newest run.")


async def test_a_new_run_appears_in_the_list_and_the_highlight_stays():
    driver = small()
    driver.run_list = (RunInfo("run-2", "/r/2", 2, 3), RunInfo("run-1", "/r/1", 1, 3))
    async with running(driver) as (pilot, _):
        await pilot.press("m", "j")
        driver.run_list = (RunInfo("run-3", "/r/3", 3, 3), *driver.run_list)
        driver.say(driver.status)
        await drained(pilot, driver)
        assert "run-3" in screen_text(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert driver.calls == [("open_run", "run-1")]


async def test_choosing_an_eval():
    driver = small()
    driver.eval_list = (
        EvalInfo("wiki", "/project/eval.yaml"),
        EvalInfo("other", "/project/eval/other.yaml", 2),
    )
    async with running(driver) as (pilot, _):
        await pilot.press("E")
        text = screen_text(pilot.app)
        assert "eval/other.yaml" in text
        assert "2 problems" in text
        await pilot.press("j", "enter")
        await pilot.pause()
        assert driver.calls == [("open_eval", "/project/eval/other.yaml")]


async def test_copy_gives_the_raw_text():
    driver = small()
    driver.rationales[CellKey("a", "links")] = "raw \x1b[31m"
    async with running(driver) as (pilot, _):
        await pilot.press("y")
        assert "raw \x1b[31m" in pilot.app.clipboard


async def test_help_is_for_where_one_is():
    async with running(small()) as (pilot, _):
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        assert "Rerun this cell, or the marked ones." in screen_text(pilot.app)
        await pilot.press("q", "P", "question_mark")
        assert "Open what is highlighted." in screen_text(pilot.app)
        await pilot.press("escape", "escape")
        assert isinstance(pilot.app.screen, GridScreen)


# Text from outside


async def test_outside_text_is_the_same_on_every_surface():
    driver = FakeDriver()
    async with running(driver, size=(200, 40)) as (pilot, _):
        for text in LITERAL:
            driver.status = replace(driver.status, eval_name=text, run_id=text, trigger=text)
            driver.put(text, text, measured(False))
            driver.rationales[CellKey(text, text)] = f"why {text}"
            driver.problems = (Problem("error", "x", f"problem {text}", hint=f"hint {text}"),)
            driver.run_list = (RunInfo(text, "/r", 1, 1),)
            driver.lay_out(ran(text), [check(text)])
            await drained(pilot, driver)
            await sees(pilot, f"why {text}")
            # title, run, header, row, twice in the preview, its reason, the status
            assert screen_text(pilot.app).count(text) >= 8
            say(pilot.app, f"told {text}")
            await sees(pilot, f"told {text}")
            await pilot.press("P")
            await sees(pilot, f"problem {text}")
            await sees(pilot, f"hint {text}")
            await pilot.press("escape", "m")
            await until(pilot, lambda: isinstance(pilot.app.screen, RunsScreen))
            await sees(pilot, text)
            await pilot.press("escape")
        assert pilot.app.return_value is None, "nothing in it acted"


async def test_nothing_outside_acts_on_any_surface():
    driver = FakeDriver(ran(*ALL), [check(name) for name in ALL])
    everything = "\n".join(ALL)
    driver.status = replace(
        driver.status,
        eval_name=everything,
        run_id=everything,
        trigger=everything,
        banner=everything,
    )
    driver.put(ALL[0], ALL[0], measured(False))
    driver.rationales[CellKey(ALL[0], ALL[0])] = everything
    driver.problems = (Problem("error", "x", everything, everything, 1, 1, everything, everything),)
    driver.run_list = (RunInfo(everything, everything, 1, 1, everything),)
    driver.eval_list = (EvalInfo(everything, everything),)
    async with running(driver, size=(160, 40)) as (pilot, _):
        await sees(pilot, "failed")
        assert not acts(screen_text(pilot.app))
        for key in ("P", "m", "E"):
            await pilot.press(key)
            assert not acts(screen_text(pilot.app))
            await pilot.press("escape")
        await pilot.press("ctrl+p", *"odd")
        await sees(pilot, "No matches")
        assert not acts(screen_text(pilot.app))


async def test_the_palette_finds_actions_and_cases_by_name():
    driver = FakeDriver(ran("one", "other"), [check("j")])
    async with running(driver) as (pilot, grid):
        await pilot.press("colon", *"other")
        await sees(pilot, "Case: other")
        await pilot.press("enter")
        await until(pilot, lambda: grid.cursor == CellKey("other", "j"))
        await pilot.press("ctrl+p", *"problems")
        await sees(pilot, "Problems (P)")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ProblemsScreen))


async def test_the_palette_shows_names_as_they_are():
    async with running(FakeDriver(ran(*ALL), [check("j")])) as (pilot, _):
        await pilot.press("ctrl+p")
        for name in LITERAL:
            pilot.app.screen.query_one(Input).value = name
            await sees(pilot, f"Case: {name}")
        for name in ACTING:
            typed = max(re.findall(r"[\w;=]+", name), key=len)
            pilot.app.screen.query_one(Input).value = typed
            await sees(pilot, f"Case: {one_line(name)}")
            assert not acts(screen_text(pilot.app))


async def test_nobody_counts_cells_while_known_ones_are_still_being_taken_up(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("eval_tui.tui.screens.grid_heads.AT_ONCE", 0)
    driver = small()
    driver.status = replace(driver.status, loading=2)
    async with running(driver) as (pilot, _):
        screen = pilot.app.screen
        assert isinstance(screen, GridScreen)
        for _ in range(2):
            heads = screen.heads.due
            await until(pilot, lambda before=heads: screen.heads.due is not before)
            assert "50%" not in screen_text(pilot.app)
        driver.say(replace(driver.status, loading=0))
        await sees(pilot, "50%")
