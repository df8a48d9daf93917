"""Cells that nothing is done about: they keep their old value, and never pass it off as new (D46)."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import Cell, CellKey, CellState
from tests.engine.test_property import opened
from tests.support.small import case_dir, run_dir, write_case, write_config, write_project

PAGE = {"name": "page", "check": "return len(outputs['files']['out/page.md'])"}
OTHER = {"name": "other", "check": "return 1"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_project(tmp_path / "p", [PAGE, OTHER], ("a",))


@pytest.fixture
async def driver(root: Path) -> AsyncGenerator[Driver]:
    driver = await opened(root)
    await driver.idle()
    yield driver
    await driver.close()


def page(driver: Driver) -> Cell:
    return driver.grid.cell("a", "page")


def value(cell: Cell) -> object:
    return getattr(cell.score, "value", None)


async def configured(driver: Driver, root: Path, *judges: dict[str, object]) -> None:
    driver.apply(frozenset({str(write_config(root, judges))}))
    await driver.idle()


async def edited(driver: Driver, root: Path, text: str) -> None:
    path = case_dir(root, "a") / "out" / "page.md"
    path.write_text(text)
    driver.apply(frozenset({str(path)}))
    await driver.idle()


async def cancelled(driver: Driver, root: Path) -> None:
    """The judge is another one now, and its cell was cancelled before it ran."""
    driver.pause(True)
    driver.apply(frozenset({str(write_config(root, [{**PAGE, "check": "return -1"}, OTHER]))}))
    driver.cancel(None)
    driver.pause(False)
    await driver.idle()


async def test_a_cancelled_cell_waits_whatever_else_happens(driver: Driver, root: Path) -> None:
    await cancelled(driver, root)
    assert (page(driver).waiting, value(page(driver))) == ("cancelled", 10)
    await configured(driver, root, {**PAGE, "check": "return -1", "description": "d"}, OTHER)
    driver.rerun([CellKey("a", "other")])
    await driver.idle()
    assert (page(driver).waiting, value(page(driver))) == ("cancelled", 10)
    driver.rerun([CellKey("a", "page")])
    await driver.idle()
    assert (page(driver).state, value(page(driver))) == (CellState.FRESH, -1)


async def test_its_old_value_is_not_trusted_by_the_next_session(driver: Driver, root: Path) -> None:
    await cancelled(driver, root)
    driver.rerun([CellKey("a", "other")])  # the case's row is stored
    await driver.idle()
    await driver.close()
    again = await opened(root)
    try:
        await again.idle()
        assert (page(again).state, value(page(again))) == (CellState.FRESH, -1)
    finally:
        await again.close()


async def test_what_runs_only_when_asked_is_verified_and_not_run(
    driver: Driver, root: Path
) -> None:
    """D26: `auto: false`"""
    held = {**PAGE, "auto": False}
    await configured(driver, root, held, OTHER)
    ran = driver.session.ran
    (case_dir(root, "a") / "more.txt").write_text("")
    driver.apply(frozenset({str(case_dir(root, "a") / "more.txt")}))
    await driver.idle()
    assert page(driver).state is CellState.FRESH
    await edited(driver, root, "longer than before\n")
    assert (page(driver).waiting, value(page(driver)), driver.session.ran) == ("off", 10, ran)
    await configured(driver, root, {**held, "check": "return -1"}, OTHER)
    assert (page(driver).waiting, value(page(driver)), driver.session.ran) == ("off", 10, ran)
    await configured(driver, root, held, OTHER)
    await edited(driver, root, "page of a\n")
    assert (page(driver).waiting, value(page(driver)), driver.session.ran) == (None, 10, ran)
    await edited(driver, root, "longer than before\n")
    driver.rerun([CellKey("a", "page")])
    await driver.idle()
    assert (page(driver).state, value(page(driver))) == (CellState.FRESH, 19)


async def test_it_still_waits_in_the_next_session(driver: Driver, root: Path) -> None:
    await configured(driver, root, {**PAGE, "auto": False}, OTHER)
    await edited(driver, root, "longer than before\n")
    await driver.close()
    again = await opened(root)
    try:
        await again.idle()
        assert (page(again).waiting, value(page(again)), again.session.ran) == ("off", 10, 0)
    finally:
        await again.close()


async def test_a_case_whose_folder_went_shows_what_was_recorded(tmp_path: Path) -> None:
    """D7: also when it was judged before."""
    summary = {"per_case": {"b": {"page": {"value": 3, "rationale": "of old"}}}}
    root = write_project(tmp_path / "p", [PAGE], ("a", "b"), summary=summary)
    driver = await opened(root)
    try:
        await driver.idle()
        assert value(driver.grid.cell("b", "page")) == 10
        shutil.rmtree(case_dir(root, "b"))
        driver.apply(frozenset({str(case_dir(root, "b"))}))
        await driver.idle()
        cell = driver.grid.cell("b", "page")
        assert (value(cell), cell.recorded) == (3, True)
        write_case(root, "b")
        driver.apply(frozenset({str(case_dir(root, "b"))}))
        await driver.idle()
        cell = driver.grid.cell("b", "page")
        assert (value(cell), cell.recorded) == (10, False)
    finally:
        await driver.close()


async def test_changes_below_a_linked_folder_are_those_of_the_case(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [PAGE], ("a",))
    runs = root / "eval" / "runs"
    runs.rename(tmp_path / "elsewhere")
    runs.symlink_to(tmp_path / "elsewhere")
    driver = await opened(root)
    try:
        await driver.idle()
        assert run_dir(root).is_relative_to(runs)
        await edited(driver, root, "longer than before\n")
        assert value(page(driver)) == 19
    finally:
        await driver.close()


async def test_a_value_of_another_judge_is_marked_old_until_the_new_one_is_there(
    driver: Driver, root: Path
) -> None:
    driver.apply(frozenset({str(write_config(root, [{**PAGE, "check": "return -1"}, OTHER]))}))
    assert page(driver).state in (CellState.STALE, CellState.RUNNING)
    assert value(page(driver)) == 10
    await driver.idle()
    assert (page(driver).state, value(page(driver))) == (CellState.FRESH, -1)
    driver.apply(frozenset({str(write_config(root, [PAGE, OTHER]))}))
    assert page(driver).state is CellState.STALE
    await driver.idle()
    assert (page(driver).state, value(page(driver))) == (CellState.FRESH, 10)
