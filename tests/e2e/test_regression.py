"""`score --baseline` and `export`, as commands on real runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.live import live
from tests.support.small import case_dir, run_dir, write_case, write_config, write_project

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
        ("--baseline-trial", "old"),
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


async def bless(root: Path, run: str) -> None:
    """What `b` does in the app."""
    async with live(root, run=run, watch=False) as project:
        driver = project.driver
        assert driver.config is not None
        await driver.finding.bless(driver.config, driver.grid, run)


@pytest.mark.asyncio
async def test_what_was_blessed_is_compared_whatever_became_of_its_run(root: Path) -> None:
    await bless(root, "old")
    shutil.rmtree(run_dir(root, "old"))
    write(root, "b", "bad")
    done = score(root, "--baseline", "blessed", "--fail-on", "regression", "--format", "json")
    found = done.document["comparison"]
    assert (done.code, found["baseline"], found["blessed"]) == (1, "old", True)
    assert found["cells"]["b"]["good"]["group"] == "broke"
    table = command(root, "export", "--run", "new", "--baseline", "blessed", "--format", "table")
    assert "new beside old as it was blessed: 6 cells measured in both" in table.out


@pytest.mark.asyncio
async def test_a_run_may_be_compared_with_what_it_was_when_it_was_blessed(root: Path) -> None:
    assert score(root).code == 0
    await bless(root, "new")
    write(root, "b", "bad")
    done = score(root, "--baseline", "blessed", "--format", "json")
    assert list(done.document["comparison"]["cells"]) == ["b"]


def test_without_anything_blessed_it_says_how_to(root: Path) -> None:
    done = score(root, "--baseline", "blessed")
    assert (done.code, done.out) == (2, "")
    assert "no run of 'small' was blessed in this project" in done.err and "press `b`" in done.err
    asked = score(root, "--baseline", "blessed", "--pairwise", "--auto", "off")
    assert asked.code == 2 and "name one by its id" in asked.err


def test_a_run_that_is_called_so_is_that_run(root: Path) -> None:
    for case in "abc":
        write_case(root, case, "blessed", "bad")
    assert command(root, "score", "--run", "blessed").code == 0
    found = score(root, "--baseline", "blessed", "--format", "json").document["comparison"]
    assert "blessed" not in found and found["cells"]["a"]["good"]["group"] == "fixed"


def test_runs_that_repeat_each_side_say_whether_a_case_is_more_than_noise(root: Path) -> None:
    trials = {"new": "bad", "n2": "bad", "n3": "bad", "o2": "a good page", "o3": "a good page"}
    for run, page in trials.items():
        write_case(root, "a", run, page)
    write_case(root, "b", "o2", "bad")  # it was flaky before
    write(root, "b", "bad")
    with (root / "eval.yaml").open("a") as config:
        config.write("verdict: {trials: [new, n2, n3]}\n")
    for run in ("o2", "o3"):
        assert command(root, "score", "--run", run, "--fail-on", "never").code == 0
    more = ("--baseline-trial", "o2", "--baseline-trial", "o3")
    done = score(root, "--baseline", "old", *more, "--format", "json")
    found = done.document["comparison"]
    assert found["trials"]["a"] == {
        "before": {"passed": 3, "evaluated": 3},
        "after": {"passed": 0, "evaluated": 3},
        "p": pytest.approx(0.1),
        "significant": False,
    }
    assert found["cells"]["a"]["good"]["group"] == "broke"
    assert found["cells"]["b"]["good"]["group"] == "unstable"
    table = score(root, "--baseline", "old", *more)
    assert "a: 3/3 → 0/3 trials pass: within the noise (p = 0.1)" in table.out
    write_case(root, "a", "o4")
    unscored = score(root, "--baseline", "old", "--baseline-trial", "o4")
    assert "score it first: eval-tui score --run o4" in unscored.err
    assert "3/3 → 0/3" not in unscored.out and "1/1 → 0/3 trials pass" in unscored.out
    twice = score(root, "--baseline", "old", "--baseline-trial", "old")
    assert twice.code == 2 and "run old counts already" in twice.err
    unknown = score(root, "--baseline", "old", "--baseline-trial", "nowhere")
    assert unknown.code == 2 and "--baseline-trial: no run called 'nowhere'" in unknown.err


def test_a_critical_case_is_a_gate_and_one_that_went_is_missed(root: Path) -> None:
    names = {"verdict": {"critical_cases": ["a", {"prefix": "b"}]}}
    write_config(root, [GOOD, LENGTH], **names)
    write(root, "c", "bad")
    assert score(root).code == 0
    write(root, "b", "bad")
    done = score(root, "--baseline", "old", "--format", "json")
    assert done.code == 1 and "critical cases: 1 failed (b), 1 passed" in done.err
    assert done.document["critical_cases"] == {
        "state": "fail",
        "passed": ["a"],
        "failed": ["b"],
        "not_evaluated": [],
        "not_there": [],
    }
    assert done.document["comparison"]["verdicts"]["b"]["critical"] is True
    some = score(root, "--case", "b", "--format", "json")
    assert some.code == 0 and "no gate is decided" in some.err
    assert "critical_cases" not in some.document
    one = score(root, "--judge", "good")
    assert one.code == 0 and "critical cases decide nothing" in one.err
    (case_dir(root, "b", "new") / "out" / "page.md").unlink()
    done = score(root)
    assert done.code == 3 and "1 not evaluated (b)" in done.err
    for place in (case_dir(root, "b", "new"), root / "data" / "b"):
        shutil.rmtree(place)
    done = score(root, "--baseline", "old")
    assert done.code == 1 and "1 critical case of old not there: b" in done.err


def test_what_a_summary_says_of_an_earlier_version_of_a_judge_is_not_compared(root: Path) -> None:
    assert command(root, "score", "--run", "old", "--write-summary").code == 0
    shutil.rmtree(root / ".eval-tui")
    found = score(root, "--baseline", "old", "--format", "json").document["comparison"]
    assert found["shared"] == 6  # this version said it
    config = root / "eval.yaml"
    config.write_text(config.read_text().replace("'good' in", "'better' in"))
    found = score(root, "--baseline", "old", "--format", "json").document["comparison"]
    assert (found["judges"]["good"]["shared"], found["judges"]["length"]["shared"]) == (0, 3)
