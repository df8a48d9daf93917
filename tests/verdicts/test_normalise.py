"""Score rows of other tools, read row by row of the truth table."""

from __future__ import annotations

import json

import pytest

from eval_tui.scores import Measured, Reason, Score, Unmeasured
from eval_tui.verdicts.normalise import BadRow, normalise
from tests.support.shared import shared_dir


def read(**row: object) -> Score:
    score = normalise({"graderId": "g", "metric": "m", **row}).score
    assert score is not None
    return score


@pytest.mark.parametrize(
    "row",
    [
        "text",
        {"metric": "m", "value": 1},
        {"graderId": "g", "metric": 3, "value": 1},
        {"graderId": "g", "metric": "m", "value": 1, "pass": "yes"},
        {"graderId": "g", "metric": "m", "value": 1, "label": 2},
        {"graderId": "g", "value": 1},
    ],
)
def test_rows_without_an_address_or_of_a_wrong_form_are_refused(row: object) -> None:
    with pytest.raises(BadRow):
        normalise(row)


@pytest.mark.parametrize("value", [None, "0.5", True, float("nan"), float("inf"), [1]])
def test_what_is_no_finite_number_is_a_violation(value: object) -> None:
    score = read(value=value)
    assert isinstance(score, Unmeasured)
    assert score.reason is Reason.CONTRACT_VIOLATION
    assert not score.retryable


def test_a_row_without_a_value_or_a_name_is_a_violation() -> None:
    empty = {"metric": "", "value": 1}, {"graderId": "", "value": 1}
    for score in (read(), *(read(**row) for row in empty), read(value=None, **{"pass": "yes"})):
        assert isinstance(score, Unmeasured)
        assert score.reason is Reason.CONTRACT_VIOLATION


@pytest.mark.parametrize(
    ("row", "reason", "retryable"),
    [
        ({"status": "invalid", "value": 1, "retryable": True}, "contract_violation", False),
        ({"status": "unmeasured", "reason": "vibes", "value": 0}, "unsupported", False),
        ({"status": "unmeasured"}, "unsupported", False),
        ({"status": "unmeasured", "reason": "grader_error", "retryable": True}, "grader_error", True),
        ({"status": "unmeasured", "reason": "missing_secret", "retryable": "yes"}, "missing_secret", False),
        ({"status": "unmeasured", "reason": "grader_timeout", "retryable": True}, "grader_error", True),
        ({"status": "unmeasured", "reason": "contract_violation", "retryable": True}, "contract_violation", False),
        ({"value": 0, "detail": "[grader-error] upstream 503"}, "grader_error", True),
        ({"value": 0, "detail": "skipped: no key"}, "unsupported", False),
        ({"value": None, "detail": "[grader-error] upstream 503"}, "grader_error", True),
    ],
)  # fmt: skip
def test_what_was_not_measured_has_its_reason(
    row: dict[str, object], reason: str, retryable: bool
) -> None:
    score = read(**row)
    assert isinstance(score, Unmeasured)
    assert (score.reason.value, score.retryable) == (reason, retryable)


def test_a_time_limit_says_so() -> None:
    score = read(status="unmeasured", reason="grader_timeout", detail="no answer in 60 s")
    assert isinstance(score, Unmeasured)
    assert score.detail == "timed out: no answer in 60 s"


@pytest.mark.parametrize(("attempts", "kept"), [(2, 2), (0, 0), (-1, 1), (True, 1), ("2", 1)])
def test_attempts_are_kept_where_they_are_a_count(attempts: object, kept: int) -> None:
    score = read(status="unmeasured", reason="grader_error", attempts=attempts)
    assert isinstance(score, Unmeasured)
    assert score.attempts == kept


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"value": 0.5, "pass": True}, Measured(0.5, True)),
        ({"value": 0, "pass": False, "detail": "skipped: x"}, Measured(0, False, "skipped: x")),
        ({"value": 2, "label": "good"}, Measured(2, None, label="good")),
        (
            {"value": 1, "status": "measured", "detail": "skipped: x"},
            Measured(1, None, "skipped: x"),
        ),
        ({"value": 1, "status": "brand new", "reason": "x", "retryable": True}, Measured(1, None)),
        ({"value": 1, "detail": {"reasoning": "x"}}, Measured(1, None)),
    ],
)
def test_everything_else_is_measured(row: dict[str, object], expected: Measured) -> None:
    assert read(**row) == expected


def test_rows_that_were_written_before_states_had_names() -> None:
    path = shared_dir("samples", "everdict", "legacy_rows.json")
    plain = json.loads(path.read_text(encoding="utf-8"))
    found = [normalise(row).score for row in plain]
    words = [s.reason.value if isinstance(s, Unmeasured) else s.value for s in found if s]
    assert words == [
        0.5,
        "grader_error",
        "unsupported",
        0,
        "unsupported",
        "contract_violation",
        "contract_violation",
        "contract_violation",
    ]
