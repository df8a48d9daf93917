"""The examples of docs/ci.md, run as the scripts that they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import parse

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
BASELINE = "main"
RUNS = Path("eval/runs/triage")
RUN = "2026-03-02-haiku"
UNRELATED = ("spelling", "consulted_handbook")
"""Judges of the quickstart whose thresholds are there to be missed."""


def example(title: str) -> dict[str, Any]:
    """The YAML below a heading of the page."""
    text = (ROOT / "docs" / "ci.md").read_text("utf-8").split(f"\n## {title}\n")[1]
    found = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert found
    return yaml.safe_load(found[1])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The quickstart with two equal runs, and gates that hold."""
    root = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "quickstart", root)
    config = root / "eval.yaml"
    text = config.read_text("utf-8")
    for judge in UNRELATED:
        text, done = re.subn(rf"\n  {judge}:\n    \w+: [\d.]+", "", text)
        assert done == 1
    config.write_text(text, "utf-8")
    shutil.copytree(root / RUNS / RUN, root / RUNS / BASELINE)
    os.utime(root / RUNS / BASELINE, (1e9, 1e9))  # the other one is the newest
    return root


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which installing and commenting do nothing, and all else is real."""
    tools = tmp_path / "tools"
    tools.mkdir()
    scripts = {
        "eval-tui": f'exec "{sys.executable}" -m eval_tui.cli "$@"',
        "pip": "exit 0",
        "gh": f'printf "%s\\n" "$@" > "{tmp_path}/gh"',
    }
    for name, script in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    hidden = ("ANTHROPIC_", "EVAL_", "AGENT_EVAL_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    path = f"{tools}{os.pathsep}{kept['PATH']}"
    summary = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    return {**kept, "PATH": path, "PYTHONPATH": str(ROOT), "PR": "7", **summary}


def run(script: str, project: Path, shell: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command, cwd=project, env=shell, capture_output=True, text=True, check=False
    )


def github_steps() -> tuple[dict[str, str], dict[str, str]]:
    """The job's own variables, and its scripts by name in order."""
    job = example("GitHub Actions")["jobs"]["evals"]
    own = {name: value for name, value in job["env"].items() if "${{" not in value}
    return own, {s.get("name", s["run"]): s["run"] for s in job["steps"] if "run" in s}


def test_on_github_equal_runs_pass_and_are_reported(
    project: Path, shell: dict[str, str], tmp_path: Path
) -> None:
    variables, steps = github_steps()
    assert variables == {"BASELINE": BASELINE} and len(steps) == 4
    for name, script in steps.items():
        done = run(script, project, shell | variables)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert done.stdout == "", name
    summary = (tmp_path / "summary.md").read_text("utf-8")
    assert summary == (project / "report.md").read_text("utf-8")
    assert f"{RUN} beside {BASELINE}" in summary and "no cell changed" in summary
    assert "report.md" in (tmp_path / "gh").read_text("utf-8").splitlines()
    assert (project / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert parse(project / "junit.xml").getroot().get("name") == "triage"


def test_on_github_a_regression_fails_and_is_noted_and_reported(
    project: Path, shell: dict[str, str]
) -> None:
    answer = project / RUNS / RUN / "cases" / "late-parcel" / "output" / "triage.json"
    answer.write_text("no JSON", "utf-8")
    variables, steps = github_steps()
    assert run(steps["Score the baseline"], project, shell | variables).returncode == 0
    done = run(steps["Score"], project, shell | variables)
    assert done.returncode == 1
    notes = [line for line in done.stderr.splitlines() if line.startswith("::error ")]
    assert any("valid_triage: 1 case turned from pass to fail (late-parcel)" in n for n in notes)
    assert run(steps["Report"], project, shell | variables).returncode == 0
    report = (project / "report.md").read_text("utf-8")
    assert "Pass → fail: 1" in report


def test_on_gitlab_the_job_leaves_its_artifacts(project: Path, shell: dict[str, str]) -> None:
    job = example("GitLab")["evals"]
    for script in [*job["script"], *job["after_script"]]:
        done = run(script, project, shell)
        assert done.returncode == 0, f"{script}: {done.stderr}"
    kept = [job["artifacts"]["reports"]["junit"], *job["artifacts"]["paths"]]
    assert all((project / name).stat().st_size for name in kept)
