"""Judges whose scores have parts: unfolded in the grid, told apart in preview and drill-down."""

import pytest

from eval_tui.config.schema import Criterion
from eval_tui.engine.grid import Cell, CellKey, CellState
from eval_tui.results.board import make_board
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured, measured
from eval_tui.tui.heads import heads_of, known_heads
from eval_tui.tui.marks import UNICODE
from tests.tui.fake import FakeDriver, check, model, ran
from tests.tui.seeing import drained, lines_of, running, screen_text, sees, until

pytestmark = pytest.mark.asyncio

TONE, FACTS = Criterion("tone"), Criterion("facts")
ERROR = Unmeasured(Reason.GRADER_ERROR, "criterion `facts`: the model did not answer it")


def split(value: float, **parts: Score) -> Measured:
    return Measured(value, None, "overall", parts=parts)


def graded() -> FakeDriver:
    judges = [
        check("links"),
        model("quality", score_range=(1.0, 5.0), criteria=(TONE, FACTS)),
        check("last"),
    ]
    driver = FakeDriver(ran("a", "b", "c"), judges)
    for case in "abc":
        driver.put(case, "links", measured(True))
        driver.put(case, "last", measured(case != "b"))
    driver.put("a", "quality", split(4, tone=measured(5, "warm"), facts=measured(3, "one slip")))
    driver.put("b", "quality", split(2, tone=measured(2, "curt"), facts=ERROR))
    driver.put("c", "quality", Unmeasured(Reason.POLICY_SKIP, "if: no"))
    return driver


def row(lines: list[str], case: str) -> str:
    return next(line for line in lines if line[1:].startswith(case))


async def test_parts_are_folded_until_they_are_asked_for():
    async with running(graded()) as (pilot, grid):
        header = "\n".join(lines_of(grid)[: grid.header_height])
        assert "▸ quality" in header
        assert "tone" not in header
        await pilot.press("right", "o")
        header = "\n".join(lines_of(grid)[: grid.header_height])
        assert "▾ quality" in header
        assert header.index("quality") < header.index("· tone") < header.index("· facts")
        assert header.index("· facts") < header.index("last")
        await pilot.press("o")
        assert "tone" not in "\n".join(lines_of(grid)[: grid.header_height])


async def test_each_part_is_counted_from_its_measured_cells_alone():
    async with running(graded()) as (pilot, grid):
        await pilot.press("right", "o")
        header = "\n".join(lines_of(grid)[: grid.header_height])
        assert "3.5 mean" in header and "2/2" in header, "tone: skipped cells are not counted"
        assert "1/2" in header, "facts: one was not answered"
        assert row(lines_of(grid), "b").split()[-4:] == ["2", "∅", "error", "✗"]
        assert row(lines_of(grid), "c").count("–") == 3, "what was skipped is so in every part"


async def test_the_cursor_stays_on_its_cell_and_reaches_every_part():
    async with running(graded()) as (pilot, grid):
        await pilot.press("right", "down", "o")
        assert (grid.cursor, grid.part) == (CellKey("b", "quality"), "")
        seen = []
        for _ in range(3):
            await pilot.press("right")
            seen.append((grid.cursor.judge, grid.part))
        assert seen == [("quality", "tone"), ("quality", "facts"), ("last", "")]
        await pilot.press("left", "o")
        assert (grid.cursor, grid.part) == (CellKey("b", "quality"), "")


async def test_a_part_stays_under_the_cursor_when_cases_arrive_and_judges_go():
    driver = graded()
    async with running(driver) as (pilot, grid):
        await pilot.press("right", "o", "right", "right")
        assert grid.part == "facts"
        driver.lay_out(ran("0", "a", "b", "c"), driver.grid.columns[1:])
        await drained(pilot, driver)
        assert (grid.cursor, grid.part) == (CellKey("a", "quality"), "facts")


async def test_the_preview_and_the_clipboard_tell_of_the_part():
    async with running(graded()) as (pilot, grid):
        await pilot.press("right")
        await sees(pilot, "overall")
        preview = screen_text(pilot.app)
        assert preview.index("tone   5") < preview.index("facts  3"), "all parts at a glance"
        await pilot.press("o", "right", "right")
        await sees(pilot, "one slip")
        assert "a · quality · facts" in screen_text(pilot.app)
        await pilot.press("y")
        assert pilot.app.clipboard == "a / quality / facts\n3 on a scale of 1 to 5\n\none slip\n"
        assert grid.part == "facts"


async def test_rerunning_a_part_reruns_its_cell():
    driver = graded()
    async with running(driver) as (pilot, _):
        await pilot.press("right", "o", "right", "r")
        assert driver.calls == [("rerun", frozenset({CellKey("a", "quality")}), False)]


async def test_rows_are_sorted_by_the_part_under_the_cursor():
    driver = graded()
    driver.put("b", "quality", split(5, tone=measured(1), facts=measured(5)))
    async with running(driver) as (pilot, grid):
        await pilot.press("right", "o", "right", "s")
        order = [line[1] for line in lines_of(grid)[grid.header_height :][:3]]
        assert order == ["b", "a", "c"], "tone: the worst first"
        sorted_by = [line for line in lines_of(grid)[:3] if "▾" in line]
        assert any("tone ▾" in line for line in sorted_by)


async def test_next_failure_stops_once_at_a_cell():
    driver = graded()
    failing = Measured(2, False, parts={"tone": Measured(2, False), "facts": Measured(2, False)})
    driver.put("a", "quality", failing)
    async with running(driver) as (pilot, grid):
        await pilot.press("right", "o", "n")
        assert (grid.cursor, grid.part) == (CellKey("b", "last"), "")


async def test_parts_of_any_judge_are_found_in_its_scores():
    driver = FakeDriver(ran("a"), [check("bench")])
    driver.put("a", "bench", Measured(True, True, parts={"speed": measured(0.5)}))
    async with running(driver) as (pilot, grid):
        assert "▸ bench" in lines_of(grid)[0]
        await pilot.press("o")
        driver.put(
            "a", "bench", Measured(True, True, parts={"speed": measured(1), "size": measured(2)})
        )
        await until(pilot, lambda: "· size" in lines_of(grid)[0], "the new part has a column")
        assert "· speed" in lines_of(grid)[0]


async def test_a_judge_without_parts_says_so():
    async with running(graded()) as (pilot, grid):
        before = lines_of(grid)
        await pilot.press("o")
        await sees(pilot, "no parts")
        assert lines_of(grid) == before


async def test_every_part_can_be_reached_on_a_narrow_screen():
    many = tuple(Criterion(f"criterion_{number}") for number in range(9))
    driver = FakeDriver(ran("a"), [model("quality", criteria=many)])
    driver.put("a", "quality", split(3, **{one.id: measured(3) for one in many}))
    async with running(driver, size=(60, 20)) as (pilot, grid):
        await pilot.press("o", *["right"] * 9)
        assert grid.part == "criterion_8"
        assert "criterion_" in lines_of(grid)[0][-16:]
        assert lines_of(grid)[1].rstrip().endswith("8")


async def test_heads_that_are_known_keep_their_parts():
    board = make_board(graded().grid, None, unfolded={"quality"})
    heads = heads_of(board, UNICODE)
    assert known_heads(board.columns[1].judge and graded().grid.columns, heads) == heads
    names = [head.name for head in known_heads([check("new"), *graded().grid.columns[1:]], heads)]
    assert names == ["new", "quality", "tone", "facts", "last"]


async def test_stale_values_of_parts_are_marked_as_those_of_their_cell():
    driver = graded()
    old = split(4, tone=Measured(5, None, samples=(Sample(5), Sample(4))), facts=measured(3))
    driver.put("a", "quality", Cell(CellState.STALE, old))
    async with running(driver) as (pilot, grid):
        await pilot.press("right", "o")
        assert row(lines_of(grid), "a").split()[2:5] == ["4*", "5~*", "3*"]
