"""What a script printed, row by row of the contract's table."""

import json

import pytest

from eval_tui.config.schema import Grader, Metric
from eval_tui.judges.graders.bench import NotGraded, Row
from eval_tui.judges.graders.printed import read_rows
from eval_tui.scores import Measured, Reason, Score, Unmeasured

PLAIN = Grader("script")
ONE = Grader("script", metrics=(Metric("quality"),))
GOOD = '{"metric": "quality", "value": 0.5, "pass": true}'


def rows(stdout: str, grader: Grader = PLAIN) -> list[Row]:
    return read_rows(stdout, grader, "check")


def only(stdout: str, grader: Grader = PLAIN) -> Score:
    found = rows(stdout, grader)
    assert len(found) == 1, found
    return found[0][1]


def refused(stdout: str, grader: Grader = PLAIN) -> Unmeasured:
    """The score of an output that holds none as a whole."""
    with pytest.raises(NotGraded) as caught:
        rows(stdout, grader)
    return caught.value.score


@pytest.mark.parametrize(
    "stdout",
    [
        GOOD,
        json.dumps(json.loads(GOOD), indent=2) + "\n\n",
        f"[{GOOD}]",
        f"starting\nstill at it\n{GOOD}",
        f"[INFO] starting\n{GOOD}",
        f"step [1/3]\n{GOOD}",
        f"step [1/3]\n[{GOOD}]",
        f"{{50%}} done\n{GOOD}",
        f"result: {GOOD}",
        f'{{"metric": "other", "value": 1}}\n{GOOD}',
        f'quoted " and \\" before\n{GOOD}',
        GOOD.replace("}", ', "graderId": "somebody else", "more": [1, "}]"]}'),
    ],
)
def test_the_json_at_the_end_is_read_whatever_stands_before_it(stdout: str) -> None:
    found = rows(stdout)
    assert found == [("quality", Measured(0.5, True))]


def test_several_scores_keep_their_order_and_a_bad_one_costs_itself() -> None:
    found = rows(f'[{{"metric": "b", "value": "x"}}, {GOOD}, {{"metric": "a", "value": 3}}, 7]')
    assert [name for name, _ in found] == ["b", "quality", "a", "check"]
    assert [isinstance(score, Measured) for _, score in found] == [False, True, True, False]
    assert all(
        score.reason is Reason.CONTRACT_VIOLATION
        for _, score in found
        if isinstance(score, Unmeasured)
    )


@pytest.mark.parametrize("value", ['"0.5"', "null", "true", "1e999", "[1]"])
def test_a_value_that_is_no_finite_number_breaks_the_contract(value: str) -> None:
    score = only(f'{{"metric": "quality", "value": {value}}}')
    assert isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION
    assert not score.retryable


def test_a_missing_value_breaks_the_contract() -> None:
    score = only('{"metric": "quality"}')
    assert isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_know_break_the_contract(literal: str) -> None:
    score = refused(f'{{"metric": "quality", "value": {literal}}}')
    assert score.reason is Reason.CONTRACT_VIOLATION and literal in score.detail


def test_what_only_looks_like_json_is_an_error_of_the_grader() -> None:
    assert refused('{"metric": "quality", value: NaN}').reason is Reason.GRADER_ERROR


def test_a_verdict_must_end_the_output() -> None:
    score = refused(f"{GOOD}\ndone.")
    assert score.reason is Reason.GRADER_ERROR and "'done.'" in score.detail


@pytest.mark.parametrize("stdout", ["", "  \n", "[]", "all is well"])
def test_no_scores_is_an_error_of_the_grader(stdout: str) -> None:
    assert refused(stdout).reason is Reason.GRADER_ERROR


def test_a_metric_may_be_left_out_where_just_one_is_declared() -> None:
    assert rows('{"value": 1}', ONE) == [("quality", Measured(1, None))]
    name, score = rows('{"value": 1}')[0]
    assert name == "check"
    assert isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION
    assert isinstance(rows('{"metric": 5, "value": 1}', ONE)[0][1], Unmeasured)


def test_pass_label_and_detail() -> None:
    assert only('{"metric": "m", "value": 2, "label": "good", "detail": {"why": ["x"]}}') == (
        Measured(2, None, '{\n  "why": [\n    "x"\n  ]\n}', "good")
    )
    for bad in ('"pass": 1', '"pass": "yes"', '"label": 3'):
        assert isinstance(only(f'{{"metric": "m", "value": 2, {bad}}}'), Unmeasured)


def test_a_script_may_say_that_it_measured_nothing() -> None:
    row = '{"metric": "m", "status": "unmeasured", "reason": %s, "retryable": true, "detail": "x"}'
    score = only(row % '"missing_evidence"')
    assert isinstance(score, Unmeasured)
    assert (score.reason, score.detail, score.retryable) == (Reason.MISSING_EVIDENCE, "x", True)
    late = only(row % '"grader_timeout"')
    assert isinstance(late, Unmeasured) and late.reason is Reason.GRADER_ERROR
    assert "timed out" in late.detail
    broken = only(row % '"contract_violation"')
    assert isinstance(broken, Unmeasured) and not broken.retryable
    for unknown in ('"bored"', "7", "[]", "null"):
        score = only(row % unknown)
        assert isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION


@pytest.mark.parametrize("status", ['"invalid"', '"great"', "3", "null"])
def test_an_unknown_status_breaks_the_contract(status: str) -> None:
    score = only(f'{{"metric": "m", "value": 1, "status": {status}}}')
    assert isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION


def test_the_last_score_line_counts_where_there_is_no_json() -> None:
    assert rows("SCORE=0.2\nlog\nSCORE=-0.75\n", ONE) == [
        ("quality", Measured(-0.75, None, "SCORE=-0.75"))
    ]
    assert rows("SCORE=1")[0][0] == "score"
    for other in ("score=1", "SCORE=1.2.3", "the SCORE=1", "SCORE=nan"):
        assert refused(other).reason is Reason.GRADER_ERROR


@pytest.mark.parametrize(
    "stdout",
    [
        "}" * 2_000_000,
        "[" * 900_000 + "]" * 900_000,
        '"\\' * 900_000 + "}",
        '{"a":' * 300_000 + "1" + "}" * 300_000,
    ],
)
def test_hostile_output_is_refused_in_one_walk(stdout: str) -> None:
    """Work that grows with the square of the output would take hours here."""
    assert refused(stdout).reason is Reason.GRADER_ERROR


def test_too_many_scores_are_refused() -> None:
    assert "1,001" in refused(json.dumps([{"metric": "m", "value": 1}] * 1_001)).detail
