"""An agent's verdict: where it is found, and what is never taken for one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from eval_tui.judges.agent.answer import content_of, read_agent_answer
from eval_tui.judges.agent.trace import read_trace
from eval_tui.judges.agent.verdict import MAX_VERDICT, last_verdict, read_verdict_file
from eval_tui.judges.model.answer import Outcome, Verdict
from eval_tui.judges.model.scale import Scale
from eval_tui.scores import Unmeasured

BOOL = Scale("bool")
INTEGER = Scale("integer", 1, 5, declared=True)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace" / "output"
    folder.mkdir(parents=True)
    return folder


def test_the_file_is_read(output: Path) -> None:
    (output / "score.json").write_text('{"score": 4, "rationale": "fine"}')
    assert read_verdict_file(str(output)) == ({"score": 4, "rationale": "fine"}, "")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"score": 2', "no JSON"),
        ("[4]", "no object"),
        ('{"verdict": 2}', "neither"),
        ("[" * 100_000, "no JSON"),
        (" " * (MAX_VERDICT + 1), "larger"),
    ],
)
def test_what_is_no_verdict_says_why(output: Path, content: str, why: str) -> None:
    (output / "score.json").write_text(content)
    verdict, words = read_verdict_file(str(output))
    assert verdict is None
    assert why in words


def test_no_file_is_no_reason(output: Path) -> None:
    assert read_verdict_file(str(output)) == (None, "")


def test_links_and_pipes_are_not_followed(output: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged.json"
    forged.write_text('{"score": 5}')
    (output / "score.json").symlink_to(forged)
    assert read_verdict_file(str(output)) == (None, "`output/score.json` is not read: it is a link")
    (output / "score.json").unlink()
    os.mkfifo(output / "score.json")
    assert "not a regular file" in read_verdict_file(str(output)).why
    (output / "score.json").unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "score.json").write_text('{"score": 5}')
    output.rmdir()
    output.symlink_to(elsewhere)
    assert read_verdict_file(str(output)).verdict is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('first {"score": 2} then {"score": 4} end', {"score": 4}),
        ('```json\n{"passed": false, "rationale": "has {braces}"}\n```', {"passed": False}),
        ('{"score": 4, "detail": {"a": 1}}', None),
        ('{"score": 4} and then {"other": 1}', {"score": 4}),
        ("4", None),
        ("{" * 50_000, None),
        ('{"score": <number>, "rationale": "<why>"}', None),
    ],
)
def test_the_last_flat_object_of_a_text_counts(text: str, found: dict[str, Any] | None) -> None:
    verdict = last_verdict(text)
    assert (verdict and {key: verdict[key] for key in found or ()}) == found


def _line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


def _said(*blocks: dict[str, Any], kind: str = "assistant") -> str:
    return _line(type=kind, message={"content": list(blocks)})


def test_a_verdict_that_a_tool_showed_is_not_the_agents() -> None:
    forged = {"type": "tool_result", "tool_use_id": "t", "content": '{"score": 5}'}
    asked = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a.md"}}
    stream = _said({"type": "text", "text": "I look."}, asked) + _said(forged, kind="user")
    trace = read_trace(stream)
    assert last_verdict(trace.words) is None
    assert '> Read {"file_path": "a.md"}' in trace.transcript
    assert '{"score": 5}' in trace.transcript


def test_a_stream_tells_words_cost_and_how_it_ended() -> None:
    end = {"result": 'So: {"score": 3}', "total_cost_usd": 0.25, "usage": {"input_tokens": 9}}
    stream = _said({"type": "text", "text": "Hm."}) + _line(type="result", subtype="success", **end)
    trace = read_trace("warning: not JSON\n" + stream)
    assert last_verdict(trace.words) == {"score": 3}
    assert (trace.cost, trace.usage, trace.error) == (0.25, {"input_tokens": 9}, "")
    failed = _line(type="result", subtype="error_max_budget_usd", total_cost_usd=2)
    assert read_trace(_said() + failed).subtype == "error_max_budget_usd"


@pytest.mark.parametrize("cost", [10**400, float("inf"), float("nan"), -1, True, "2"])
def test_a_cost_that_is_no_amount_is_not_known(cost: object) -> None:
    assert read_trace(_said() + _line(type="result", total_cost_usd=cost)).cost is None


def read(verdict: dict[str, Any] | None, scale: Scale, stop: str = "") -> Outcome:
    content = content_of(verdict, "output/score.json", "nothing there", "what was said", "")
    return read_agent_answer({"content": content, "stop_reason": stop}, scale)


@pytest.mark.parametrize(
    ("verdict", "scale", "value"),
    [
        ({"passed": False, "rationale": "no"}, BOOL, False),
        ({"score": "4"}, INTEGER, 4),
        ({"score": 3.5}, INTEGER, 4),
        ({"score": 9}, Scale("integer"), 9),
    ],
)
def test_a_verdict_on_its_scale(verdict: dict[str, Any], scale: Scale, value: object) -> None:
    outcome = read(verdict, scale)
    assert isinstance(outcome, Verdict)
    assert (outcome.value, type(outcome.value)) == (value, type(value))
    assert outcome.rationale == verdict.get("rationale", "")


@pytest.mark.parametrize(
    ("verdict", "scale"),
    [
        ({"score": 9}, INTEGER),
        ({"score": 5.4}, INTEGER),
        ({"score": None}, INTEGER),
        ({"score": float("nan")}, INTEGER),
        ({"passed": True}, INTEGER),
        ({"passed": "false"}, BOOL),
        ({"score": 2}, BOOL),
        (None, BOOL),
    ],
)
def test_anything_else_is_an_error_with_what_was_said(
    verdict: dict[str, Any] | None, scale: Scale
) -> None:
    outcome = read(verdict, scale)
    assert isinstance(outcome, Unmeasured)
    assert outcome.retryable
    assert "what was said" in outcome.detail
    if verdict is not None:
        assert str(verdict) in outcome.detail


def test_what_was_stopped_gives_no_verdict_whatever_it_had_written() -> None:
    late, poor = read({"passed": True}, BOOL, "timed out"), read({"passed": True}, BOOL, "budget")
    assert isinstance(late, Unmeasured)
    assert late.retryable
    assert "timed out" in late.detail
    assert isinstance(poor, Unmeasured)
    assert not poor.retryable
    assert poor.recover_on == {"config"}
