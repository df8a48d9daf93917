"""The graders example shows what its README says, and its three edits do what they promise."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.load import load_config
from tests.e2e.support_terminal import EVAL_TUI

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "graders"
CASES = ["acme-monthly", "bolt-discount", "cask-rounding", "dune-refund", "echo-taxfree"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    root = tmp_path / "graders"
    shutil.copytree(EXAMPLE, root)
    return root


def score(root: Path) -> dict[str, Any]:
    """The document of a scoring."""
    done = subprocess.run(
        [EVAL_TUI, "score", str(root), "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} must stand once in {file}"
    file.write_text(text.replace(old, new), "utf-8")


def verdicts(document: dict[str, Any]) -> list[bool | None]:
    return [document["verdicts"][case]["verdict"] for case in CASES]


def reasons(document: dict[str, Any], judge: str) -> set[str]:
    return {document["cells"][case][judge].get("reason", "measured") for case in CASES}


def test_it_loads_without_a_problem() -> None:
    config = load_config(EXAMPLE / "eval.yaml", EXAMPLE)
    assert [p.message for p in config.problems] == []


def test_what_the_readme_says_of_the_cells(copy: Path) -> None:
    document = score(copy)
    assert verdicts(document) == [True, True, False, False, True]
    assert [p["message"] for p in document["problems"]] == []
    cells = document["cells"]
    assert cells["cask-rounding"]["tests-pass"]["pass"] is True
    parts = cells["cask-rounding"]["business-check"]["parts"]
    assert (parts["matches_ledger"]["pass"], parts["cents_off"]["value"]) == (False, 1)
    assert cells["dune-refund"]["friendly_note"]["pass"] is True
    assert cells["echo-taxfree"]["cost"]["reason"] == "missing_evidence"


def test_first_edit_the_check_dies(copy: Path) -> None:
    business = copy / "checks" / "business.py"
    before = business.read_text()
    score(copy)
    business.write_text("raise SystemExit(1)\n" + before)
    document = score(copy)
    assert verdicts(document) == [None] * 5
    assert reasons(document, "business-check") == {"grader_error"}
    business.write_text(before)
    assert score(copy)["ran"] == 0


def test_second_edit_the_declaration_changes(copy: Path) -> None:
    before = score(copy)
    replace(copy / "eval.yaml", "checks/ledger.json,", "./checks/ledger.json,")
    document = score(copy)
    assert verdicts(document) == [None] * 5
    for case in CASES:
        old, new = (found["cells"][case]["business-check"] for found in (before, document))
        assert old == new


def test_third_edit_somebody_else_s_metric(copy: Path) -> None:
    replace(copy / "checks" / "business.py", '"metric": "matches_ledger"', '"metric": "tests_pass"')
    document = score(copy)
    assert reasons(document, "business-check") == {"contract_violation"}
    assert True not in verdicts(document)


@pytest.mark.parametrize(
    "path", re.findall(r"`([a-z-]+/[^`\s…]*)`", (EXAMPLE / "README.md").read_text("utf-8"))
)
def test_paths_in_the_readme_exist(path: str) -> None:
    assert (EXAMPLE / path).exists()
