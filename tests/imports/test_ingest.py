"""A run as a body for Everdict: what it says, and that it opens again as what it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.schema import EvalConfig, Grader, Judge
from eval_tui.engine.grid import CaseView, Cell, CellState
from eval_tui.imports.opened import open_document
from eval_tui.results.ingest import case_scores, ingest_body, ingest_case
from eval_tui.scores import Measured, Reason, Score, Unmeasured, measured
from eval_tui.verdicts.producers import producers
from tests.imports.support import opened, values, verdicts
from tests.support.grids import StillGrid
from tests.support.small import case_dir, write_project

EVENTS: tuple[dict[str, Any], ...] = (
    {"type": "assistant", "text": "Looking.", "tools": [{"id": "t1", "name": "Read", "input": {}}]},
    {"type": "tool_result", "tool_use_id": "t1", "content": "text", "is_error": True},
    {"type": "assistant", "text": "Done.", "tools": []},
)


def view(events: tuple[dict[str, Any], ...] = EVENTS, **more: Any) -> CaseView:
    empty: dict[str, Any] = dict.fromkeys(
        ("case_dir", "input_path", "inputs", "annotations_path", "annotations", "events_path"), ""
    )
    rest = {"conversation": "", "stdout": "", "stderr": "", "metrics": {}, "notes": ()}
    return CaseView(**{**empty, **rest, "case": "a", "files": (), "events": events, **more})


def body(*judges: tuple[Judge, Score | Cell], seen: CaseView | None = None) -> dict[str, Any]:
    """The case of a run with these judges and their scores, as it is read back from JSON."""
    columns = tuple(judge for judge, _ in judges)
    cells = {
        ("a", judge.name): score if isinstance(score, Cell) else Cell(CellState.FRESH, score)
        for judge, score in judges
    }
    grid = StillGrid((), columns, cells)
    found = producers(EvalConfig("/p/eval.yaml", "/p", judges=columns))
    case = ingest_case(case_scores(grid, found, seen or view(), {}))
    return json.loads(json.dumps(ingest_body([case])))["traces"][0]


def rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key != "graderId"} for row in found["scores"]]


CHECK, TONE = Judge("links", "check"), Judge("tone", "model")


def test_scores_have_numbers_and_reasons_have_none() -> None:
    found = body(
        (CHECK, measured(True, "all fine")),
        (Judge("size", "check"), measured(3.5)),
        (Judge("kind", "check"), Measured(2, None, label="good")),
        (Judge("broken", "check"), Unmeasured(Reason.GRADER_ERROR, "503", True, attempts=2)),
        (Judge("wrong", "check"), Unmeasured(Reason.CONTRACT_VIOLATION, "returned None")),
    )
    assert rows(found) == [
        {"metric": "links", "status": "measured", "value": 1, "pass": True, "detail": "all fine"},
        {"metric": "size", "status": "measured", "value": 3.5},
        {"metric": "kind", "status": "measured", "value": 2, "label": "good"},
        {
            "metric": "broken",
            "status": "unmeasured",
            "reason": "grader_error",
            "detail": "503",
            "retryable": True,
            "attempts": 2,
        },
        {
            "metric": "wrong",
            "status": "invalid",
            "reason": "contract_violation",
            "detail": "returned None",
        },
    ]


def test_metrics_of_graders_keep_their_names_and_judges_take_no_reserved_ones() -> None:
    tests = Judge("tests-pass", "grader", grader=Grader("tests-pass", {"cmd": "true"}))
    named = Judge("state", "check"), TONE, Judge("tests_pass", "model"), Judge("judge", "model")
    found = body(*((judge, measured(True)) for judge in (tests, *named)))
    metrics = [row["metric"] for row in rows(found)]
    assert metrics == ["tests_pass", "check:state", "tone", "llm-tests_pass", "llm-judge"]


def test_criteria_are_there_and_do_not_vote() -> None:
    parts: dict[str, Score] = {"polite": Measured(0.5, False, "no")}
    whole, part = rows(body((TONE, Measured(0.9, True, parts=parts))))
    assert (whole["metric"], whole["pass"]) == ("tone", True)
    assert part == {"metric": "tone:polite", "status": "measured", "value": 0.5, "detail": "no"}


def test_what_waits_says_so_and_what_never_was_is_left_out() -> None:
    waits = Cell(CellState.WAITING, waiting="money")
    (row,) = rows(body((CHECK, Cell(CellState.EMPTY)), (TONE, waits)))
    assert (row["metric"], row["reason"]) == ("tone", "policy_skip")
    assert "costs money" in row["detail"]


def test_the_trace_has_the_transcript_and_what_it_took() -> None:
    metrics = {"cost_usd": 0.5, "token_usage": {"input": 10, "output": 2}}
    found = body(seen=view(stderr="a warning", metrics=metrics))
    assert [event["kind"] for event in found["trace"]] == [
        "message",
        "tool_call",
        "tool_result",
        "message",
        "log",
        "llm_call",
    ]
    assert found["trace"][2]["ok"] is False
    assert found["trace"][-1]["cost"] == {"inputTokens": 10, "outputTokens": 2, "usd": 0.5}
    assert found["snapshot"] == {"kind": "prompt", "output": "Done."}


def test_without_events_there_is_no_trace_instead_of_an_empty_one() -> None:
    found = body(seen=view((), stderr="x", metrics={"cost_usd": 1}, conversation="said"))
    assert "trace" not in found
    assert found["snapshot"]["output"] == "said"


def test_without_a_price_there_is_no_call_that_cost_nothing() -> None:
    found = body(seen=view(metrics={"cost_usd": None}))
    assert all(event["kind"] != "llm_call" for event in found["trace"])


def test_it_opens_again_with_the_same_scores(tmp_path: Path) -> None:
    parts: dict[str, Score] = {"polite": measured(0.5)}
    case = body(
        (CHECK, measured(False, "one is dead")),
        (TONE, Measured(0.9, None, parts=parts)),
        (Judge("cut", "check"), Unmeasured(Reason.POLICY_SKIP, "if: was false")),
    )
    found = opened(tmp_path, {"traces": [case], "judges": []})
    assert values(found, "a") == {"links": False, "tone": 0.9, "cut": "policy_skip"}
    assert verdicts(found) == {"a": False}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    wrote = {"name": "wrote", "check": "return 'wrote' in outputs['conversation'], 'because'"}
    root = write_project(tmp_path / "p", [wrote], ("a", "b"))
    (case_dir(root, "b") / "events.json").write_text("{")
    return root


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval_tui.cli", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_export_writes_what_is_stored_and_judges_nothing(project: Path, tmp_path: Path) -> None:
    assert run(project, "score").returncode == 0
    path = tmp_path / "body.json"
    done = run(project, "export", "--format", "everdict", "--output", str(path))
    assert done.returncode == 0, done.stderr
    found = open_document(str(path))
    assert found.document.what == "ingest body"
    assert values(found, "a") == {"wrote": True}
    assert values(found, "b") == {"wrote": "missing_evidence"}
    plain = json.loads(path.read_text())
    assert plain["judges"] == []
    assert plain["traces"][0]["scores"][0]["detail"] == "because"
    assert [event["kind"] for event in plain["traces"][0]["trace"]][:1] == ["message"]


def test_export_masks_secrets(project: Path) -> None:
    (project / ".env").write_text("ANTHROPIC_API_KEY=sk-secret-secret-1234\n")
    page = case_dir(project, "a") / "events.json"
    page.write_text(json.dumps([{"type": "assistant", "text": "wrote sk-secret-secret-1234"}]))
    done = run(project, "export", "--format", "everdict")
    assert done.returncode == 0, done.stderr
    assert "sk-secret" not in done.stdout
    assert "wrote <ANTHROPIC_API_KEY>" in done.stdout
