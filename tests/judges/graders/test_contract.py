"""From rows to the score of a cell: who owns a metric, and which one stands for the column."""

import pytest

from eval_tui.config.schema import Grader, Judge, Metric
from eval_tui.judges.graders.bench import Row
from eval_tui.judges.graders.contract import apply_contract, column_score, not_graded
from eval_tui.scores import Measured, Reason, Score, Unmeasured

YES, NO = Measured(1, True), Measured(0, False)
LOST = Unmeasured(Reason.GRADER_ERROR, "died")


def shown(grader: Grader, *rows: Row) -> Score:
    """The score as a cell shows it."""
    return apply_contract(column_score(rows, grader), Judge("g", "grader", grader=grader))


def reasons(score: Score) -> dict[str, str]:
    return {
        name: part.reason.value if isinstance(part, Unmeasured) else "measured"
        for name, part in score.parts.items()
    }


FORGED = [
    "judge",
    "judge:tone",
    "judge:",
    "state",
    "tests_pass",
    "answer_match",
    "url_matches",
    "dom_contains",
    "quality",
]


@pytest.mark.parametrize("metric", FORGED)
def test_a_script_cannot_emit_what_belongs_to_others(metric: str) -> None:
    grader = Grader("script", foreign=("quality",))
    score = shown(grader, (metric, YES))
    assert isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION
    assert metric in score.detail and not score.retryable


def test_other_names_and_own_ones_are_free() -> None:
    assert isinstance(shown(Grader("script"), ("judgement", YES)), Measured)
    assert isinstance(shown(Grader("tests-pass"), ("tests_pass", YES)), Measured)
    assert isinstance(shown(Grader("reward-file"), ("tests_pass", YES)), Measured)


def test_a_command_that_calls_its_metric_by_a_reserved_name_is_refused() -> None:
    grader = Grader("command", {"metric": "state"})
    assert isinstance(shown(grader, ("state", YES)), Unmeasured)


def test_ownership_follows_the_config_and_not_the_run() -> None:
    stored = column_score([("quality", YES)], Grader("script"))
    free = apply_contract(stored, Judge("g", "grader", grader=Grader("script")))
    taken = Grader("script", foreign=("quality",))
    assert isinstance(free, Measured)
    assert isinstance(apply_contract(stored, Judge("g", "grader", grader=taken)), Unmeasured)


def test_one_forged_row_leaves_the_others_alone() -> None:
    grader = Grader("script", metrics=(Metric("quality"),))
    score = shown(grader, ("tests_pass", YES), ("quality", NO), ("extra", YES))
    assert isinstance(score, Measured) and score.passed is False
    assert reasons(score) == {
        "tests_pass": "contract_violation",
        "quality": "measured",
        "extra": "measured",
    }


def test_a_declared_metric_that_was_not_emitted_is_not_silently_absent() -> None:
    grader = Grader("script", metrics=(Metric("quality"), Metric("speed")))
    score = shown(grader, ("quality", YES))
    assert reasons(score) == {"quality": "measured", "speed": "grader_error"}


def test_printing_another_metric_alone_is_a_violation_of_the_column() -> None:
    grader = Grader("script", metrics=(Metric("quality"),), foreign=("speed",))
    score = shown(grader, ("extra", YES), ("speed", YES))
    assert isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION


def test_an_undeclared_metric_does_not_stand_for_a_declared_one() -> None:
    grader = Grader("script", metrics=(Metric("quality"),))
    score = shown(grader, ("extra", YES))
    assert isinstance(score, Unmeasured) and "`quality`" in score.detail
    assert score.parts["extra"] == YES


def test_scores_of_one_metric_must_all_pass() -> None:
    for rows in ([YES, NO], [NO, YES], [NO, LOST], [YES, LOST, NO]):
        score = shown(Grader("script"), *[("m", row) for row in rows])
        assert isinstance(score, Measured) and score.passed is False
    assert isinstance(shown(Grader("script"), ("m", YES), ("m", LOST)), Unmeasured)
    both = shown(Grader("script"), ("m", YES), ("m", YES))
    assert isinstance(both, Measured) and both.passed is True


def test_pass_if_decides_numbers_without_a_pass_of_their_own() -> None:
    grader = Grader("script", metrics=(Metric("quality", pass_if=">= 0.5"),))
    good = shown(grader, ("quality", Measured(0.7, None)))
    assert isinstance(good, Measured) and good.passed is True
    said = shown(grader, ("quality", Measured(0.7, False)))
    assert isinstance(said, Measured) and said.passed is False


@pytest.mark.parametrize(
    ("grader", "metrics"),
    [
        (Grader("tests-pass"), ["tests_pass"]),
        (Grader("cost"), ["usd"]),
        (Grader("command", {"metric": "lint"}), ["lint"]),
        (Grader("script", metrics=(Metric("a"), Metric("b"))), ["a", "b"]),
        (Grader("script"), []),
    ],
)
def test_a_dead_grader_is_filed_under_the_metrics_it_would_have_measured(
    grader: Grader, metrics: list[str]
) -> None:
    score = not_graded(LOST, grader)
    assert list(score.parts) == metrics
    assert all(part == LOST for part in score.parts.values())


def test_scores_of_judges_pass_unchanged() -> None:
    score = Measured(1, None, parts={"judge:x": YES})
    assert apply_contract(score, Judge("j", "check")) is score
