"""The person's own verdict: given in the app, kept beside the run, shown beside the judges (S33)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import yaml
from textual.events import Key
from textual.pilot import Pilot

from eval_tui.engine.grid import CellKey
from eval_tui.scores import measured
from eval_tui.tui.screens.opinion import OpinionScreen
from tests.tui.fake import FakeDriver, check, ran
from tests.tui.seeing import running, screen_text, sees, until


def reviewed(tmp_path: Path) -> FakeDriver:
    """Two cases that `fine` passed, in a run with a folder."""
    driver = FakeDriver(ran("a", "b"), [check("fine"), check("other")])
    driver.run_dir = str(tmp_path)
    for case in "ab":
        driver.put(case, "fine", measured(True))
    return driver


def on_disk(tmp_path: Path) -> dict[str, object]:
    return yaml.safe_load((tmp_path / "review.yaml").read_text())


async def press(pilot: Pilot[int], keys: Sequence[str]) -> None:
    await pilot.press(*keys)
    await pilot.pause()


async def saved(pilot: Pilot[int]) -> None:
    await until(pilot, lambda: not isinstance(pilot.app.screen, OpinionScreen), "it is saved")


async def test_a_verdict_with_a_comment_is_kept_and_shown_beside_the_judges(tmp_path: Path):
    driver = reviewed(tmp_path)
    async with running(driver) as (pilot, _):
        await press(pilot, ["V", "2", "c", *"too ?:/q", "ctrl+s"])
        await saved(pilot)
        verdicts = on_disk(tmp_path)["verdicts"]
        assert verdicts["a"]["pass"] is False  # type: ignore[index]
        assert verdicts["a"]["comment"] == "too ?:/q"  # type: ignore[index]
        await sees(pilot, "you ✗ failed, this judge passed it: too ?:/q")
        await sees(pilot, "≠you 1/1")
        assert driver.grid.cell("a", "fine").score == measured(True)  # never in its place
        await press(pilot, ["enter"])
        await sees(pilot, "disagrees with you on 1 of 1")


async def test_a_comment_that_comes_in_one_go_with_the_keys_around_it_is_kept(tmp_path: Path):
    async with running(reviewed(tmp_path)) as (pilot, _):
        await press(pilot, ["V", "1"])
        for key, letter in (*((letter, letter) for letter in "cclue"), ("ctrl+s", None)):
            pilot.app.post_message(Key(key, letter))
        await saved(pilot)
        assert on_disk(tmp_path)["verdicts"]["a"]["comment"] == "clue"  # type: ignore[index]


async def test_it_stays_through_a_rerun_and_the_agreement_follows(tmp_path: Path):
    driver = reviewed(tmp_path)
    async with running(driver) as (pilot, _):
        await press(pilot, ["V", "2", "enter"])
        await saved(pilot)
        driver.put("a", "fine", measured(False))
        await sees(pilot, "you ✗ failed, so did this judge")
        await sees(pilot, "≠you 0/1")


async def test_the_list_of_disagreements_leads_to_the_cell(tmp_path: Path):
    (tmp_path / "review.yaml").write_text("verdicts: {b: {pass: false}, a: {pass: true}}")
    async with running(reviewed(tmp_path)) as (pilot, grid):
        await press(pilot, ["D"])
        await sees(pilot, "disagrees with you on 1 of 2")
        await press(pilot, ["enter"])
        assert grid.cursor == CellKey("b", "fine")


async def test_what_another_program_writes_is_seen(tmp_path: Path):
    async with running(reviewed(tmp_path)) as (pilot, _):
        (tmp_path / "review.yaml").write_text("feedback: {a: said elsewhere}")
        await sees(pilot, "you no verdict: said elsewhere")


async def test_another_opinion_written_meanwhile_is_not_overwritten_unasked(tmp_path: Path):
    async with running(reviewed(tmp_path)) as (pilot, _):
        await press(pilot, ["V", "2"])
        theirs = "verdicts: {a: {pass: true, comment: theirs}}\nfeedback: {b: kept}\n"
        (tmp_path / "review.yaml").write_text(theirs)
        await press(pilot, ["enter"])
        await sees(pilot, "passed: theirs")
        await press(pilot, ["n"])
        assert (tmp_path / "review.yaml").read_text() == theirs
        await press(pilot, ["enter"])
        await sees(pilot, "passed: theirs")
        await press(pilot, ["y"])
        await saved(pilot)
        document = on_disk(tmp_path)
        assert document["verdicts"]["a"]["pass"] is False  # type: ignore[index]
        assert document["feedback"] == {"b": "kept"}


async def test_opinions_of_other_cases_written_meanwhile_are_merged(tmp_path: Path):
    async with running(reviewed(tmp_path)) as (pilot, _):
        await press(pilot, ["V", "1"])
        (tmp_path / "review.yaml").write_text("feedback: {b: theirs}")
        await press(pilot, ["enter"])
        await saved(pilot)
        assert on_disk(tmp_path)["feedback"] == {"b": "theirs", "a": ""}


async def test_a_file_that_cannot_be_read_is_left_alone(tmp_path: Path):
    (tmp_path / "review.yaml").write_text("a: 1\nverdicts: [")
    async with running(reviewed(tmp_path)) as (pilot, _):
        await press(pilot, ["V"])
        await sees(pilot, "review.yaml:3")
        assert not isinstance(pilot.app.screen, OpinionScreen)
    assert (tmp_path / "review.yaml").read_text() == "a: 1\nverdicts: ["


async def test_leaving_unsaved_words_asks_first(tmp_path: Path):
    async with running(reviewed(tmp_path)) as (pilot, _):
        await press(pilot, ["V", "c", *"hm", "escape"])
        assert isinstance(pilot.app.screen, OpinionScreen)  # out of the text
        await press(pilot, ["escape"])
        await sees(pilot, "is not saved")
        await press(pilot, ["n"])
        assert isinstance(pilot.app.screen, OpinionScreen)
        await press(pilot, ["escape", "y"])
        assert not isinstance(pilot.app.screen, OpinionScreen)
    assert not (tmp_path / "review.yaml").exists()


async def test_an_opinion_is_about_the_run_that_it_was_begun_in(tmp_path: Path):
    driver = reviewed(tmp_path)
    async with running(driver) as (pilot, _):
        await press(pilot, ["V", "1"])
        driver.say(replace(driver.status, run_id="run-3"))
        await press(pilot, ["enter"])
        await sees(pilot, "this is about run-2")
    assert not (tmp_path / "review.yaml").exists()


async def test_a_comment_from_outside_is_shown_and_does_not_act(tmp_path: Path):
    (tmp_path / "review.yaml").write_text('feedback: {a: "[red]x[/] \\e[31m"}')
    async with running(reviewed(tmp_path)) as (pilot, _):
        await sees(pilot, "[red]x[/] ␛[31m")
        await press(pilot, ["V"])
        assert "\x1b" not in screen_text(pilot.app)
        await press(pilot, ["1", "enter"])
        await saved(pilot)
    assert on_disk(tmp_path)["feedback"] == {"a": "[red]x[/] \x1b[31m"}
