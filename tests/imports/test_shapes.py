"""What a file holds is told by its keys; what holds no grid says so in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval_tui.imports import reading
from eval_tui.imports.opened import open_document
from eval_tui.imports.reading import NoGrid
from tests.imports.support import OOM, TESTS, TONE, case, opened, scorecard, values, verdicts, write

RUN = {"id": "run_1", "caseId": "invoice", "status": "succeeded", "harness": {"id": "demo"}}
BUNDLE = {
    "scorecardId": "sc_1",
    "dataset": "invoices@1.0.0",
    "harness": "demo@1",
    "cases": [{"caseId": "invoice", "verdict": True, "scores": [TESTS, TONE]}],
}
INNER = scorecard(case("invoice", TESTS, TONE))["scorecard"]
CLI_RUN = {"orchestrator": "local", "trace": [], "scores": [TESTS, TONE]}
LISTED = {
    "id": "sc_1",
    "status": "succeeded",
    "dataset": {"id": "d"},
    "harness": {"id": "h"},
    "summary": [],
}

SHAPES: dict[str, tuple[Any, str]] = {
    "scorecard": (scorecard(case("invoice", TESTS, TONE)), "invoice"),
    "suite result": ({"scorecard": INNER, "summary": []}, "invoice"),
    "scorecard, bare": (INNER, "invoice"),
    "analysis bundle": (BUNDLE, "invoice"),
    "run": ({**RUN, "result": case("invoice", TESTS, TONE)}, "invoice"),
    "list of runs": ([{**RUN, "result": case("invoice", TESTS, TONE)}], "invoice"),
    "case result": (case("invoice", TESTS, TONE), "invoice"),
    "run result": (CLI_RUN, "document"),
    "ingest body": ({"traces": [case("invoice", TESTS, TONE)], "judges": []}, "invoice"),
    "job result": (
        "starting\n__EVERDICT_EVENT__ {torn\n__EVERDICT_RESULT__ {}\n"
        f"__EVERDICT_RESULT__ {json.dumps(case('invoice', TESTS, TONE))}\nbye\n",
        "invoice",
    ),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_every_shape_gives_the_same_row(tmp_path: Path, kind: str) -> None:
    value, name = SHAPES[kind]
    found = opened(tmp_path, value)
    assert found.document.what == kind.partition(",")[0]
    assert values(found, name) == {"tests-pass": True, "tone": "missing_secret"}
    assert verdicts(found) == {name: True}


def test_a_list_of_scorecards_has_their_figures(tmp_path: Path) -> None:
    figures = [
        {"metric": "tests_pass", "count": 4, "mean": 0.75, "passRate": 0.75},
        {"metric": "judge:tone", "count": 0, "unmeasured": 4},
    ]
    unknown = {"id": "composed", "version": "abc", "digest": "sha256:00"}
    found = opened(tmp_path, [{**LISTED, "summary": figures, "verdictPolicy": unknown}])
    assert values(found, "sc_1") == {"tests_pass": 0.75, "tone": "missing_evidence"}
    assert found.rulebook.given["sc_1"].cause == "policy_not_available"


def test_a_list_leaves_out_counts_of_another_policy(tmp_path: Path) -> None:
    summary = {"passed": 3, "failed": 1, "policyDigest": "sha256:aa"}
    stamp = {"id": "composed", "version": "abc", "digest": "sha256:aa"}
    one = {**LISTED, "verdictPolicy": stamp, "verdictSummary": summary}
    assert "3 passed, 1 failed" in opened(tmp_path, [one]).grid.rows[0].notes[0]
    two = {**one, "verdictSummary": {**summary, "policyDigest": "sha256:bb"}}
    assert "3 passed" not in opened(tmp_path, [two]).grid.rows[0].notes[0]


NO_GRID: dict[str, tuple[Any, str]] = {
    "dataset": (
        {"id": "d", "version": "1", "cases": [{"id": "a", "task": "t"}]},
        "it is a dataset",
    ),
    "bare scores": ([TESTS, TONE], "belong to no case"),
    "context": ({"case": {"id": "a"}, "trace": []}, "what a grader is told"),
    "dead run": (
        {**RUN, "status": "failed", "error": {"code": "INTERRUPTED", "message": "restarted"}},
        "run_1 has no result (failed, INTERRUPTED: restarted)",
    ),
    "no results yet": ({**LISTED, "status": "queued"}, "without results (queued)"),
    "no cases": (scorecard(), "without any case (succeeded)"),
    "no traces": ({"traces": []}, "without any trace"),
    "empty list": ([], "an empty list"),
    "other list": ([1, 2], "a list of something else"),
    "other": ({"name": "x"}, "no scorecard, run, analysis bundle"),
    "number": (12, "a single value"),
    "empty": ("  \n", "it is empty"),
    "no JSON": ('{"a": 1,\n "b": }', "line 2, column 7: no JSON"),
    "text": ("judges: []\n", "line 1, column 1: no JSON"),
    "deep": ("[" * 200_000, "nested too deeply"),
    "cut log": ("a\nb\n__EVERDICT_RESULT__ {torn", "line 3: the result of the job is cut off"),
}


@pytest.mark.parametrize("kind", NO_GRID)
def test_what_holds_no_grid_says_why_in_a_line(tmp_path: Path, kind: str) -> None:
    value, why = NO_GRID[kind]
    with pytest.raises(NoGrid) as told:
        opened(tmp_path, value)
    assert why in str(told.value)
    assert "\n" not in str(told.value)


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    with pytest.raises(NoGrid, match="No such file"):
        open_document(str(tmp_path / "none.json"))
    with pytest.raises(NoGrid, match="it is a folder"):
        open_document(str(tmp_path))


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(reading.LARGEST + 1)
    with pytest.raises(NoGrid, match="it has 512 MB; files of up to 512 MB are opened"):
        open_document(str(path))


def test_bytes_that_are_no_text_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    text = json.dumps(case("invoice", {**TESTS, "detail": "@@"})).encode()
    path.write_bytes(b"\xef\xbb\xbf" + text.replace(b"@@", b"\xff"))
    found = open_document(str(path))
    assert found.grid.cell("invoice", "tests-pass").score.rationale == "\ufffd"  # type: ignore[union-attr]


def test_a_mark_inside_a_document_does_not_make_it_a_log(tmp_path: Path) -> None:
    said = {"t": 0, "kind": "message", "role": "assistant", "text": "__EVERDICT_RESULT__ {}"}
    found = opened(tmp_path, scorecard(case("invoice", TESTS, trace=[said])))
    assert found.document.what == "scorecard"


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({"status": "superseded"}, "superseded"),
        ({"status": "cancelled"}, "cancelled"),
        ({"kind": "experiment"}, "no baseline"),
        ({"scoringPass": {"id": 1}}, "not to be trusted"),
    ],
)
def test_what_keeps_a_scorecard_from_being_trusted_is_said(
    tmp_path: Path, more: Any, note: str
) -> None:
    assert not opened(tmp_path, scorecard(case("a", TESTS))).document.notes
    assert note in " ".join(opened(tmp_path, scorecard(case("a", TESTS), **more)).document.notes)


def test_runs_belong_to_cases_by_what_the_document_says_not_by_their_place(tmp_path: Path) -> None:
    runs = [
        {"caseId": "b", "trial": 0, "runId": "run_b"},
        {"caseId": "a", "trial": 0, "runId": "run_a"},
    ]
    found = opened(tmp_path, scorecard(case("a", TESTS), case("b", TESTS), caseRuns=runs))
    assert {name: one.run for name, one in found.results.items()} == {"a": "run_a", "b": "run_b"}


def test_a_run_without_result_among_others_is_a_row_that_says_so(tmp_path: Path) -> None:
    dead = {**RUN, "caseId": "late", "status": "failed", "error": {"message": "restarted"}}
    found = opened(tmp_path, [{**RUN, "result": case("invoice", TESTS)}, dead])
    assert values(found, "late") == {"tests-pass": "missing_evidence"}
    assert verdicts(found) == {"invoice": True, "late": None}
    assert found.grid.rows[1].notes == ("the run has no result (failed, restarted)",)


def test_a_case_that_died_shows_how_and_nothing_else(tmp_path: Path) -> None:
    dead = case("late", TESTS, failure=OOM)
    found = opened(tmp_path, scorecard(case("a", TESTS), dead))
    assert values(found, "late") == {"tests-pass": "missing_evidence"}
    assert found.grid.rows[1].notes == ("run/infra/OOM_KILLED: killed",)
    assert found.rulebook.given["late"].cause == "no_outcome"


def test_a_case_that_died_while_it_was_graded_keeps_its_scores(tmp_path: Path) -> None:
    found = opened(tmp_path, scorecard(case("a", TESTS, failure={**OOM, "stage": "grade"})))
    assert values(found, "a") == {"tests-pass": True}
    assert verdicts(found) == {"a": True}


def test_a_cancelled_case_has_no_outcome_at_any_stage(tmp_path: Path) -> None:
    failure = {**OOM, "stage": "grade", "code": "CANCELLED"}
    assert verdicts(opened(tmp_path, scorecard(case("a", TESTS, failure=failure)))) == {"a": None}


def test_a_result_that_is_no_object_is_a_row_too(tmp_path: Path) -> None:
    found = opened(tmp_path, scorecard(case("a", TESTS), "torn"))
    assert [row.case for row in found.grid.rows] == ["a", "results[1]"]
    assert verdicts(found) == {"a": True, "results[1]": None}


def test_the_path_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, case("a", TESTS))
    monkeypatch.chdir(tmp_path)
    assert open_document("document.json").path == str(tmp_path / "document.json")
