"""Where the preview stands, and how narrow columns get."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from eval_tui.engine.grid import Cell, CellKey, CellState, Dirty
from eval_tui.results.board import make_board
from eval_tui.scores import Reason, Unmeasured, measured
from eval_tui.tui.heads import heads_of
from eval_tui.tui.layout import Head, name_lines, plan_columns
from eval_tui.tui.marks import UNICODE
from eval_tui.tui.placing import place
from tests.tui.fake import FakeDriver, FakeGrid, check, ran
from tests.tui.seeing import drained, lines_of, running


@pytest.mark.parametrize(
    ("size", "columns", "where"),
    [
        ((120, 40), 12, "below"),
        ((120, 40), 4, "beside"),
        ((200, 50), 12, "beside"),
        ((120, 24), 12, "beside"),
        ((80, 24), 12, "below"),
        ((80, 18), 2, "nowhere"),
        ((200, 12), 2, "nowhere"),
    ],
)
def test_the_preview_goes_where_it_hides_least(size: tuple[int, int], columns: int, where: str):
    assert place(*size, cases=8, case_width=18, columns=columns).where == where


def test_below_the_grid_it_takes_the_lines_that_few_cases_leave():
    few = place(120, 40, cases=3, case_width=18, columns=12)
    many = place(120, 40, cases=300, case_width=18, columns=12)
    assert many.size < few.size <= (40 - 3) // 2


async def test_a_value_that_arrives_never_moves_the_preview():
    driver = FakeDriver(ran("a", "b"), [check(f"judge_{number}") for number in range(6)])
    async with running(driver, size=(140, 40)) as (pilot, _):
        preview = pilot.app.screen.query_one("#preview")
        before = preview.region
        for number in range(6):
            driver.put("a", f"judge_{number}", Unmeasured(Reason.UNSUPPORTED, "no"))
        await drained(pilot, driver)
        driver.change(Dirty(structure=True))
        await drained(pilot, driver)
        assert preview.region == before


def test_names_break_between_words_into_the_lines_there_are():
    assert name_lines("asks_before_refund", 8, "…", 3) == ("asks_", "before_", "refund")
    assert name_lines("asks_before_refund", 8, "…", 2) == ("asks_", "before_…")
    assert name_lines("short", 8, "…", 3) == ("short",)
    assert "".join(name_lines("x" * 20, 8, "…", 3)) == "x" * 20


@pytest.mark.parametrize(
    ("room", "lines"),
    [
        (60, ("83% 5/6", "6/7 measured")),
        (26, ("83% 5/6 ∅1",)),
        (20, ("83% 5/6", "∅1")),
    ],
)
def test_aggregates_take_fewer_words_and_then_more_lines_where_room_is_scarce(
    room: int, lines: tuple[str, ...]
):
    judges = [check("one"), check("two")]
    grid = FakeGrid(ran("a"), judges)
    heads = [Head(judge.name, ("83% 5/6", "6/7 measured"), ("83% 5/6 ∅1",)) for judge in judges]
    columns = plan_columns(grid, heads, room)
    assert columns[0].summary == lines
    assert columns[-1].end <= room


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((True, False, None), ("50% 1/2 ∅1",)),
        ((0.5, 0.9, None), ("0.7 mean 2/3",)),
        ((None, None, None), ("none ∅3",)),
        ((True, True, True), ("100% 3/3",)),
    ],
)
def test_a_figure_in_few_words_says_what_is_missing(
    values: Sequence[bool | float | None], told: tuple[str, ...]
):
    grid = FakeGrid(ran("a", "b", "c"), [check("one")])
    for case, value in zip("abc", values, strict=True):
        score = Unmeasured(Reason.GRADER_ERROR, "") if value is None else measured(value)
        grid.cells[CellKey(case, "one")] = Cell(CellState.FRESH, score)
    assert heads_of(make_board(grid, None), UNICODE)[0].brief == told


def test_another_mean_moves_no_column():
    grid = FakeGrid(ran("a"), [check("one"), check("two")])
    starts = set[int]()
    for value in (1.0, 0.5, 0.333):
        grid.cells[CellKey("a", "one")] = Cell(CellState.FRESH, measured(value))
        heads = heads_of(make_board(grid, None), UNICODE)
        starts.add(plan_columns(grid, heads, 22)[1].start)
    assert len(starts) == 1


async def test_a_long_case_name_is_whole_where_columns_leave_room():
    name = "a-case-with-a-name-of-rather-more-than-forty-characters"
    driver = FakeDriver(ran(name), [check("j")])
    driver.put(name, "j", measured(True))
    async with running(driver, size=(119, 30)) as (_, grid):
        assert any(name in line for line in lines_of(grid))
        assert "…" not in "".join(lines_of(grid))
