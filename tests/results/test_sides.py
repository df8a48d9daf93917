"""Two runs side by side: the cases of both, and the figures of each."""

from __future__ import annotations

import pytest

from eval_tui.engine.grid import Cell, CellState, Row
from eval_tui.results.aggregate import aggregate
from eval_tui.results.sides import BothRuns, Figures, presence
from eval_tui.results.words import short_figure
from eval_tui.scores import Measured, Reason, Unmeasured
from tests.results.support import Short, cell
from tests.support.grids import StillGrid


def runs() -> tuple[StillGrid, StillGrid]:
    """Now and then: `a` in both, `b` is new, `c` was not run now, `d` has gone."""
    now = StillGrid((Row("a", "ran"), Row("b", "ran"), Row("c", "not_run")))
    then = StillGrid(
        (Row("d", "ran"), Row("a", "ran"), Row("c", "recorded_only"), Row("b", "not_run"))
    )
    return now, then


def test_cases_that_only_the_other_run_has_stand_below_and_did_not_run() -> None:
    now, then = runs()
    both = BothRuns(now, then)
    assert both.rows == (*now.rows, Row("d", "not_run"))
    now.rows = (Row("d", "ran"), *now.rows)
    assert both.rows == now.rows, "it came back"


def test_each_row_says_in_which_run_it_is() -> None:
    now, then = runs()
    ran = {row.case for row in then.rows if row.status != "not_run"}
    rows = (*BothRuns(now, then).rows, Row("e", "not_run"))
    assert [presence(row, ran) for row in rows] == ["both", "now", "then", "then", "neither"]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ((True, True, False), "67% 2/3"),
        ((True, "grader_error"), "100% 1/1 ∅1"),
        ((4, 3), "3.5 mean 2/2"),
        ((4, "missing_secret", "missing_secret"), "4 mean 1/3"),
        (("missing_secret",), "none ∅1"),
        (("policy_skip",), "all skipped"),
        ((Cell(CellState.QUEUED), True), "100% 1/1 ∅1"),
        ((), "none ran"),
        ((True, 4), "mixed values"),
    ],
)
def test_a_short_figure_has_its_denominator_and_counts_what_is_not_measured(
    cells: tuple[Short, ...], told: str
) -> None:
    assert short_figure(aggregate(map(cell, cells)), "∅") == told


def test_figures_of_parts_are_there_for_unfolded_judges_alone() -> None:
    from eval_tui.config.schema import Judge

    judge = Judge("quality", "check")
    parts = {"style": Measured(2, None), "facts": Unmeasured(Reason.GRADER_ERROR, "x")}
    score = Measured(3, None, parts=parts)
    grid = StillGrid((Row("a", "ran"),), (judge,), {("a", "quality"): Cell(CellState.FRESH, score)})
    figures = Figures(grid)
    assert set(figures.of((judge,), ())) == {("quality", "")}
    found = figures.of((judge,), ("quality",))
    told = {what: short_figure(one, "∅") for what, one in found.items()}
    assert told == {
        ("quality", ""): "3 mean 1/1",
        ("quality", "style"): "2 mean 1/1",
        ("quality", "facts"): "none ∅1",
    }
