"""Scores one conformance scenario and gives the document of `score --format json`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import pytest

from eval_tui.cli import main
from tests.support.fake_anthropic import FakeAnthropic


@dataclass(frozen=True)
class Outcome:
    """What a headless scoring gave: its exit code and its document, None where it printed none."""

    exit_code: int
    document: dict[str, Any] | None


OPTIONS = {"--no-llm-judges": "--no-llm"}
"""How options of the conformance cases are spelt here, where that differs."""

PAID = ("--auto", "paid", "--budget", "inf")


def run_scenario(
    project: Path, scenario: dict[str, Any], server: FakeAnthropic | None = None
) -> Outcome:
    """The scenario by `eval-tui score --format json`: the whole product without its screen.

    The default scenario of a case is a process of its own, unless that would import the SDK anew; the
    others are the same command in this one.

    With a server, model judges may ask it, and a scenario that wants credentials has them.
    """
    command = ["score", scenario["config"], "--root", "."]
    command += ["--run", scenario["run"], "--format", "json", "--write-summary"]
    command += [OPTIONS.get(word, word) for word in scenario.get("args", [])]
    if scenario["command"] == "pairwise":
        # One call at a time, so that repetitions get the server's answers in turn.
        command += ["--baseline", scenario["baseline"], "--pairwise"]
        command += ["--concurrency", "1"] if "samples" in scenario["config"] else []
        command += [] if "--judge" in command else ["--judge", "pairwise"]
    hidden = ("ANTHROPIC_", "OPENAI_", "EVAL_", "AGENT_EVAL_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    env["AGENT_EVAL_RUNS_DIR"] = "runs"
    if server is not None:
        command += PAID
        if scenario.get("fake"):
            env |= {"ANTHROPIC_API_KEY": "fake-key", "ANTHROPIC_BASE_URL": server.base_url}
    for name, value in scenario.get("env", {}).items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    run = _as_process if scenario["id"] == "default" and server is None else _in_process
    code, out, err = run(command, project / scenario["cwd"], env)
    try:
        document = json.loads(out) if out.strip() else None
    except ValueError as exc:
        raise AssertionError(f"no JSON on standard output: {out[:500]!r}") from exc
    if code not in (0, 1, 2, 3, 4):
        raise AssertionError(f"exit code {code}:\n{err[-2000:]}")
    return Outcome(code, document)


def _as_process(command: list[str], folder: Path, env: dict[str, str]) -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of the command."""
    done = subprocess.run(
        [sys.executable, "-m", "eval_tui.cli", *command],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def _in_process(command: list[str], folder: Path, env: dict[str, str]) -> tuple[int, str, str]:
    """The same without a process of its own: its imports take longer than the scoring."""
    with (
        pytest.MonkeyPatch.context() as patch,
        TemporaryFile("w+", encoding="utf-8") as out,
        TemporaryFile("w+", encoding="utf-8") as err,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.chdir(folder)
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name, value in env.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main(command)
        return int(ended.value.code or 0), _said(out), _said(err)


def _said(file: IO[str]) -> str:
    file.seek(0)
    return file.read()
