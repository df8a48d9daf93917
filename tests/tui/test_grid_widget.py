"""The grid: what it draws, and that it holds still."""

import re

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from eval_tui.config.schema import Threshold
from eval_tui.engine.grid import Cell, CellKey, CellState, Row
from eval_tui.scores import Reason, Unmeasured, measured
from eval_tui.tui.marks import ASCII, UNICODE
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.widgets.grid import CaseGrid
from tests.tui.fake import FakeDriver, check, model, ran, sample_driver
from tests.tui.hostile import ALL, LITERAL, WIDE, acts
from tests.tui.seeing import drained, lines_of, running, screen_text, until

pytestmark = pytest.mark.asyncio


def many(cases: int, judges: int = 3) -> FakeDriver:
    driver = FakeDriver(
        ran(*(f"case-{number:05}" for number in range(cases))),
        [check(f"judge_{number}") for number in range(judges)],
    )
    for row in driver.grid.rows:
        for judge in driver.grid.columns:
            driver.put(row.case, judge.name, measured(True))
    return driver


async def test_header_shows_name_figure_denominator_and_gate():
    driver = FakeDriver(
        ran(*(f"c{number}" for number in range(8))),
        [check("links"), model("quality", score_range=(1.0, 5.0)), check("unsure")],
        [
            Threshold("links", "min_pass_rate", 0.5),
            Threshold("quality", "min_mean", 4.5),
            Threshold("unsure", "min_pass_rate", 0.5),
        ],
    )
    for number in range(8):
        error = Unmeasured(Reason.GRADER_ERROR, "x")
        driver.put(f"c{number}", "links", error if number < 2 else measured(number < 7))
        driver.put(f"c{number}", "quality", measured(4))
        driver.put(f"c{number}", "unsure", error)
    async with running(driver) as (_, grid):
        header = "\n".join(lines_of(grid)[: grid.header_height])
        assert "links" in header
        assert "83% 5/6" in header
        assert "6/8 measured" in header
        assert "✓ ≥50%" in header
        assert "4 mean 8/8" in header
        assert "✗ ≥4.5" in header
        assert "0/8 measured" in header
        assert "? ≥50%" in header
        assert header.count("%") == 3, "no percentage where nothing was measured"


async def test_aggregates_that_hold_old_values_say_so():
    driver = FakeDriver(ran("a", "b"), [check("j")])
    driver.put("a", "j", measured(True))
    driver.put("b", "j", Cell(CellState.STALE, measured(True)))
    async with running(driver) as (_, grid):
        assert "100% 2/2*" in lines_of(grid)[1]


async def test_rows_show_every_state_and_a_case_not_run():
    async with running(sample_driver(), size=(160, 30)) as (_, grid):
        text = "\n".join(lines_of(grid))
    for shown in ("✓", "✗", "✓*", "◌", "∅ error", "∅ evidence", "–", "!!", "✓=", "3ʳ", "$"):
        assert shown in text
    assert any(f"✗{turn}" in text for turn in UNICODE.running), "an old value, and running"
    assert "not run" in next(line for line in text.splitlines() if "slack" in line)


async def test_ascii_needs_nothing_else():
    async with running(sample_driver(), ascii=True) as (_, grid):
        assert grid.glyphs is ASCII
        assert "\n".join(lines_of(grid)).isascii()


async def test_every_line_is_exactly_as_wide_as_the_grid():
    driver = FakeDriver(ran(*ALL), [check(name) for name in ALL])
    driver.put(ALL[0], ALL[1], measured(True))
    for size in ((40, 10), (80, 24), (200, 50)):
        async with running(driver, size=size) as (_, grid):
            assert {cell_len(line) for line in lines_of(grid)} == {grid.size.width}


async def test_names_are_shown_as_they_are():
    driver = FakeDriver()
    async with running(driver, size=(160, 30)) as (pilot, grid):
        for text in LITERAL + WIDE:
            driver.lay_out([Row(text, "ran")], [check(text)])
            await drained(pilot, driver)
            lines = lines_of(grid)
            assert text in lines[0]
            assert text in lines[grid.header_height]


async def test_names_never_act():
    async with running(FakeDriver(ran(*ALL), [check(name) for name in ALL])) as (_, grid):
        assert not any(acts(line) for line in lines_of(grid))


async def test_a_long_name_is_cut_and_the_figure_is_not():
    driver = FakeDriver(
        ran("a"), [check(f"a_judge_with_a_very_long_name_indeed_{number}") for number in range(6)]
    )
    for judge in driver.grid.columns:
        driver.put("a", judge.name, measured(True))
    async with running(driver, size=(80, 24)) as (_, grid):
        lines = lines_of(grid)
        assert "a_judge_" in lines[0]
        assert "…" in lines[2]
        assert lines[3].count("100% 1/1") == 6


async def test_a_name_goes_on_in_a_second_line_before_it_is_cut():
    judges = [check(f"wiki_page_structure_{number}") for number in range(5)]
    async with running(FakeDriver(ran("a"), judges), size=(80, 24)) as (_, grid):
        lines = lines_of(grid)
        assert lines[0].split()[-1] == "wiki_page_"
        assert lines[1].split()[-1] == "structure_4"


async def test_only_whole_columns_are_shown_and_the_others_are_counted():
    driver = many(3, judges=20)
    async with running(driver, size=(80, 24)) as (pilot, grid):
        lines = lines_of(grid)
        seen = lines[0].count("judge_")
        assert 0 < seen < 20
        assert f"+{20 - seen} judges" in lines[1]
        assert lines[1].count("100% 3/3") == seen
        grid.select(CellKey("case-00000", "judge_19"))
        await pilot.pause()
        last = lines_of(grid)
        assert "judge_19" in last[0]
        assert "case-00000" in last[grid.header_height], "the first column stays"


async def test_numbers_are_aligned_right():
    driver = FakeDriver(ran("a", "b"), [check("j")])
    driver.put("a", "j", measured(4))
    driver.put("b", "j", measured(0.125))
    async with running(driver) as (_, grid):
        first, second = lines_of(grid)[grid.header_height :][:2]
        assert first.rstrip().endswith("    4")
        assert len(first.rstrip()) == len(second.rstrip())


# Holding still


def screen_line(grid: CaseGrid) -> int:
    """The line of the screen that the cursor is on."""
    key = grid.cursor
    assert key is not None
    return next(y for y, line in enumerate(lines_of(grid)) if key.case in line)


async def test_the_cursor_stays_on_its_cell_and_line_when_rows_arrive():
    driver = many(100)
    async with running(driver) as (pilot, grid):
        key = CellKey("case-00040", "judge_1")
        grid.select(key)
        line = screen_line(grid)
        arrived = ran(*(f"case-0000{number}-b" for number in range(7)))
        driver.lay_out(sorted([*driver.grid.rows, *arrived], key=lambda row: row.case))
        await drained(pilot, driver)
        assert (grid.cursor, screen_line(grid)) == (key, line)
        driver.lay_out(driver.grid.rows[:3] + driver.grid.rows[20:])
        await drained(pilot, driver)
        assert (grid.cursor, screen_line(grid)) == (key, line)


async def test_the_cursor_stays_on_its_judge_when_columns_come_and_go():
    driver = many(3)
    async with running(driver) as (pilot, grid):
        await pilot.press("right", "right")
        driver.lay_out(judges=[check("new"), *driver.grid.columns[1:]])
        await drained(pilot, driver)
        assert grid.cursor == CellKey("case-00000", "judge_2")


async def test_the_cursor_comes_back_after_a_filter_that_hid_its_row():
    async with running(many(60)) as (_, grid):
        grid.select(CellKey("case-00030", "judge_0"))
        grid.found = frozenset(f"case-0005{last}" for last in range(10))
        grid.rearrange()
        assert grid.cursor == CellKey("case-00050", "judge_0"), "the next row that is shown"
        grid.found = None
        grid.rearrange()
        assert grid.cursor == CellKey("case-00030", "judge_0")


async def test_the_cursor_stays_through_a_sort():
    driver = many(20)
    driver.put("case-00013", "judge_0", measured(False))
    async with running(driver) as (pilot, grid):
        grid.select(CellKey("case-00007", "judge_0"))
        await pilot.press("s")
        assert grid.cursor == CellKey("case-00007", "judge_0")
        await pilot.press("g")
        assert grid.cursor == CellKey("case-00013", "judge_0"), "worst first"
        assert "judge_0 ▾" in lines_of(grid)[0]
        await pilot.press("s", "s", "g")
        assert grid.cursor == CellKey("case-00000", "judge_0"), "as in the dataset"


async def test_moving():
    async with running(many(100)) as (pilot, grid):
        for keys, case, judge in (
            (("j", "j", "l"), 2, 1),
            (("k", "h"), 1, 0),
            (("G",), 99, 0),
            (("up", "home"), 0, 0),
            (("left", "up"), 0, 0),
            (("end", "right", "right", "right"), 99, 2),
        ):
            await pilot.press(*keys)
            assert grid.cursor == CellKey(f"case-{case:05}", f"judge_{judge}")
        await pilot.press("g", "pagedown")
        page = int(grid.cursor.case[-2:]) if grid.cursor else 0
        assert page == grid.size.height - grid.header_height
        await pilot.press("ctrl+u")
        assert grid.cursor == CellKey(f"case-{page - round(page / 2):05}", "judge_2")


async def test_a_cell_selected_from_elsewhere_is_the_only_one_marked_on_the_screen():
    async with running(many(9)) as (pilot, grid):
        await pilot.press("down")
        grid.select(CellKey("case-00005", "judge_1"))
        await pilot.pause()
        assert [line[:11] for line in screen_text(pilot.app).splitlines() if "▌" in line] == [
            "▌case-00005"
        ]


async def test_columns_out_of_sight_are_counted_on_their_side():
    async with running(many(3, judges=20), size=(80, 24)) as (pilot, grid):
        grid.select(CellKey("case-00000", "judge_10"))
        await pilot.pause()
        label = lines_of(grid)[1].split("  ")[0]
        assert re.fullmatch(r" ← \+\d+ \+\d+ →", label)
        grid.select(CellKey("case-00000", "judge_19"))
        assert re.match(r" ← \+\d+ judges", lines_of(grid)[1])


async def test_the_mouse_selects():
    async with running(many(10)) as (pilot, grid):
        y = grid.header_height + 4
        x = lines_of(grid)[y].index("✓", 30)
        assert await pilot.click(grid, offset=(x, y))
        cursor = grid.cursor
        assert cursor is not None
        assert cursor.case == "case-00004"
        assert cursor.judge != "judge_0"


async def test_resizing_keeps_the_cursor_in_sight():
    async with running(many(100), size=(200, 50)) as (pilot, grid):
        grid.select(CellKey("case-00035", "judge_0"))
        for size in ((80, 24), (40, 10), (200, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert grid.cursor == CellKey("case-00035", "judge_0")
            assert any("case-00035" in line for line in lines_of(grid))


# Drawing as little as possible


class Count:
    """Counts the lines that a grid draws."""

    def __init__(self, grid: CaseGrid, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines: list[int] = []
        draw = grid.render_line

        def counted(y: int):
            self.lines.append(y)
            return draw(y)

        monkeypatch.setattr(grid, "render_line", counted)


async def settled(pilot: Pilot[int]) -> None:
    """Wait until the aggregates and the preview of the start are drawn."""
    screen = pilot.app.screen
    assert isinstance(screen, GridScreen)
    await until(pilot, lambda: not screen.busy, "the screen has nothing left to draw")
    await pilot.pause()


async def test_a_thousand_updates_draw_each_line_once(monkeypatch: pytest.MonkeyPatch):
    driver = many(1000, judges=4)
    async with running(driver) as (pilot, grid):
        await drained(pilot, driver)
        await settled(pilot)
        count = Count(grid, monkeypatch)
        for row in driver.grid.rows:
            driver.put(row.case, "judge_1", measured(False))
        await drained(pilot, driver)
        rows = [y for y in count.lines if y >= grid.header_height]
        assert sorted(rows) == list(range(grid.header_height, grid.size.height))


async def test_one_cell_draws_one_row(monkeypatch: pytest.MonkeyPatch):
    driver = many(1000)
    async with running(driver) as (pilot, grid):
        await drained(pilot, driver)
        await settled(pilot)
        count = Count(grid, monkeypatch)
        driver.put("case-00005", "judge_1", measured(False))
        driver.put("case-00900", "judge_1", measured(False))
        await drained(pilot, driver)
        rows = [y for y in count.lines if y >= grid.header_height]
        assert rows == [grid.header_height + 5], "what is out of sight is not drawn"
        assert "✗" in lines_of(grid)[grid.header_height + 5]


async def test_many_rows_and_columns_cost_only_what_is_seen(monkeypatch: pytest.MonkeyPatch):
    driver = FakeDriver(
        ran(*(f"case-{number:05}" for number in range(3_000))),
        [check(f"judge_{number}") for number in range(40)],
    )
    asked = 0
    cell = driver.grid.cell

    def counted(case: str, judge: str) -> Cell:
        nonlocal asked
        asked += 1
        return cell(case, judge)

    async with running(driver) as (pilot, grid):
        await drained(pilot, driver)
        await settled(pilot)
        monkeypatch.setattr(driver.grid, "cell", counted)
        asked = 0
        await pilot.press("pagedown")
        assert 0 < asked < grid.size.height * 40
        assert "none ran" in lines_of(grid)[1], "the aggregates came, in their own time"
