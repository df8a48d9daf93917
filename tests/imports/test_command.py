"""`eval-tui open FILE`, as it is typed."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_tui.imports.evidence import case_view
from eval_tui.imports.opened import make_grid
from eval_tui.imports.printing import report_of
from eval_tui.imports.reading import Loaded, NoGrid
from eval_tui.imports.shapes import recognise
from eval_tui.results.formats import FORMATS
from eval_tui.scores import Measured
from eval_tui.tui.trace import make_trace
from eval_tui.tui.trace_text import summary_of
from tests.imports.support import OOM, TESTS, TONE, TRACE, case, scorecard, write


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval_tui.cli", "open", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_table_has_verdicts_reasons_and_trials(tmp_path: Path) -> None:
    bad = case("b", {**TESTS, "value": 0, "pass": False}, trial=1)
    path = write(tmp_path, scorecard(case("a", TESTS, TONE), case("b", TESTS, trial=0), bad))
    done = run(path, "--format", "table")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["a", "pass", "pass", "?", "secret"] in lines
    assert ["b", "#1", "fail", "fail"] in lines
    assert "verdicts: 2 passed, 1 failed, 0 not evaluated" in done.stdout
    assert "policy: authority-ladder@1.1.0 (f4858062)" in done.stdout
    assert "  ~  b: 1/2" in done.stdout


def test_the_document_says_where_it_comes_from(tmp_path: Path) -> None:
    path = write(tmp_path, scorecard(case("a", TESTS), case("late", failure=OOM)))
    done = run(path, "--format", "json", "--output", str(tmp_path / "out.json"))
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["schema"] == 1
    assert found["cells"]["a"]["tests-pass"]["pass"] is True
    told = {case: one["verdict"] for case, one in found["verdicts"].items()}
    assert told == {"a": True, "late": None}
    assert found["document"] == {
        "path": path,
        "kind": "scorecard",
        "policy_resolution": "resolved",
        "notes": [],
        "cases": {"late": ["run/infra/OOM_KILLED: killed"]},
    }
    assert "late: run/infra/OOM_KILLED: killed" in done.stderr


@pytest.mark.parametrize("words", [("--format", "table"), ()])
def test_what_holds_no_grid_is_told_in_a_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = write(tmp_path, '{"a": 1,\n "b": }')
    done = run(path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        f"eval-tui: {path}: line 2, column 7: no JSON: Expecting value"
    ]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, case("a", TESTS))
    done = run(path, "--format", "json", "--output", str(tmp_path / "none" / "out.json"))
    assert done.returncode == 2
    assert "cannot write" in done.stderr


def test_without_a_terminal_the_app_says_what_to_use(tmp_path: Path) -> None:
    done = run(write(tmp_path, case("a", TESTS)))
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr


def test_nothing_is_written_beside_a_document(tmp_path: Path) -> None:
    path = write(tmp_path, case("a", TESTS))
    run(path, "--format", "table")
    assert [entry.name for entry in tmp_path.iterdir()] == ["document.json"]


# Documents that anyone may have written

ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
WHOLE: Any = scorecard(
    case("a", TESTS, TONE, trace=TRACE, verdict=True),
    case("a", TESTS, trial=1, failure=OOM),
    summary=[{"metric": "tests_pass", "count": 1, "mean": 1}],
    caseRuns=[{"caseId": "a", "trial": 0, "runId": "r"}],
)


LISTED: Any = [
    {
        **{key: WHOLE[key] for key in ("id", "status", "dataset", "harness", "verdictPolicy")},
        "summary": [{"metric": "tests_pass", "count": 1, "mean": 1, "passRate": 1}],
        "verdictSummary": {"passed": 1, "failed": 0},
        "requested": 1,
    }
]
RUNS: Any = [
    {
        "id": "r",
        "caseId": "a",
        "status": "failed",
        "verdict": True,
        "caseSpec": {"task": "t", "expected": "e"},
        "error": {"code": "X", "message": "m"},
        "result": case("a", TESTS, verifier={"a": 1}, evidence={"custom": {"a": "b"}}),
    }
]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside a document."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    inner = [((*at, key), one) for key, one in pairs]
    deeper = [
        place for path, one in inner if isinstance(one, dict | list) for place in places(one, path)
    ]
    return [path for path, _ in inner] + deeper


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([(w, at) for w in (WHOLE, LISTED, RUNS) for at in places(w)]), ODD)
def test_a_document_with_anything_in_any_place_opens_or_says_why_not(
    where: tuple[Any, tuple[Any, ...]], odd: Any
) -> None:
    whole, place = where
    value = copy.deepcopy(whole)
    inside = value
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = odd
    loaded = Loaded("/x/document.json", value, json.dumps(value).encode())
    try:
        found = make_grid(loaded, recognise(loaded))
    except NoGrid as told:
        assert str(told)
        return
    for cell in found.grid.cells.values():
        if isinstance(cell.score, Measured):
            assert abs(cell.score.value) < float("inf")
    assert {one.value for one in found.rulebook.given.values()} <= {True, False, None}
    for name, result in found.results.items():
        view = case_view(result, name, found.path)
        trace = make_trace(view.events)
        assert all(isinstance(summary_of(trace, at), str) for at in range(len(trace.entries)))
    json.loads(FORMATS["json"](report_of(found)))
    assert FORMATS["table"](report_of(found))
