"""Answers, samples and criteria: what is read, what is refused, and what they add up to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.schema import Criterion, Judge
from eval_tui.judges.model import Scale, Verdict, combine, is_stable, read_answer, spread
from eval_tui.judges.model.answer import RAW_LIMIT
from eval_tui.judges.passing import apply_pass_if
from eval_tui.scores import Measured, Reason, Unmeasured, from_plain, measured, to_plain
from tests.judges.model.support import ask, client_of, model_judge, request_of, server
from tests.record.support import case_of, write
from tests.support.fake_anthropic import FakeAnthropic

__all__ = ["server"]

BOOL = Scale("bool")
FIVE = Scale("integer", 1, 5, declared=True)
THREE = (Criterion("a", weight=2), Criterion("b", pass_if=">= 3"), Criterion("c", weight=0))


def tool(given: object, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "name": "record_verdict", "input": given}
    return {"content": [block], "stop_reason": "tool_use", **more}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], "stop_reason": "end_turn", **more}


class TestReading:
    @pytest.mark.parametrize(
        ("answer", "scale", "value"),
        [
            (tool({"passed": False, "rationale": "r"}), BOOL, False),
            (tool({"score": 4.6, "rationale": "r"}), FIVE, 5),
            (tool({"score": 2.5, "rationale": "r"}), FIVE, 2),
            (tool({"score": "4", "rationale": "r"}), FIVE, 4),
            (tool({"score": 9, "rationale": "r"}), Scale("integer"), 9),
            (tool({"score": 0.25, "rationale": "r"}), Scale("number", 0, 1, True), 0.25),
            (text('Here: {"score": 3, "rationale": "r"}.'), FIVE, 3),
            (text('{"a": {"score": 1}} {"score": 2, "rationale": "r"}'), FIVE, 2),
        ],
    )
    def test_a_verdict(self, answer: dict[str, Any], scale: Scale, value: object) -> None:
        assert read_answer(answer, scale) == Verdict(value, "r")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("answer", "scale", "words"),
        [
            (tool({"score": 5.2}), FIVE, "off the scale from 1 to 5"),
            (tool({"score": True}), FIVE, "must be a number, not true"),
            (tool({"score": None}), FIVE, "not null"),
            (tool({"score": "nan"}), FIVE, "usable number"),
            (tool({"score": 10**400}), Scale("integer"), "usable number"),
            (tool({"rationale": "r"}), FIVE, "`score` is missing"),
            (tool({"passed": "true"}), BOOL, "must be true or false"),
            (tool("odd"), BOOL, "no object"),
            (text("It passed: 5/5"), FIVE, "no verdict as JSON"),
            (text('{"passed": true} no, {"passed": false}'), BOOL, "several verdicts"),
            (text("  "), BOOL, "empty"),
            ({"content": []}, BOOL, "empty"),
            ({"content": "?"}, BOOL, "empty"),
            (tool({"passed": True}, stop_reason="max_tokens"), BOOL, "cut off"),
            (text("I cannot", stop_reason="refusal"), BOOL, "refused"),
        ],
    )
    def test_everything_else_is_an_error_that_may_be_asked_again(
        self, answer: dict[str, Any], scale: Scale, words: str
    ) -> None:
        found = read_answer(answer, scale)
        assert isinstance(found, Unmeasured)
        assert (found.reason, found.retryable) == (Reason.GRADER_ERROR, True)
        assert words in found.detail

    def test_the_raw_answer_is_kept_within_bounds(self) -> None:
        found = read_answer(text("no number at all " * 10_000), FIVE)
        assert isinstance(found, Unmeasured)
        assert "no number at all" in found.detail
        assert len(found.detail) < RAW_LIMIT + 300


class TestSampling:
    JUDGE = model_judge()
    LOST = Unmeasured(Reason.GRADER_ERROR, "no verdict: empty", retryable=True)

    @pytest.mark.parametrize(
        ("values", "value"),
        [
            ((4, 3, 5, 2), 3),
            ((4, 3, 5), 4),
            ((1.5, 2.5), 1.5),
            ((True, False), False),
            ((True, True, False), True),
        ],
    )
    def test_the_value_is_one_that_was_observed(self, values: Any, value: object) -> None:
        outcomes = [Verdict(one, f"because {one}") for one in values]
        score = combine(outcomes, self.JUDGE)
        assert isinstance(score, Measured)
        assert (score.value, score.rationale) == (value, f"because {value}")
        assert [sample.value for sample in score.samples] == list(values)

    def test_errors_do_not_vote_but_make_the_cell_unstable(self) -> None:
        score = combine([self.LOST, Verdict(4), Verdict(4)], self.JUDGE)
        assert isinstance(score, Measured) and score.value == 4
        assert not is_stable(score.samples)
        assert spread(score.samples) == (4.0, 4.0)

    def test_a_cell_whose_samples_all_failed_has_the_first_error(self) -> None:
        second = Unmeasured(Reason.GRADER_ERROR, "another")
        score = combine([self.LOST, second], self.JUDGE)
        assert isinstance(score, Unmeasured) and score.retryable
        assert score.detail == "none of 2 samples gave a verdict; the first: no verdict: empty"
        assert combine([self.LOST], self.JUDGE) == self.LOST

    def test_one_answer_is_no_sampling(self) -> None:
        score = combine([Verdict(True, "r")], self.JUDGE)
        assert score == Measured(True, True, "r")
        assert isinstance(score, Measured) and is_stable(score.samples)

    def test_a_number_passes_by_the_judges_mark(self) -> None:
        judge = model_judge(pass_if=">= 4")
        passed = [apply_pass_if(combine([Verdict(value)], judge), judge) for value in (3, 4)]
        assert [score.passed for score in passed if isinstance(score, Measured)] == [False, True]


class TestPassMark:
    @pytest.mark.parametrize(
        ("mark", "value", "passed"),
        [(">= 4", 4, True), ("< 0.5", 0.5, False), ("==3", 3.0, True), ("", 4, None)],
    )
    def test_it_gives_any_judges_number_a_pass(
        self, mark: str, value: float, passed: bool | None
    ) -> None:
        judge = Judge("c", "check", pass_if=mark)
        assert apply_pass_if(measured(value), judge) == Measured(value, passed)

    def test_it_leaves_what_is_no_number_alone(self) -> None:
        judge = Judge("c", "check", pass_if=">= 4")
        lost = Unmeasured(Reason.GRADER_ERROR, "x")
        assert apply_pass_if(measured(True), judge) == measured(True)
        assert apply_pass_if(lost, judge) == lost


class TestCriteria:
    def given(self, **scores: object) -> dict[str, Any]:
        each = {name: {"score": score, "rationale": name} for name, score in scores.items()}
        return tool({"criteria": each, "rationale": "overall"})

    def test_the_value_is_the_weighted_mean_and_the_parts_stand_below_it(self) -> None:
        found = read_answer(self.given(a=5, b=2, c=1), FIVE, THREE)
        assert isinstance(found, Verdict)
        assert (found.value, found.rationale) == (4.0, "overall")
        assert found.parts == {
            "a": Measured(5, None, "a"),
            "b": Measured(2, False, "b"),
            "c": Measured(1, None, "c"),
        }
        score = combine([found], model_judge(criteria=THREE))
        assert isinstance(score, Measured) and score.passed is False

    def test_a_missing_criterion_is_its_own_error_and_leaves_no_silent_mean(self) -> None:
        found = read_answer(self.given(a=5, c=9), FIVE, THREE)
        assert isinstance(found, Unmeasured)
        assert found.detail == "1 of 2 criteria have no verdict: `b`"
        assert isinstance(found.parts["a"], Measured)
        assert "did not answer" in getattr(found.parts["b"], "detail", "")
        assert "off the scale" in getattr(found.parts["c"], "detail", "")
        assert from_plain(json.loads(json.dumps(to_plain(found)))) == found

    def test_a_criterion_without_weight_may_be_missing(self) -> None:
        found = read_answer(self.given(a=5, b=2), FIVE, THREE)
        assert isinstance(found, Verdict) and found.value == 4.0

    def test_pass_or_fail_needs_all_and_one_fail_decides(self) -> None:
        def answer(**marks: bool) -> dict[str, Any]:
            return tool({"criteria": {name: {"passed": mark} for name, mark in marks.items()}})

        two = (Criterion("a"), Criterion("b"))
        assert getattr(read_answer(answer(a=True, b=True), BOOL, two), "value", None) is True
        assert getattr(read_answer(answer(a=True, b=False), BOOL, two), "value", None) is False
        assert getattr(read_answer(answer(a=False), BOOL, two), "value", None) is False
        assert isinstance(read_answer(answer(a=True), BOOL, two), Unmeasured)

    def test_samples_of_parts_are_combined_like_those_of_the_judge(self) -> None:
        outcomes = [read_answer(self.given(a=a, b=3, c=3), FIVE, THREE) for a in (5, 1, 3)]
        score = combine(outcomes, model_judge(criteria=THREE, samples=3))
        assert isinstance(score, Measured)
        part = score.parts["a"]
        assert isinstance(part, Measured) and part.value == 3
        assert [sample.value for sample in part.samples] == [5, 1, 3]

    def test_all_are_asked_in_one_call(self, tmp_path: Path, server: FakeAnthropic) -> None:
        given = {"criteria": {"a": {"score": 5}, "b": {"score": 2}, "c": {"score": 1}}}
        material = f"RESPOND: tool {json.dumps(given)}"
        write(tmp_path, {"run/cases/c1/artifacts/a.md": material})
        judge = model_judge("{{ outputs }}", criteria=THREE, score_range=(1.0, 5.0))
        found = ask(client_of(server), request_of(judge, case_of(tmp_path)), judge)
        assert isinstance(found, Verdict) and found.value == 4.0
        assert len(server.requests) == 1
