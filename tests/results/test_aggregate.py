"""What the cells of a judge add up to."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.aggregate import aggregate
from eval_tui.results.words import summary
from eval_tui.scores import Measured, Reason, measured
from tests.results.support import Short, cell, cells


@pytest.mark.parametrize(
    ("shorts", "words"),
    [
        ([True] * 10 + [False] * 2, "83% 10/12"),
        ([True] * 10 + [False] * 2 + ["grader_error"] * 2, "83% 10/12 · 12/14 measured"),
        ([True] * 5 + [False] + ["grader_error"] * 2, "83% 5/6 · 6/8 measured"),
        ([4, 4, 4, 4, 5], "4.2 mean 5/5"),
        ([4, 4, "contract_violation"], "4 mean · 2/3 measured"),
        ([True, 3], "mixed values"),
        ([True, 3, "unsupported"], "mixed values · 2/3 measured"),
        (["missing_secret"] * 3, "0/3 measured"),
        (["policy_skip"] * 3, "all skipped"),
        ([True, "policy_skip"], "100% 1/1"),
        ([], "none ran"),
        ([None], "none ran"),
        ([True] * 999 + [False], ">99% 999/1000"),
        ([True] + [False] * 999, "<1% 1/1000"),
        ([0, 0], "0 mean 2/2"),
        ([False, False], "0% 0/2"),
    ],
)
def test_summaries_carry_their_denominator(shorts: list[Short], words: str) -> None:
    assert summary(aggregate(cells(*shorts))) == words


def labelled(*pairs: tuple[float, str]) -> list[Cell]:
    return [Cell(CellState.FRESH, Measured(value, None, label=label)) for value, label in pairs]


def test_categories_have_a_distribution_with_its_mode_and_no_mean() -> None:
    figures = aggregate(
        [*labelled((2, "good"), (0, "poor"), (2, "good"), (1, "fair")), *cells("grader_error")]
    )
    assert figures.labels == (("poor", 1), ("fair", 1), ("good", 2))
    assert (figures.mode, figures.mean, figures.pass_rate) == ("good", None, None)
    assert summary(figures) == "good 2, poor 1, fair 1 of 4 · 4/5 measured"


def test_of_equally_frequent_categories_the_lower_one_is_the_mode() -> None:
    assert aggregate(labelled((3, "a"), (1, "z"), (3, "a"), (1, "z"))).mode == "z"
    assert aggregate(labelled((1, "z"), (1, "a"))).mode == "a"


def test_a_figure_names_the_most_frequent_categories() -> None:
    figures = aggregate(labelled(*[(number, f"l{number}") for number in range(5)]))
    assert summary(figures) == "l0 1, l1 1, l2 1, +2 more of 5"


def test_numbers_that_all_pass_or_fail_have_a_pass_rate_beside_their_mean() -> None:
    marked = [Cell(CellState.FRESH, Measured(value, value > 1)) for value in (1, 2, 3, 2)]
    figures = aggregate(marked)
    assert (figures.kind, figures.mean, figures.pass_rate, figures.passed) == ("mean", 2, 0.75, 3)
    assert aggregate([*marked, *cells(5)]).pass_rate is None


def test_numbers_have_a_mean_and_no_pass_rate() -> None:
    figures = aggregate(cells(1, 2.5, "grader_error", "policy_skip"))
    assert (figures.mean, figures.pass_rate, figures.passed, figures.kind) == (
        1.75,
        None,
        None,
        "mean",
    )
    assert (figures.measured, figures.total, figures.skipped) == (2, 3, 1)
    assert figures.error_rate == pytest.approx(1 / 3)


def test_a_mix_has_neither() -> None:
    figures = aggregate(cells(True, 3))
    assert (figures.mean, figures.pass_rate, figures.kind) == (None, None, "mixed")


def test_a_rate_over_nothing_is_absent() -> None:
    for figures in (aggregate([]), aggregate(cells("policy_skip", None))):
        assert (figures.mean, figures.pass_rate, figures.error_rate) == (None, None, None)
        assert (figures.total, figures.kind) == (0, "none")
    assert aggregate(cells("grader_error")).error_rate == 1.0


def test_cells_that_only_wait_count_in_the_total_alone() -> None:
    waiting = Cell(CellState.WAITING, waiting="money")
    figures = aggregate([*cells(True), waiting, Cell(CellState.QUEUED), Cell(CellState.RUNNING)])
    assert (figures.measured, figures.total, figures.error_rate) == (1, 4, 0.0)
    assert summary(figures) == "100% 1/1 · 1/4 measured"


@pytest.mark.parametrize(
    ("state", "stale"),
    [
        (CellState.FRESH, 0),
        (CellState.CHECKING, 0),
        (CellState.STALE, 1),
        (CellState.QUEUED, 1),
        (CellState.RUNNING, 1),
        (CellState.WAITING, 1),
    ],
)
def test_old_values_count_and_are_said(state: CellState, stale: int) -> None:
    figures = aggregate([cell(True, state), cell(False)])
    assert (figures.measured, figures.stale) == (2, stale)
    assert summary(figures) == "50% 1/2" + (" · 1 stale" if stale else "")


def test_a_sum_beyond_every_float_still_has_a_mean() -> None:
    assert aggregate(cells(1e308, 1e308, 1e308)).mean == pytest.approx(1e308)


NUMBERS = st.lists(
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-99, 99), min_size=1
)


@given(NUMBERS, st.lists(st.sampled_from([r.value for r in Reason])))
def test_what_is_unmeasured_moves_no_mean(values: list[float], reasons: list[str]) -> None:
    alone = aggregate(cells(*values))
    mixed = aggregate([*cells(*values), *cells(*reasons)])
    assert mixed.mean == alone.mean and alone.mean is not None
    assert math.isfinite(alone.mean)
    low, high = min(values), max(values)
    assert low <= alone.mean <= high or any(math.isclose(alone.mean, end) for end in (low, high))
    assert mixed.measured == len(values)
    assert mixed.total + mixed.skipped == len(values) + len(reasons)


@given(st.lists(st.booleans(), min_size=1))
def test_booleans_have_the_same_rate_and_mean(values: list[bool]) -> None:
    figures = aggregate(Cell(CellState.FRESH, measured(value)) for value in values)
    assert figures.pass_rate == figures.mean == sum(values) / len(values)
    assert figures.passed == sum(values)


@pytest.mark.parametrize(
    ("values", "mean", "words"),
    [
        ([10**400], None, "mean too large"),
        ([10**400, -(10**400), 3], 1.0, "1 mean 3/3"),
        ([10**400, 1.5], None, "mean too large"),
        ([-(10**5000)], None, "mean too large"),
    ],
)
def test_numbers_beyond_every_float_have_a_mean_where_there_is_one(
    values: list[float], mean: float | None, words: str
) -> None:
    figures = aggregate(cells(*values))
    assert figures.mean == mean
    assert summary(figures) == words
