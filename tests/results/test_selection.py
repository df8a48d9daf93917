"""`score --judge` and `--case`: the whole output is about what was selected."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.small import write_project

JUDGES = [{"name": "good", "check": "return True"}, {"name": "bad", "check": "return False"}]
LIMITS = {name: {"min_pass_rate": 1} for name in ("good", "bad")}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("selection") / "p"
    root = write_project(folder, JUDGES, ("a", "b"), thresholds=LIMITS)
    (root / "data" / "later").mkdir()
    return root


def score(root: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval_tui.cli", "score", str(root), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def document(root: Path, *more: str) -> dict[str, object]:
    return json.loads(score(root, "--format", "json", *more).stdout)


def test_other_judges_and_their_gates_are_left_out(root: Path) -> None:
    assert score(root).returncode == 1
    done = score(root, "--judge", "good")
    assert done.returncode == 0
    assert "bad" not in done.stdout + done.stderr
    made = document(root, "--judge", "good")
    assert made["cells"] == {
        case: {"good": {"status": "measured", "value": True, "pass": True}} for case in "ab"
    }
    assert made["not_run"] == ["later"]
    assert [gate["judge"] for gate in made["thresholds"]] == ["good"]
    assert (made["ran"], made["reused"]) == (0, 2)


def test_some_cases_decide_no_gate(root: Path) -> None:
    done = score(root, "--case", "a")
    assert done.returncode == 0
    assert "no gate is decided" in done.stderr
    assert "threshold" not in done.stdout
    made = document(root, "--case", "a")
    assert list(made["cells"]) == ["a"]
    assert made["not_run"] == made["thresholds"] == []
    assert made["aggregates"]["bad"]["total"] == 1


def test_nothing_that_is_there(root: Path) -> None:
    done = score(root, "--judge", "ugly")
    assert (done.returncode, done.stdout) == (4, "")
    assert "there is no judge called 'ugly'" in done.stderr
