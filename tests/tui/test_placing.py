"""Where the preview stands, and how narrow columns get."""

from __future__ import annotations

import pytest

from eval_tui.engine.grid import Dirty
from eval_tui.scores import Reason, Unmeasured, measured
from eval_tui.tui.layout import Head, name_lines, plan_columns
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


def test_aggregates_are_broken_only_where_room_is_scarce():
    judges = [check("one"), check("two")]
    grid = FakeGrid(ran("a"), judges)
    heads = [Head(judge.name, ("83% 5/6", "6/7 measured")) for judge in judges]
    wide = plan_columns(grid, heads, 60)
    assert wide[0].summary == ("83% 5/6", "6/7 measured")
    narrow = plan_columns(grid, heads, 20)
    assert narrow[0].summary == ("83% 5/6", "6/7", "measured")
    assert narrow[-1].end <= 20


async def test_a_long_case_name_is_whole_where_columns_leave_room():
    name = "a-case-with-a-name-of-rather-more-than-forty-characters"
    driver = FakeDriver(ran(name), [check("j")])
    driver.put(name, "j", measured(True))
    async with running(driver, size=(119, 30)) as (_, grid):
        assert any(name in line for line in lines_of(grid))
        assert "…" not in "".join(lines_of(grid))
