"""A run beside its baseline: groups of cells, figures of judges."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from eval_tui.config.schema import Direction, Grader, Judge, Metric
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.compare import Comparison, change_of, compare, direction_of
from eval_tui.scores import Measured, Sample
from tests.results.support import Short, cell, grid

MORE: Direction = "higher_is_better"
LESS: Direction = "lower_is_better"


def marked(value: float, passed: bool | None = None, *samples: float) -> Cell:
    answers = tuple(Sample(sample) for sample in samples)
    return Cell(CellState.FRESH, Measured(value, passed, samples=answers))


def labelled(value: int, label: str) -> Cell:
    return Cell(CellState.FRESH, Measured(value, None, label=label))


@pytest.mark.parametrize(
    ("before", "after", "direction", "group"),
    [
        (True, False, MORE, "broke"),
        (False, True, MORE, "fixed"),
        (True, True, MORE, "same"),
        (4, 3, MORE, "worse"),
        (3, 4, MORE, "better"),
        (3, 4, LESS, "worse"),
        (4, 3, LESS, "better"),
        (4, 3, None, "other"),
        (4, 3, "neutral", "other"),
        (3, 3.0, MORE, "same"),
        (True, 1, MORE, "other"),  # another kind of value, whatever Python says of 1
        (True, 4, MORE, "other"),
        (marked(4, True), marked(3, False), MORE, "broke"),
        (marked(5, True), marked(4, True), MORE, "worse"),
        (marked(3, False), marked(4), MORE, "better"),
        (True, "grader_error", MORE, "lost"),
        (False, "policy_skip", MORE, "lost"),
        ("missing_secret", 3, MORE, "gained"),
        ("grader_error", "grader_error", MORE, "same"),
        ("grader_error", "policy_skip", MORE, "other"),
        (None, True, MORE, "alone"),
        (True, Cell(CellState.WAITING, waiting="money"), MORE, "alone"),
        (labelled(1, "calm"), labelled(2, "angry"), None, "other"),
        (labelled(1, "calm"), labelled(1, "calm"), None, "same"),
        (10**400, 1.5, MORE, "worse"),  # beyond every float
    ],
)
def test_what_becomes_of_a_cell(
    before: Short, after: Short, direction: Direction | None, group: str
) -> None:
    assert change_of(cell(before), cell(after), direction) == group


def test_turns_of_unstable_cells_stand_apart() -> None:
    sure, unsure = marked(1, True, 1, 1), marked(0, False, 0, 1, 0)
    assert change_of(sure, unsure, MORE) == "unstable"
    assert change_of(unsure, sure, MORE) == "unstable"
    assert change_of(unsure, unsure, MORE) == "same"
    assert change_of(cell(True), cell(False), MORE, flaky=True) == "unstable"
    assert change_of(cell(True), cell("grader_error"), MORE, flaky=True) == "lost"
    failed_answer = marked(0, False, 0, 0)
    assert change_of(sure, failed_answer, MORE) == "broke"


def versus(
    after: dict[str, Iterable[Short]],
    before: dict[str, Iterable[Short]],
    flaky: Iterable[str] = (),
) -> Comparison:
    return compare(grid(after), grid(before), "r2", "r1", frozenset(flaky))


def test_cells_come_in_groups_in_the_order_of_the_grid() -> None:
    found = versus(
        {"flag": [False, True, "grader_error", False], "n": [5, 2, 3, 1]},
        {"flag": [True, False, True, True], "n": [4, 2, "grader_error", 2]},
    )
    told = [(one.group, one.case, one.judge) for one in found.cells]
    assert told == [
        ("broke", "c1", "flag"),
        ("broke", "c4", "flag"),
        ("lost", "c3", "flag"),
        ("worse", "c4", "n"),
        ("fixed", "c2", "flag"),
        ("gained", "c3", "n"),
        ("better", "c1", "n"),
    ]
    assert list(found.counts.items())[:3] == [("broke", 2), ("lost", 1), ("worse", 1)]
    assert found.counts["same"] == 1
    assert [one.case for one in found.group("broke")] == ["c1", "c4"]


def test_figures_are_compared_over_cells_that_both_sides_measured() -> None:
    found = versus(
        {"flag": [True, False, "grader_error"], "n": [3, 4, 1]},
        {"flag": [True, True, False], "n": [3, 5, "grader_error"]},
    )
    flag, n = found.judges
    assert (flag.shared, flag.was, flag.now, flag.fell, flag.is_rate) == (2, 1.0, 0.5, 0.5, True)
    assert (flag.before.measured, flag.after.measured) == (3, 2)
    assert (n.shared, n.was, n.now, n.fell, n.is_rate) == (2, 4.0, 3.5, 0.5, False)
    assert found.shared == 4


def test_a_judge_that_changed_its_kind_has_no_figure_to_compare() -> None:
    (one,) = versus({"j": [1, 2]}, {"j": [True, False]}).judges
    assert (one.shared, one.was, one.now, one.fell) == (2, None, None, None)
    (none,) = versus({"j": [True]}, {"j": ["grader_error"]}).judges
    assert (none.shared, none.fell) == (0, None)


def test_cases_of_one_side_are_named_and_compared_with_nothing() -> None:
    found = versus({"flag": [True]}, {"flag": [True, False]})
    assert (found.new_cases, found.gone_cases) == ((), ("c2",))
    found = versus({"flag": [True, False]}, {"flag": [True]})
    assert (found.new_cases, found.gone_cases) == (("c2",), ())
    assert found.counts == {"same": 1, "alone": 1} and found.cells == ()


def test_flaky_cases_are_apart_in_a_whole_grid() -> None:
    found = versus({"flag": [False, False]}, {"flag": [True, True]}, ["c2"])
    assert found.counts == {"broke": 1, "unstable": 1}


def test_what_is_better_is_declared_or_not_known() -> None:
    assert direction_of(Judge("j", "check")) == MORE
    assert direction_of(Judge("j", "check", pass_if=">= 4")) == MORE
    assert direction_of(Judge("j", "check", pass_if="< 100")) == LESS
    script = Grader("script", {}, (Metric("size", direction="lower_is_better"),))
    assert direction_of(Judge("s", "grader", grader=script)) == LESS
    undeclared = Grader("script", {}, (Metric("size"),))
    assert direction_of(Judge("s", "grader", grader=undeclared)) is None
    assert direction_of(Judge("s", "grader", grader=Grader("cost"))) == LESS


def test_the_comparison_by_a_model_is_no_judge_of_its_own() -> None:
    found = versus({"pairwise": [1], "j": [True]}, {"pairwise": [1], "j": [True]})
    assert [one.judge for one in found.judges] == ["j"]


def test_less_is_worse_only_where_less_is_worse() -> None:
    after, before = grid({"ms": [200]}), grid({"ms": [100]})
    after.columns = (Judge("ms", "check", pass_if="<= 500"),)
    (one,) = compare(after, before, "r2", "r1").judges
    assert one.fell == 100
