"""Thresholds, the board and exit codes."""

from __future__ import annotations

from typing import Any

import pytest

from eval_tui.config.schema import ThresholdMetric
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.aggregate import aggregate
from eval_tui.results.board import make_board
from eval_tui.results.exit_code import exit_code, scoring_unusable
from eval_tui.results.gates import Gate, gates
from eval_tui.results.words import limit_words
from tests.results.support import Short, board, cells, config, grid

FLAG: list[Short] = [True, True, True, False]


@pytest.mark.parametrize(
    ("column", "metric", "limit", "state"),
    [
        (FLAG, "min_pass_rate", 0.75, "pass"),
        (FLAG, "min_pass_rate", 0.7500001, "fail"),
        (FLAG, "min_mean", 0.75, "pass"),
        (FLAG, "max_error_rate", 0.0, "pass"),
        ([3, 3], "min_mean", 3, "pass"),
        ([3, 3], "min_pass_rate", 0.1, "cannot_tell"),
        ([3, 3], "min_win_rate", 0.1, "cannot_tell"),
        ([True, 3], "min_mean", 0.0, "cannot_tell"),
        ([3, "grader_error"], "max_error_rate", 0.5, "pass"),
        ([3, "grader_error"], "max_error_rate", 0.49, "fail"),
        (["grader_error"], "max_error_rate", 1.0, "pass"),
        (["grader_error"], "max_error_rate", 0.5, "fail"),
        (["grader_error"], "min_mean", 0.0, "cannot_tell"),
        (["policy_skip"], "min_pass_rate", 0.0, "cannot_tell"),
        (["policy_skip"], "max_error_rate", 0.0, "cannot_tell"),
        ([True, "policy_skip"], "min_pass_rate", 1.0, "pass"),
    ],
)
def test_gates_look_at_measured_cells(
    column: list[Short], metric: str, limit: float, state: str
) -> None:
    (gate,) = gates(config(("j", metric, limit)), {"j": aggregate(cells(*column))})
    assert gate.state == state


@pytest.mark.parametrize(
    ("allowed", "state"), [(1.0, "pass"), (0.5, "pass"), (0.49, "cannot_tell")]
)
def test_too_much_unmeasured_makes_a_gate_uncertain(allowed: float, state: str) -> None:
    figures = {"j": aggregate(cells(True, "missing_secret"))}
    (gate,) = gates(config(("j", "min_pass_rate", 1.0)), figures, allowed)
    assert gate.state == state
    (errors,) = gates(config(("j", "max_error_rate", 0.1)), figures, allowed)
    assert errors.state == "fail"


def test_win_rates_come_from_a_comparison() -> None:
    figures = {"j": aggregate(cells(1))}
    (gate,) = gates(config(("j", "min_win_rate", 0.5)), figures, win_rates={"j": 0.5})
    assert (gate.state, gate.actual) == ("pass", 0.5)


def test_judges_that_are_left_out_have_no_gate() -> None:
    assert gates(config(("other", "min_mean", 1.0)), {"j": aggregate(cells(1))}) == ()


def test_a_board_says_everything_of_its_columns() -> None:
    found = board(
        {"flag": [*FLAG, "grader_error"], "score": [3, 4, 5, "policy_skip", None]},
        ("flag", "min_pass_rate", 0.8),
        ("flag", "max_error_rate", 0.5),
        ("score", "min_mean", 4.0),
        not_run=["late"],
    )
    flag, score = found.columns
    assert flag.summary == "75% 3/4 · 4/5 measured"
    assert flag.gate == "fail"
    assert flag.gate_lines == ("pass rate 75% >= 80%: fail", "error rate 20% <= 50%: pass")
    assert (flag.failed, flag.errored) == (1, 1)
    assert (score.summary, score.gate) == ("4 mean 3/3", "pass")
    assert score.gate_lines == ("mean 4 >= 4: pass",)
    assert (found.cases_ran, found.cases_not_run, found.gate) == (5, 1, "fail")
    assert found.headline == "5 cases, 1 not run · 10 cells"
    assert found.column("score") is score and found.column("none") is None


def test_without_judges_there_is_no_figure_anywhere() -> None:
    found = make_board(grid({}, not_run=["c1"]), config())
    assert found.columns == () and "No judges" in found.empty
    assert "%" not in found.headline
    assert make_board(grid({}), None).empty == "No eval config is loaded."
    assert "No cases" in board({"j": []}).empty
    assert "No case has run" in board({"j": []}, not_run=["c1"]).empty
    assert board({"j": [1]}).empty == ""


def test_work_in_progress_is_counted() -> None:
    column: list[Short] = [
        Cell(CellState.RUNNING),
        Cell(CellState.QUEUED),
        Cell(CellState.WAITING, waiting="off"),
        1,
    ]
    found = board({"a": column, "b": [1, 1, 1, 1]})
    assert (found.running, found.queued, found.waiting) == (1, 1, 1)
    assert found.headline == "4 cases · 8 cells, 1 running, 1 queued"


def test_only_changed_columns_are_counted_anew() -> None:
    still = grid({"a": [True, False], "b": [1, 2]})
    before = make_board(still, config())
    still.cells[("c1", "a")] = cells(False)[0]
    still.cells[("c1", "b")] = cells(9)[0]
    after = make_board(still, config(), previous=before, changed={"a"})
    assert after.columns[0].summary == "0% 0/2"
    assert after.columns[1] is before.columns[1]
    assert make_board(still, config()).columns[1].summary == "5.5 mean 2/2"


def gate(state: str) -> Gate:
    return Gate("j", "min_mean", 1.0, None, state)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("states", "flags", "code"),
    [
        ([], {}, 0),
        (["pass"], {}, 0),
        (["pass", "fail", "cannot_tell"], {}, 1),
        (["pass", "cannot_tell"], {}, 3),
        (["pass"], {"critical": "pass"}, 0),
        (["cannot_tell"], {"critical": "fail"}, 1),
        ([], {"critical": "cannot_tell"}, 3),
        (["fail"], {"critical": "cannot_tell"}, 1),
        ([], {"critical": "fail", "never": True}, 0),
        (["fail"], {"nothing_selected": True}, 4),
        (["fail"], {"nothing_selected": True, "unusable": True}, 2),
        (["fail"], {"nothing_selected": True, "unusable": True, "interrupted": 2}, 130),
    ],
)
def test_the_weightiest_reason_decides_the_exit_code(
    states: list[str], flags: dict[str, Any], code: int
) -> None:
    assert exit_code([gate(state) for state in states], **flags) == code


@pytest.mark.parametrize(
    ("judges", "unloaded", "gated", "named", "unusable"),
    [
        (["a", "b"], [], ["a"], ["b"], False),
        (["a", "b"], ["a"], [], [], False),
        (["a", "b"], ["a"], ["b"], [], False),
        (["a", "b"], ["a"], ["a"], [], True),
        (["a", "b"], ["a"], [], ["a"], True),
        (["a", "b"], ["a", "b"], [], [], True),
        ([], [], [], [], False),
    ],
)
def test_a_judge_that_does_not_load_stops_only_those_that_rely_on_it(
    judges: list[str], unloaded: list[str], gated: list[str], named: list[str], unusable: bool
) -> None:
    assert scoring_unusable(judges, unloaded, gated, named) is unusable


@pytest.mark.parametrize(
    ("metric", "limit", "actual", "words"),
    [
        ("min_mean", 1.0, 0.99996, "mean 0.99996 >= 1"),
        ("min_mean", 1.0, 0.9996, "mean 0.9996 >= 1"),
        ("min_mean", 1.0, 1.0, "mean 1 >= 1"),
        ("min_pass_rate", 1.0, 0.9999996, "pass rate 99.99996% >= 100%"),
        ("min_pass_rate", 0.8, 0.75, "pass rate 75% >= 80%"),
        ("min_pass_rate", 0.8, None, "pass rate unknown >= 80%"),
    ],
)
def test_a_gate_never_reads_as_if_it_were_the_other_way(
    metric: ThresholdMetric, limit: float, actual: float | None, words: str
) -> None:
    assert limit_words(Gate("j", metric, limit, actual, "fail")) == words
