"""What counts as a regression: limits on falls, flips, and the harness's half point."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from eval_tui.config.schema import EvalConfig
from eval_tui.results.board import make_board
from eval_tui.results.compare import Comparison, compare
from eval_tui.results.exit_code import exit_code
from eval_tui.results.regression import Limits, falls, regressions, with_limits
from tests.results.support import Short, config, grid

Columns = dict[str, Iterable[Short]]

BEFORE: Columns = {"flag": [True] * 10, "n": [4.0] * 10}


def versus(after: Columns, before: Columns = BEFORE, flaky: Iterable[str] = ()) -> Comparison:
    return compare(grid(after), grid(before), "r2", "r1", frozenset(flaky))


def gates_of(
    after: Columns, settings: EvalConfig, limits: Limits, before: Columns = BEFORE
) -> list[tuple[str, str, str]]:
    """(judge, metric, state) of every gate, as headless commands make them."""
    found = versus(after, before)
    gated = with_limits(settings, found, limits)
    board = make_board(grid(after), gated, falls=falls(found, limits.compat))
    return [(g.judge, g.metric, g.state) for column in board.columns for g in column.gates]


def failing(passes: int) -> list[Short]:
    return [True] * passes + [False] * (10 - passes)


@pytest.mark.parametrize(("passes", "state"), [(10, "pass"), (8, "pass"), (7, "fail")])
def test_a_drop_equal_to_the_limit_is_allowed(passes: int, state: str) -> None:
    after: Columns = {"flag": failing(passes), "n": [4.0] * 10}
    found = gates_of(after, config(("flag", "max_drop", 0.2)), Limits())
    assert found == [("flag", "max_drop", state)]


def test_without_a_baseline_a_limit_on_its_fall_is_no_gate() -> None:
    board = make_board(grid(BEFORE), config(("flag", "max_drop", 0.2)))
    assert board.columns[0].gates == ()


def test_the_tolerance_is_for_judges_without_a_limit_of_their_own() -> None:
    after: Columns = {"flag": failing(7), "n": [3.5] * 10}
    found = gates_of(after, config(("flag", "max_drop", 0.5)), Limits(tolerance=0.2))
    assert found == [("flag", "max_drop", "pass"), ("n", "max_drop", "fail")]


def test_limits_that_are_kept_are_no_gates_of_their_own() -> None:
    after: Columns = {"flag": failing(9), "n": [4.5] * 10}
    assert gates_of(after, config(), Limits(tolerance=0.2)) == []


def test_a_rise_never_fails() -> None:
    after: Columns = {"flag": [True], "n": [5.0]}
    before: Columns = {"flag": [False], "n": [1.0]}
    found = gates_of(after, config(("flag", "max_drop", 0.0)), Limits(strict=True), before)
    assert found == [("flag", "max_drop", "pass")]


def test_values_that_were_lost_cannot_be_told() -> None:
    after: Columns = {"flag": ["grader_error"] * 10, "n": [4.0] * 10}
    assert gates_of(after, config(), Limits(strict=True)) == [("flag", "max_drop", "cannot_tell")]
    new: Columns = {"flag": [True], "n": [4.0]}
    before: Columns = {"flag": ["grader_error"], "n": [4.0]}
    assert gates_of(new, config(), Limits(strict=True), before) == []
    own = gates_of(new, config(("flag", "max_drop", 0.1)), Limits(), before)
    assert own == [("flag", "max_drop", "cannot_tell")]


def test_flips_that_make_up_for_each_other_are_regressions_all_the_same() -> None:
    after: Columns = {"flag": [False, True], "n": [4.0, 4.0]}
    before: Columns = {"flag": [True, False], "n": [4.0, 4.0]}
    found = versus(after, before)
    assert gates_of(after, config(), Limits(strict=True), before) == []
    assert regressions(found, Limits(strict=True), config()) == (
        "flag: 1 case turned from pass to fail (c1)",
    )
    assert regressions(found, Limits(), config()) == ()
    assert regressions(found, Limits(0.5, strict=True), config()) == ()
    assert regressions(found, Limits(strict=True), config(("flag", "max_drop", 0.5))) == ()


def test_flips_of_flaky_cases_are_no_regressions() -> None:
    after: Columns = {"flag": [False, True]}
    before: Columns = {"flag": [True, False]}
    found = versus(after, before, flaky=["c1"])
    assert regressions(found, Limits(strict=True), config()) == ()


def test_many_cases_are_counted_and_some_named() -> None:
    (told,) = regressions(versus({**BEFORE, "flag": failing(5)}), Limits(strict=True), config())
    assert told == "flag: 5 cases turned from pass to fail (c6, c7, c8, 2 more)"


@pytest.mark.parametrize(("mean", "state"), [(3.5, "pass"), (3.4, "fail")])
def test_the_harness_compares_whole_means_of_judges_with_thresholds(
    mean: float, state: str
) -> None:
    after: Columns = {"flag": failing(0), "n": [mean, *["grader_error"] * 9]}
    before: Columns = {"flag": [True] * 10, "n": [*["grader_error"] * 9, 4.0]}
    settings = config(("n", "min_mean", 0.0), ("n", "max_drop", 0.0))
    found = gates_of(after, settings, Limits(compat=True, strict=True), before)
    assert found == [("n", "min_mean", "pass"), ("n", "max_drop", state)]


def test_a_regression_fails_and_what_is_open_cannot_be_told() -> None:
    assert exit_code([], regressed=True) == 1
    assert exit_code([], undecided=True) == 3
    assert exit_code([], regressed=True, undecided=True) == 1
    assert exit_code([], regressed=True, undecided=True, never=True) == 0
    assert exit_code([], never=True, unusable=True) == 2
