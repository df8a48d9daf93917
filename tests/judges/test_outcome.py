"""From what a judge returned or raised to a score."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eval_tui.config.schema import Judge
from eval_tui.judges.outcome import (
    apply_range,
    attempt,
    score_of_condition_error,
    score_of_exception,
)
from eval_tui.record.errors import MissingKey, PartUnreadable, StepMissing
from eval_tui.scores import Measured, Reason, Unmeasured, from_plain, measured, to_plain
from tests.judges.support import check, detail, reason, run, value


@pytest.mark.parametrize(
    ("source", "expected", "rationale"),
    [
        ("return True", True, ""),
        ("return False, 'why'", False, "why"),
        ("return 3", 3, ""),
        ("return -2.5, 'below'", -2.5, "below"),
        ("return 4, None", 4, ""),
        ("return 4, ['a', 1]", 4, "['a', 1]"),
        ("from decimal import Decimal\nreturn Decimal('0.5'), 'half'", 0.5, "half"),
        ("from fractions import Fraction\nreturn Fraction(1, 4)", 0.25, ""),
        ("class F(float): pass\nreturn F(0.5)", 0.5, ""),
        ("import enum\nclass G(enum.IntEnum):\n    A = 5\nreturn G.A", 5, ""),
        ("import enum\nclass G(enum.Enum):\n    A = 5\nreturn G.A, 'g'", 5, "g"),
        ("import enum\nclass G(enum.Enum):\n    A = True\nreturn G.A", True, ""),
        ("class S:\n    def item(self): return True\nreturn S()", True, ""),
        ("class S:\n    def item(self): return 1.5\nreturn S(), 'n'", 1.5, "n"),
        ("from types import SimpleNamespace as N\nreturn N(value=2, rationale='r')", 2, "r"),
        ("from types import SimpleNamespace as N\nreturn N(value=True)", True, ""),
    ],
)
def test_values(source: str, expected: object, rationale: str) -> None:
    score = run(check(source))
    assert isinstance(score, Measured), score
    assert (score.value, score.rationale) == (expected, rationale)
    assert type(score.value) is type(expected)
    assert score.passed == (expected if isinstance(expected, bool) else None)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("return None", "forgotten `return`"),
        ("return None, ''", "forgotten `return`"),
        ("x = 1", "forgotten `return`"),
        ("return 'pass'", "the text 'pass'"),
        ("return ''", "the text ''"),
        ("return [True, 'why']", "list [True, 'why']"),
        ("return {'value': True}", "dict {'value': True}"),
        ("return True, 'a', 'b'", "tuple (True, 'a', 'b')"),
        ("return (True, 'a'), 'b'", "its rationale: b"),
        ("return float('nan')", "nan"),
        ("return float('-inf'), 'low'", "its rationale: low"),
        ("return 10 ** 400", "no usable number"),
        ("from decimal import Decimal\nreturn Decimal('sNaN')", "no usable number"),
        ("async def f(): return True\nreturn f()", "async def"),
        ("yield True", "generator"),
        ("class S:\n    def item(self): raise ValueError\nreturn S()", "no verdict"),
        ("return print", "no verdict"),
    ],
)
def test_what_is_no_verdict_is_a_contract_violation(source: str, words: str) -> None:
    score = run(check(source))
    assert reason(score) is Reason.CONTRACT_VIOLATION
    assert words in detail(score)
    assert isinstance(score, Unmeasured) and not score.retryable


def test_none_with_a_reason_abstains_in_the_authors_words() -> None:
    score = run(check("return None, 'no table in this case'"))
    assert (reason(score), detail(score)) == (Reason.POLICY_SKIP, "no table in this case")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("assert False", "AssertionError at `assert False` (eval.yaml, line 7)"),
        ("raise ValueError()", "ValueError at `raise ValueError()` (eval.yaml, line 7)"),
        ("assert 1 == 2, 'reason'", "AssertionError: reason"),
        ("return {}['own']", "KeyError: 'own'"),
        ("raise SystemExit(3)", "left the program: SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(Exception):\n    def __str__(self): raise SystemExit\nraise E", "E: <"),
        ("class E(Exception):\n    def __str__(self): return 5\nraise E", "E: <"),
        ("def f(): return f()\nreturn f()", "RecursionError"),
        (
            "class V:\n    @property\n    def value(self): raise RuntimeError('late')\nreturn V()",
            "late",
        ),
        ("raise ValueError('\\ud800 alone')", "\ud800 alone"),
    ],
)
def test_what_is_raised_is_an_error_with_its_own_words(source: str, words: str) -> None:
    score = run(check(source))
    assert reason(score) is Reason.GRADER_ERROR
    assert words in detail(score)
    assert isinstance(score, Unmeasured) and score.traceback
    assert from_plain(json.loads(json.dumps(to_plain(score)))) == score


@pytest.mark.parametrize(
    ("exception", "retryable"),
    [
        ("OSError('disk')", True),
        ("FileNotFoundError('gone')", True),
        ("ConnectionError('refused')", True),
        ("TimeoutError('slow')", True),
        ("RuntimeError('same again')", False),
        ("MemoryError()", False),
    ],
)
def test_only_what_may_pass_is_retryable(exception: str, retryable: bool) -> None:
    score = run(check(f"raise {exception}"))
    assert isinstance(score, Unmeasured) and score.retryable is retryable


class Parts:
    def why_absent(self, key: str) -> str:
        return f"traces.metrics is off, so no {key}"


def raising(exc: BaseException) -> Any:
    def runner(record: dict[str, Any]) -> object:
        raise exc

    return runner


def test_a_key_that_the_record_lacks_is_missing_evidence_with_its_reason() -> None:
    judge = check("return True")
    score = attempt(raising(MissingKey("cost_usd", "outputs")), {}, judge, (), Parts())
    assert reason(score) is Reason.MISSING_EVIDENCE
    assert "'cost_usd'" in detail(score) and "traces.metrics is off" in detail(score)
    nested = score_of_exception(MissingKey("a.md", "files"), judge, (), Parts())
    assert nested.detail == "`files` has no 'a.md'"


@pytest.mark.parametrize(
    ("exc", "words"),
    [
        (PartUnreadable("/run/events.json", "no JSON"), "/run/events.json"),
        (StepMissing("draft"), "'draft'"),
    ],
)
def test_what_cannot_be_read_is_missing_evidence_naming_it(exc: Exception, words: str) -> None:
    for score in (
        score_of_exception(exc, check("return True")),
        score_of_condition_error(exc, check("return True", condition="outputs['events']")),
    ):
        assert score.reason is Reason.MISSING_EVIDENCE
        assert words in score.detail
        assert not score.retryable


def test_a_missing_key_in_a_condition_is_an_error_naming_the_expression() -> None:
    judge = check("return True", condition="annotations['tier'] == 1")
    score = score_of_condition_error(MissingKey("tier", "annotations"), judge)
    assert score.reason is Reason.GRADER_ERROR
    assert "`if: annotations['tier'] == 1`" in score.detail


def test_texts_are_kept_whole_up_to_their_limit() -> None:
    score = run(check("return 1, 'x' * 2_000_000"))
    assert isinstance(score, Measured) and len(score.rationale) == 2_000_000
    longer = run(check("return 1, 'x' * 2_000_005"))
    assert isinstance(longer, Measured) and longer.rationale.endswith("x… +5 chars")
    assert len(detail(run(check("raise ValueError('y' * 3_000_000)")))) < 2_100_000


RANGE = (0.0, 10.0)


@pytest.mark.parametrize(
    ("number", "fits"),
    [(0, True), (10, True), (7.5, True), (10.000001, False), (-1, False), (True, True)],
)
def test_a_declared_range_is_checked_and_nothing_is_clamped(number: float, fits: bool) -> None:
    judge = check("", score_range=RANGE)
    score = apply_range(measured(number, "so"), judge)
    if fits:
        assert value(score) == number
    else:
        assert reason(score) is Reason.CONTRACT_VIOLATION
        assert "[0, 10]" in detail(score) and "so" in detail(score)


def test_a_models_number_off_its_scale_may_be_asked_for_again() -> None:
    judge = Judge("m", "model", score_range=(1.0, 5.0))
    score = apply_range(measured(6), judge)
    assert isinstance(score, Unmeasured)
    assert (score.reason, score.retryable) == (Reason.GRADER_ERROR, True)


def test_the_range_leaves_unmeasured_scores_alone() -> None:
    skip = Unmeasured(Reason.POLICY_SKIP, "n/a")
    assert apply_range(skip, check("", score_range=RANGE)) is skip
