"""The built-ins that run as Python."""

from __future__ import annotations

from typing import Any

import pytest

from eval_tui.config.schema import Judge
from eval_tui.judges.load import JudgeUnusable
from eval_tui.scores import Measured, Reason
from tests.judges.support import detail, reason, run, value


def builtin(name: str, **arguments: Any) -> Judge:
    return Judge("b", "builtin", builtin=name, arguments=arguments)


def call(name: str, parent: str = "", **given: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        "type": "assistant",
        "text": "",
        "tools": [{"name": name, "input": given}],
    }
    return event | ({"parent_tool_use_id": parent} if parent else {})


@pytest.mark.parametrize(("cost", "passes"), [(1.0, True), (1.01, False), (0, True), (-1, True)])
def test_cost_budget_allows_exactly_its_limit(cost: float, passes: bool) -> None:
    assert value(run(builtin("cost_budget"), {"cost_usd": cost})) is passes


@pytest.mark.parametrize("cost", [None, "0.10", True])
def test_cost_budget_without_a_cost_is_not_measured(cost: object) -> None:
    assert reason(run(builtin("cost_budget"), {"cost_usd": cost})) is Reason.MISSING_EVIDENCE


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("cost_budget", {"max_cost_usd": None}),
        ("cost_budget", {"max_cost_usd": "1"}),
        ("cost_budget", {"max_cost_usd": float("nan")}),
        ("cost_budget", {"max_cost_usd": 10**400}),
        ("consulted_docs", {"match": "fuzzy"}),
        ("consulted_docs", {"min_coverage": "all"}),
        ("consulted_docs", {"preloaded_files": [1]}),
        ("no_such_builtin", {}),
    ],
)
def test_impossible_arguments_are_known_at_load(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(JudgeUnusable) as caught:
        run(builtin(name, **arguments))
    assert (next(iter(arguments), name)) in caught.value.detail


def docs(expected: object, *events: dict[str, Any], **arguments: Any) -> Any:
    record = {"annotations": {"expected_files": expected}, "events": list(events)}
    return run(builtin("consulted_docs", **arguments), record)


def test_consulted_docs_matches_as_it_is_told() -> None:
    read = call("Read", file_path="/repo/docs/api.md")
    assert value(docs(["docs/api.md"], read)) is True
    assert value(docs(["docs/api.md"], read, match="exact")) is False
    assert value(docs(["other/api.md"], read)) is False
    assert value(docs(["other/api.md"], read, match="basename")) is True
    assert value(docs(["i.md"], read)) is False
    assert value(docs(["docs\\api.md", " docs/api.md "], read)) is True
    assert value(docs("docs/api.md", read)) is True


def test_consulted_docs_counts_what_it_is_told_to_count() -> None:
    grep, sub = call("Grep", path="a.md"), call("Read", "t1", file_path="a.md")
    shell = call("Bash", command="cat a.md", read_paths=["a.md"])
    assert value(docs(["a.md"], grep)) is True
    assert value(docs(["a.md"], grep, include_grep=False)) is False
    assert value(docs(["a.md"], call("Grep", path="."))) is False
    assert value(docs(["a.md"], sub)) is True
    assert value(docs(["a.md"], sub, include_subagents=False)) is False
    assert value(docs(["a.md"], shell)) is True
    assert value(docs(["a.md"], call("Bash", command="cat a.md"))) is False
    assert value(docs(["a.md"], call("Glob"), preloaded_files=["a.md"])) is True


def test_consulted_docs_passes_at_its_coverage_and_names_what_was_not_read() -> None:
    read = call("Read", file_path="a.md")
    score = docs(["a.md", "b.md"], read, min_coverage=0.5)
    assert isinstance(score, Measured) and score.value is True
    assert "1 of 2" in score.rationale and "b.md" in score.rationale
    assert value(docs(["a.md", "b.md"], read, min_coverage=0.51)) is False
    assert value(docs(["a.md", "b.md", "b.md"], read, min_coverage=0.5)) is False


def test_consulted_docs_tells_nothing_expected_from_no_trace() -> None:
    assert reason(docs([])) is Reason.POLICY_SKIP
    assert reason(docs(["", " "], call("Read"))) is Reason.POLICY_SKIP
    assert reason(docs(["a.md"])) is Reason.MISSING_EVIDENCE
    assert reason(docs([5], call("Read"))) is Reason.GRADER_ERROR
    assert reason(docs(None, call("Read"))) is Reason.GRADER_ERROR


def result(error: bool, content: str = "no such file\nmore") -> dict[str, Any]:
    return {"type": "tool_result", "tool_name": "Bash", "content": content, "is_error": error}


def test_tool_call_validation_looks_at_the_results_of_the_trace() -> None:
    judge = builtin("tool_call_validation")
    assert value(run(judge, {"events": [call("Bash"), result(False)]})) is True
    failed = run(judge, {"events": [call("Bash"), result(True), call("Bash"), result(False)]})
    assert isinstance(failed, Measured) and failed.value is False
    assert failed.rationale == "1 of 2 tool calls failed\n- Bash: no such file"
    assert value(run(judge, {"events": [{"type": "assistant", "text": "hi", "tools": []}]})) is True
    assert reason(run(judge, {"events": []})) is Reason.MISSING_EVIDENCE
    assert "trace" in detail(run(judge, {"events": [None, 3]}))
