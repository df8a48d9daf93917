"""Scores one conformance scenario and gives the document of `score --format json`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What a headless scoring gave: its exit code and its document, None where it printed none."""

    exit_code: int
    document: dict[str, Any] | None


def run_scenario(project: Path, scenario: dict[str, Any]) -> Outcome:
    """The scenario by `eval-tui score --format json`: the whole product without its screen."""
    command = [sys.executable, "-m", "eval_tui.cli", "score", scenario["config"], "--root", "."]
    command += ["--run", scenario["run"], "--format", "json"]
    hidden = ("ANTHROPIC_", "OPENAI_", "EVAL_", "AGENT_EVAL_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    done = subprocess.run(
        command,
        cwd=project / scenario["cwd"],
        env={**env, "AGENT_EVAL_RUNS_DIR": "runs"},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        document = json.loads(done.stdout) if done.stdout.strip() else None
    except ValueError as exc:
        raise AssertionError(f"no JSON on standard output: {done.stdout[:500]!r}") from exc
    if done.returncode not in (0, 1, 2, 3, 4):
        raise AssertionError(f"exit code {done.returncode}:\n{done.stderr[-2000:]}")
    return Outcome(done.returncode, document)
