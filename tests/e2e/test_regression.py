"""`score --baseline` and `export`, as commands on real runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.small import case_dir, run_dir, write_case, write_project

GOOD = {"name": "good", "check": "return 'good' in outputs['files']['out/page.md']"}
LENGTH = {"name": "length", "check": "return len(outputs['files']['out/page.md'])"}
COUNTED = {
    "name": "counted",
    "check": "open(outputs['case_dir'] + '/../../../../../../ran', 'a').write('x')\nreturn True",
    "cache": False,
}
"""Leaves a trace in the project for every time that it runs."""


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        return json.loads(self.out)


def command(root: Path, *args: str) -> Done:
    hidden = ("ANTHROPIC_", "EVAL_", "AGENT_EVAL_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    words = [sys.executable, "-m", "eval_tui.cli", *args, str(root)]
    done = subprocess.run(words, env=kept, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def score(root: Path, *args: str) -> Done:
    return command(root, "score", "--run", "new", *args)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with the equal runs `old`, which is scored, and `new`, which is not."""
    root = write_project(tmp_path / "p", [GOOD, LENGTH], run="old")
    for case in "abc":
        for run in ("old", "new"):
            write_case(root, case, run, "a good page")
    assert command(root, "score", "--run", "old").code == 0
    return root


def write(root: Path, case: str, text: str) -> None:
    (case_dir(root, case, "new") / "out" / "page.md").write_text(text)


def limit(root: Path, **limits: float) -> None:
    config = root / "eval.yaml"
    text = config.read_text().split("thresholds:")[0]
    config.write_text(f"{text}thresholds:\n  good: {json.dumps(limits)}\n")


def test_what_became_worse_fails_and_is_named(root: Path) -> None:
    write(root, "b", "bad")
    strict = ("--baseline", "old", "--fail-on", "regression")
    done = score(root, *strict, "--format", "json")
    assert done.code == 1
    found = done.document["comparison"]
    assert found["cells"]["b"]["good"] == {
        "group": "broke",
        "before": {"value": True, "pass": True},
    }
    assert found["cells"]["b"]["length"]["group"] == "worse"
    assert "good: 1 case turned from pass to fail (b)" in done.err
    table = score(root, *strict)
    assert "b · good: pass → fail" in table.out and table.code == 1
    assert score(root, "--baseline", "old").code == 0  # nobody said that it counts


def test_equal_runs_hold_every_limit(root: Path) -> None:
    done = score(root, "--baseline", "old", "--fail-on", "regression", "--format", "json")
    assert (done.code, done.document["comparison"]["cells"]) == (0, {})


def test_a_limit_of_the_config_is_a_gate_whenever_there_is_a_baseline(root: Path) -> None:
    write(root, "b", "bad")
    limit(root, max_drop=0.5)
    assert score(root, "--baseline", "old").code == 0
    limit(root, max_drop=0.1)
    assert score(root).code == 0
    done = score(root, "--baseline", "old", "--annotations", "github")
    assert done.code == 1
    line = (root / "eval.yaml").read_text().splitlines().index('  good: {"max_drop": 0.1}') + 1
    note = f"::error file=eval.yaml,line={line},title=eval-tui::good: drop 0.333 <= 0.1: fail"
    assert note in done.err.splitlines() and "::error" not in done.out


def test_a_baseline_may_be_known_by_its_summary_alone(root: Path) -> None:
    recorded = {"value": True, "judge_type": "check"}
    summary = {"per_case": {case: {"good": recorded} for case in "abc"}}
    write(root, "b", "bad")
    for case in "abc":
        write_case(root, case, "other", "a good page")
    (run_dir(root, "other") / "summary.yaml").write_text(json.dumps(summary))
    done = score(root, "--baseline", "other", "--format", "json")
    assert done.document["comparison"]["cells"] == {
        "b": {"good": {"group": "broke", "before": {"value": True, "pass": True}}}
    }


def test_a_baseline_that_was_never_scored_is_no_comparison(root: Path) -> None:
    write_case(root, "a", "other")
    done = score(root, "--baseline", "other", "--fail-on", "regression")
    assert done.code == 3
    assert "score it first: eval-tui score --run other" in done.err
    assert score(root, "--baseline", "nowhere").code == 2


def test_what_a_judge_said_before_it_was_changed_is_not_compared(root: Path) -> None:
    config = root / "eval.yaml"
    config.write_text(config.read_text().replace("'good' in", "'better' in"))
    found = score(root, "--baseline", "old", "--format", "json").document["comparison"]
    assert (found["judges"]["good"]["shared"], found["judges"]["length"]["shared"]) == (0, 3)


def test_only_what_was_selected_is_compared_and_decides_nothing(root: Path) -> None:
    write(root, "b", "bad")
    done = score(root, "--baseline", "old", "--fail-on", "regression", "--case", "b")
    assert done.code == 0 and "only some cases were selected" in done.err
    assert "b · good: pass → fail" in done.out and "only in old" not in done.out


def test_what_counts_is_said_by_options(root: Path) -> None:
    (case_dir(root, "c", "new") / "out" / "page.md").unlink()
    limit(root, min_pass_rate=1.0)
    assert score(root).code == 0
    assert score(root, "--fail-on", "unmeasured").code == 3
    write(root, "b", "bad")
    assert score(root).code == 1
    assert score(root, "--fail-on", "never").code == 0


@pytest.mark.parametrize(
    "args",
    [
        ("--fail-on", "regression"),
        ("--tolerance", "0.1"),
        ("--compat",),
        ("--baseline", "old", "--fail-on", "never", "--fail-on", "regression"),
    ],
    ids=" ".join,
)
def test_options_that_say_nothing_together_are_refused(tmp_path: Path, args: list[str]) -> None:
    done = score(tmp_path, *args)
    assert (done.code, done.out) == (2, "") and "Usage:" in done.err


def test_export_writes_what_is_known_and_judges_nothing(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [GOOD, COUNTED], run="new")
    write(root, "b", "a good page")
    page, before = root / "page.html", root / "ran"
    assert score(root).code == 0
    ran = before.read_text()
    write(root, "b", "bad")
    texts: list[str] = []
    for _ in range(2):
        done = command(root, "export", "--run", "new", "-o", str(page))
        assert (done.code, done.out) == (0, "")
        texts.append(page.read_text())
    assert texts[0] == texts[1] and "<!DOCTYPE html>" in texts[0]
    assert before.read_text() == ran
    as_json = command(root, "export", "--format", "json")
    assert as_json.document["cells"]["b"]["good"]["value"] is True  # as it was scored
    assert (as_json.document["ran"], as_json.code) == (0, 0)
