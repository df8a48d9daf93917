"""Small comforts: the bell, the window's title, the preview for a screen reader, hints that go away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.content import Content

from eval_tui.engine.grid import Row, Status
from eval_tui.results.review import Opinion, ReviewBook
from eval_tui.scores import Reason, Unmeasured, measured
from eval_tui.tui.app import EvalApp
from eval_tui.tui.ending import LONG_SECONDS, LongWork
from eval_tui.tui.marks import ASCII, UNICODE
from eval_tui.tui.spoken import spoken
from eval_tui.tui.words import welcome_line, window_title
from tests.tui.fake import FakeDriver, check, model, ran, sample_driver
from tests.tui.seeing import drained, running, screen_text, sees, until
from tests.tui.test_app import Terminal


def test_only_work_that_took_long_is_worth_a_bell():
    work = LongWork()
    assert not work.ended(True, 0)
    assert not work.ended(True, LONG_SECONDS - 2)
    assert not work.ended(False, LONG_SECONDS - 1)
    assert not work.ended(True, 100)
    assert work.ended(False, 100 + LONG_SECONDS)
    assert not work.ended(False, 200)


@pytest.mark.parametrize("bell", [True, False])
async def test_the_bell_rings_once_when_it_was_asked_for(bell: bool):
    driver, now, rung = sample_driver(), 0.0, list[float]()
    app = EvalApp(driver, bell=bell, clock=lambda: now)
    app.bell = lambda: rung.append(now)  # type: ignore[method-assign]
    async with app.run_test() as pilot:
        driver.say(replace(driver.status, running=1))
        await drained(pilot, driver)
        now = LONG_SECONDS + 1
        for _ in range(2):
            driver.say(replace(driver.status, running=0))
            await drained(pilot, driver)
    assert rung == ([now] if bell else [])


def test_the_title_says_where_and_whether_anything_is_done():
    status = Status(eval_name="wiki\x1b]0;x\x07", run_id="r1")
    assert window_title(None, status) == "wiki␛]0;x␇ - r1 - eval-tui"
    assert window_title(None, replace(status, queued=3)) == "wiki␛]0;x␇ - working - eval-tui"
    assert window_title(None, Status()) == "eval-tui"


def test_the_terminal_gets_a_title_and_its_own_back():
    terminal = Terminal()
    terminal.expect("\x1b[22;2t")
    terminal.expect("\x1b]2;wiki - run-2 - eval-tui\x1b\\")
    terminal.child.send("q")
    assert terminal.end() == 0
    assert "\x1b[23;2t" in terminal.written


def test_the_spoken_preview_says_in_sentences_all_that_the_marks_say():
    driver = FakeDriver(ran("a"), [check("fine"), model("good", score_range=(1.0, 5.0))])
    fine, good = driver.grid.columns
    driver.put("a", "fine", measured(False, "no [link]"))
    book = ReviewBook({"a": Opinion(True, "it is fine")})
    text = spoken(driver.detail("a", "fine"), fine, Row("a", "ran"), book=book).plain
    for sentence in (
        "Case a.",
        "Judge fine.",
        "Result: failed.",
        "Your verdict is passed.",
        "Your comment: it is fine",
        "Reason: no [link]",
    ):
        assert sentence in text.splitlines()
    driver.put("a", "good", Unmeasured(Reason.MISSING_SECRET, "no key\x1b[31m"))
    text = spoken(driver.detail("a", "good"), good, Row("a", "ran")).plain
    assert "Detail: no key␛[31m" in text.splitlines()
    assert spoken(None, None, None) == Content("")


async def test_the_spoken_preview_is_one_key_away():
    async with running(sample_driver()) as (pilot, _):
        await pilot.press("T")
        await sees(pilot, "Judge budget_check.")
        await pilot.press("T")
        await until(pilot, lambda: "Judge budget_check." not in screen_text(pilot.app))


async def test_the_first_hint_goes_when_something_else_was_found(tmp_path: Path):
    app = EvalApp(sample_driver(), state=str(tmp_path / "state.json"))
    async with app.run_test() as pilot:
        await sees(pilot, "New here?")
        await pilot.press("question_mark", "escape")
        await until(pilot, lambda: "New here?" not in screen_text(app), "the hint goes away")


async def test_the_first_hint_waits_for_something_to_read(tmp_path: Path):
    app = EvalApp(driver := FakeDriver(ran("a")), state=str(tmp_path / "state.json"))
    async with app.run_test() as pilot:
        await sees(pilot, "This eval has no judges")
        assert "New here?" not in screen_text(app)
        driver.lay_out(judges=[check("fine")])
        await sees(pilot, "New here?")


def test_the_first_hint_is_cut_between_its_parts():
    keys = [("Enter", "reads a case"), ("?", "lists every key")]
    assert welcome_line(keys, 40, UNICODE).plain == " New here? Enter reads a case"
    whole = " New here? Enter reads a case - ? lists every key - save a judge: it reruns"
    assert welcome_line(keys, 80, ASCII).plain == whole


async def test_no_runs_says_where_they_were_looked_for():
    driver = FakeDriver([], [check("fine")])
    driver.status = Status(looked_in=("eval/runs/wiki", "[eval]/runs"))
    async with running(driver) as (pilot, _):
        await sees(pilot, "  [eval]/runs")
        await sees(pilot, "AGENT_EVAL_RUNS_DIR")
