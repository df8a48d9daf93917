"""Where the person was: kept at the end, put back at the start, and no trouble when it is damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval_tui.config.schema import EvalConfig
from eval_tui.engine.grid import CellKey
from eval_tui.engine.project import Options
from eval_tui.tui.app import EvalApp
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.state import Place, State, load_state, resumed, save_state, state_path
from eval_tui.tui.widgets.grid import CaseGrid
from tests.tui.fake import FakeDriver, sample_driver
from tests.tui.seeing import sees, until


def grid_of(app: EvalApp) -> CaseGrid:
    (grid,) = (screen for screen in app.screen_stack if isinstance(screen, GridScreen))
    return grid.cases


def test_a_state_returns_as_it_was_written(tmp_path: Path):
    path = state_path(str(tmp_path))
    place = Place(run="/r", case="a", judge="b", filter="x", failures=True, unfolded=("q",))
    state = State(theme="light", spoken=True).with_place("eval.yaml", place)
    save_state(path, state)
    assert load_state(path) == state
    assert (tmp_path / ".eval-tui" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"version": 2, "theme": "light"}', '"x"', "\ud83d", "[" * 100_000],
)
def test_a_damaged_file_is_the_beginning(tmp_path: Path, text: str):
    path = tmp_path / "state.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert load_state(str(path)) == State()


def test_of_a_file_that_is_partly_wrong_the_rest_is_taken(tmp_path: Path):
    path = tmp_path / "state.json"
    places = {"a": {"case": 7, "filter": "x", "unfolded": ["q", 3], "more": 1}, "b": []}
    path.write_text(json.dumps({"version": 1, "theme": [], "spoken": True, "places": places}))
    wanted = {"a": Place(filter="x", unfolded=("q",)), "b": Place()}
    assert load_state(str(path)) == State(spoken=True, places=wanted)


def test_eval_and_run_return_unless_something_else_is_asked_for_or_they_are_gone(tmp_path: Path):
    config, run = tmp_path / "sub" / "eval.yaml", tmp_path / "runs" / "r1"
    config.parent.mkdir()
    config.touch()
    run.mkdir(parents=True)
    root = str(tmp_path)
    state = State().with_place("sub/eval.yaml", Place(run=str(run)))
    back = resumed(Options(root), state)
    assert (back.config, back.run) == (str(config), "r1")
    assert resumed(Options(root, run="r2"), state).run == "r2"
    assert resumed(Options(root, eval_name="other"), state).config == ""
    run.rmdir()
    assert resumed(Options(root), state).run == ""
    config.unlink()
    assert resumed(Options(root), state).config == ""


async def test_cursor_filter_order_and_theme_return_at_the_next_start(tmp_path: Path):
    path = state_path(str(tmp_path))
    app = EvalApp(sample_driver(), state=path)
    async with app.run_test(size=(120, 30)) as pilot:
        await sees(pilot, "New here?")
        await pilot.press("right", "s", "down", "slash", *"case", "enter", "T")
        app.theme = "light"
        await pilot.pause()
        key = grid_of(app).cursor
        await pilot.press("q")
    app = EvalApp(sample_driver(), state=path)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: grid_of(app).cursor == key, "the cursor is back")
        await sees(pilot, "/ case")
        await sees(pilot, "Judge wiki_page_structure.")
        assert grid_of(app).shown == 6
        assert grid_of(app).sort is not None
        assert app.theme == "light"
        assert not app.screen.query("#welcome")


async def test_each_eval_has_a_place_of_its_own(tmp_path: Path):
    driver = sample_driver()
    app = EvalApp(driver, state=state_path(str(tmp_path)))

    def show(name: str) -> None:
        judges = driver.grid.columns
        driver.config = EvalConfig(f"/project/{name}", "/project", name, name, judges=judges)
        driver.lay_out()

    async with app.run_test(size=(120, 30)) as pilot:
        show("one.yaml")
        await until(pilot, lambda: not driver.dirty)
        await pilot.press("down", "down", "slash", *"case-0", "enter")
        here = CellKey("case-02", "budget_check")
        await until(pilot, lambda: grid_of(app).cursor == here)
        show("two.yaml")
        await until(pilot, lambda: grid_of(app).shown == 7, "the other eval has no filter")
        show("one.yaml")
        await until(pilot, lambda: grid_of(app).shown == 6, "the filter is back")
        assert grid_of(app).cursor == here


async def test_without_a_file_nothing_is_kept():
    app = EvalApp(FakeDriver())
    async with app.run_test() as pilot:
        await pilot.press("q")
    assert not Path("/project").exists()
