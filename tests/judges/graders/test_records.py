"""Graders that look at what was recorded: no figure without evidence, and never a 0 instead."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import pytest

from eval_tui.config.schema import Grader
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.graders.bench import NotGraded, Row, Workspace
from eval_tui.judges.graders.load import load_grader
from eval_tui.scores import Measured, Reason


class Bench:
    """A case of which only the record is looked at."""

    case = "c"

    def __init__(self, **record: Any) -> None:
        self.record: dict[str, Any] = {"events": [], "annotations": {}, **record}

    def workspace(self, in_place: bool) -> AbstractContextManager[Workspace]:
        raise AssertionError("runs a command")

    def rests_on(self, path: str) -> None:
        raise AssertionError("names a file")

    def variable(self, name: str) -> str | None:
        raise AssertionError("asks for a variable")


def said(text: str, *, at: object = None, tools: int = 0) -> dict[str, Any]:
    calls = [{"name": "Read", "id": str(number), "input": {}} for number in range(tools)]
    return {"type": "assistant", "text": text, "tools": calls, "timestamp": at}


def grade(spec: str, bench: Bench, **config: Any) -> Row:
    found = load_grader(Grader(spec, config), spec, JudgeEnv("/p", "/p/eval.yaml")).grade(bench)
    assert len(found) == 1
    return found[0]


def reason(spec: str, bench: Bench, **config: Any) -> Reason:
    with pytest.raises(NotGraded) as caught:
        grade(spec, bench, **config)
    assert caught.value.score.detail
    return caught.value.score.reason


def value(row: Row) -> tuple[str, object]:
    metric, score = row
    assert isinstance(score, Measured), score
    return metric, score.value


@pytest.mark.parametrize(
    "record", [{}, {"cost_usd": None}, {"cost_usd": True}, {"cost_usd": 10**400}]
)
def test_cost_that_was_not_recorded_is_not_free(record: Mapping[str, Any]) -> None:
    assert reason("cost", Bench(**record)) is Reason.MISSING_EVIDENCE


def test_cost() -> None:
    assert value(grade("cost", Bench(cost_usd=0.25))) == ("usd", 0.25)
    assert value(grade("cost", Bench(cost_usd=0))) == ("usd", 0)


def test_steps_counts_calls_of_a_trace_and_nothing_without_one() -> None:
    assert reason("steps", Bench()) is Reason.MISSING_EVIDENCE
    trace = [said("a", tools=2), {"type": "tool_result"}, said("b", tools=1)]
    assert value(grade("steps", Bench(events=trace))) == ("tool_calls", 3)
    assert value(grade("steps", Bench(events=[said("nothing")]))) == ("tool_calls", 0)


def test_latency_is_what_was_recorded_else_the_span_of_the_trace() -> None:
    times = ["2026-01-01T10:00:00Z", "2026-01-01T10:00:02.500Z", None]
    trace = [said("x", at=at) for at in times]
    assert value(grade("latency", Bench(duration_s=7.5, events=trace))) == ("span", 7.5)
    assert value(grade("latency", Bench(events=trace))) == ("span", 2.5)
    for events in ([], [said("x")], trace[:1]):
        assert reason("latency", Bench(events=events)) is Reason.MISSING_EVIDENCE


@pytest.mark.parametrize(
    ("answer", "config", "passed"),
    [
        ("It is  forty\nTWO.", {"expect": "Forty two"}, True),
        ("It is 42", {"expect": "forty two"}, False),
        (" Forty  two ", {"expect": "forty two", "mode": "exact"}, True),
        ("It is forty two", {"expect": "forty two", "mode": "exact"}, False),
        ("1991", {"expect": 1991}, True),
        ("from the annotations", {}, True),
    ],
)
def test_answer_match(answer: str, config: dict[str, Any], passed: bool) -> None:
    events = [said("an earlier turn"), said(answer), {"type": "result"}]
    bench = Bench(events=events, annotations={"expected": "the annotations"})
    assert value(grade("answer-match", bench, **config)) == ("answer_match", passed)


def test_answer_match_without_an_answer_or_anything_expected() -> None:
    assert reason("answer-match", Bench(), expect="x") is Reason.MISSING_EVIDENCE
    assert reason("answer-match", Bench(events=[said("x")])) is Reason.UNSUPPORTED


def test_text_metric() -> None:
    config = {"pattern": r"^total: ([-\d.]+)", "metric": "total"}
    assert value(grade("text-metric", Bench(events=[said("a\ntotal: 3.5")]), **config)) == (
        "total",
        3.5,
    )
    for text in ("no figure", "total: 1.2.3", "total: -"):
        bench = Bench(events=[said(text)])
        assert reason("text-metric", bench, **config) is Reason.MISSING_EVIDENCE
    assert reason("text-metric", Bench(), **config) is Reason.MISSING_EVIDENCE


def test_an_unknown_id_is_no_grader() -> None:
    with pytest.raises(JudgeUnusable):
        load_grader(Grader("guess"), "guess", JudgeEnv("/p", "/p/eval.yaml"))
