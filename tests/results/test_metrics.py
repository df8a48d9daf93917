"""Thresholds on the metrics of graders, and which parts a column unfolds into."""

from __future__ import annotations

from eval_tui.config.schema import EvalConfig, Grader, Judge, Metric, Threshold
from eval_tui.results.board import make_board
from eval_tui.results.parts import part_names
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from tests.support.grids import still_grid

CHECK = Judge("check", "grader", grader=Grader("script", metrics=(Metric("a"), Metric("b"))))
LOST = Unmeasured(Reason.GRADER_ERROR, "died")


def both(a: bool, b: Score) -> Measured:
    return Measured(a, a, parts={"a": Measured(a, a), "b": b})


def states(*thresholds: Threshold) -> list[tuple[str, str, float | None]]:
    scores = {
        "c1": {"check": both(True, Measured(0.5, True))},
        "c2": {"check": both(False, Measured(0.7, True))},
        "c3": {"check": both(False, LOST)},
    }
    config = EvalConfig("/p/eval.yaml", "/p", judges=(CHECK,), thresholds=thresholds)
    column = make_board(still_grid(scores, [CHECK]), config).columns[0]
    return [(gate.judge, gate.state, gate.actual) for gate in column.gates]


def test_a_threshold_may_name_a_metric_of_a_column() -> None:
    assert states(
        Threshold("b", "min_mean", 0.6),
        Threshold("b", "min_pass_rate", 1.0),
        Threshold("check", "min_pass_rate", 0.5),
    ) == [("b", "pass", 0.6), ("b", "pass", 1.0), ("check", "fail", 1 / 3)]


def test_a_metric_that_was_never_measured_cannot_be_told() -> None:
    scores = {"c": {"check": both(True, LOST)}}
    config = EvalConfig(
        "/p/eval.yaml", "/p", judges=(CHECK,), thresholds=(Threshold("b", "min_mean", 0),)
    )
    column = make_board(still_grid(scores, [CHECK]), config).columns[0]
    assert column.gate == "cannot_tell" and column.gates[0].actual is None


def test_a_column_unfolds_into_several_metrics_only() -> None:
    single = Measured(True, True, parts={"tests_pass": Measured(True, True)})
    tests = Judge("tests-pass", "grader", grader=Grader("tests-pass"))
    assert part_names(tests, [single]) == ()
    assert part_names(CHECK, [both(True, LOST)]) == ("a", "b")
