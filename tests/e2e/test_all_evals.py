"""`score --all`: every eval of a project, with one summary, and the same figures in the app."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from eval_tui.results.evals import stored_summary, worst_code
from tests.e2e.support_terminal import EVAL_TUI, piped
from tests.support.live import live
from tests.support.small import run_dir, write_project

PASSES = {"name": "passes", "check": "return True, 'fine'"}
HALF = {"name": "half", "check": "return 'of b' not in outputs['out_content']"}
LOST = {"name": "half", "check": "raise OSError('no')"}


def add_eval(root: Path, name: str, judges: list[Any], run: str = "r2", **more: Any) -> None:
    """An eval beside the first one; with a run unless that is empty."""
    folder = root / "eval" / name
    folder.mkdir(parents=True)
    document = {"name": name, "dataset": {"path": "data"}, "outputs": [{"path": "out"}]}
    text = yaml.safe_dump({**document, "judges": judges, **more})
    (folder / "eval.yaml").write_text(text)
    if run:
        shutil.copytree(run_dir(root), root / "eval" / "runs" / name / run)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_project(tmp_path / "project", [PASSES], cases=("a", "b"))
    add_eval(root, "second", [PASSES, HALF], thresholds={"passes": {"min_pass_rate": 1}})
    add_eval(root, "never", [PASSES], run="")
    return root


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return piped(root, "score", "--all", *words)


def lines(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """The line of each eval, blanks squeezed."""
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    return {row.split(" ")[0]: row for row in rows}


def test_one_line_for_each_eval(root: Path) -> None:
    done = run(root)
    assert done.returncode == 0
    found = lines(done)
    assert found["small"] == "small eval.yaml r1 2 2/2 0 none 0"
    assert found["second"] == "second eval/second/eval.yaml r2 2 4/4 1 1 threshold: met 0"
    assert found["never"] == "never eval/never/eval.yaml no run yet -"
    assert "--- second (eval/second/eval.yaml)" in done.stderr


def test_the_documents_are_those_of_each_alone(root: Path) -> None:
    done = run(root, "--format", "json", "-o", "all.json")
    assert (done.returncode, done.stdout) == (0, "")
    whole = json.loads((root / "all.json").read_text())
    assert whole["schema"] == 1
    evals = {one["eval"]: one for one in whole["evals"]}
    assert set(evals) == {"small", "second", "never"}
    assert "cells" not in evals["never"] and evals["never"]["exit_code"] is None
    command = [EVAL_TUI, "score", "--eval", "second", "--format", "json"]
    alone = json.loads(subprocess.run(command, cwd=root, capture_output=True, check=True).stdout)
    assert evals["second"]["cells"] == alone["cells"]
    assert evals["second"]["aggregates"] == alone["aggregates"]


def test_an_eval_is_opened_by_its_own_name_and_by_that_of_its_runs(root: Path) -> None:
    """The first is what the app shows; the second, that of its skill, is what documents call it."""
    add_eval(root, "named", [PASSES], run="", execution={"skill": "writer"})
    shutil.copytree(run_dir(root), root / "eval" / "runs" / "writer" / "r3")
    for word in ("named", "writer"):
        command = [EVAL_TUI, "score", "--eval", word, "--format", "json"]
        done = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True)
        assert json.loads(done.stdout)["eval"] == "writer"
    command = [EVAL_TUI, "check", "--eval", "nobody"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False, text=True)
    assert done.returncode == 2 and "there are: small, named, never, second" in done.stderr


def test_the_weightiest_exit_code_is_the_commands(root: Path) -> None:
    add_eval(root, "lost", [LOST], thresholds={"half": {"min_mean": 1}})
    assert run(root).returncode == 3
    add_eval(root, "bad", [HALF], thresholds={"half": {"min_pass_rate": 0.9}})
    done = run(root)
    assert done.returncode == 1
    assert lines(done)["bad"].endswith("1 threshold: 1 not met 1")
    assert lines(done)["lost"].endswith("1 threshold: 1 cannot be told 3")
    (root / "eval" / "bad" / "eval.yaml").write_text(
        "name: bad\noutputs: []\njudges: [{name: j, check: x}, {name: j, check: y}]\n"
    )
    done = run(root)
    assert done.returncode == 2
    assert "two judges are called `j`" in lines(done)["bad"]
    assert lines(done)["second"].endswith(" 0")


def test_a_selection_that_some_evals_lack(root: Path) -> None:
    done = run(root, "--judge", "half")
    assert done.returncode == 0
    assert "nothing that was selected 4" in lines(done)["small"]
    assert run(root, "--judge", "nobody").returncode == 4


def test_what_makes_no_sense_for_several_is_refused(root: Path) -> None:
    for words in (("--format", "junit"), ("--eval", "small"), ("eval.yaml",)):
        done = run(root, *words)
        assert done.returncode == 2 and "--all" in done.stderr and not done.stdout
    (root / "empty").mkdir()
    done = run(root, "empty")
    assert done.returncode == 2 and "no eval config in" in done.stderr


def test_the_app_tells_the_same_of_each_without_judging(root: Path) -> None:
    rows = lines(run(root))

    async def scenario() -> None:
        async with live(root) as opened:
            ran = opened.ran
            assert {info.name for info in opened.driver.evals()} == {"small", "second", "never"}
            for info in opened.driver.evals():
                stored = await opened.driver.stored_eval(info.path)
                summary = stored_summary(stored)
                if not summary.run:
                    assert "no run yet" in rows[info.name]
                    continue
                figures = f"{summary.run} {summary.cases} {summary.measured}/{summary.total}"
                words = f"{figures} {summary.failed} {summary.gate_words or 'none'}"
                assert words in rows[info.name]
            assert opened.ran == ran

    asyncio.run(scenario())


def test_codes_in_their_order() -> None:
    interrupted = 128 + signal.SIGINT
    assert worst_code([0, None], 4) == 0
    assert worst_code([0, 3], 4) == 3
    assert worst_code([3, 1, 0], 4) == 1
    assert worst_code([1, 2], 4) == 2
    assert worst_code([2, interrupted], 4) == interrupted
    assert worst_code([None], 4) == 4
