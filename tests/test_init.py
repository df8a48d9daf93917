"""`eval-tui init`: what it writes works at once, and it never writes over anything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from eval_tui.config.load import load_config


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval_tui.cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and ".eval-tui" not in path.parts
    }


def test_what_it_writes_can_be_scored_at_once_and_has_no_problem(tmp_path: Path):
    done = run(tmp_path, "init")
    assert done.returncode == 0, done.stderr
    config = load_config(tmp_path / "eval.yaml", tmp_path, {})
    assert not config.problems
    kinds = [judge.kind for judge in config.judges]
    assert {"check", "code", "builtin", "model", "grader"} <= set(kinds)
    asking = [judge.asks_model for judge in config.judges if judge.kind != "grader"]
    assert asking == sorted(asking)  # what costs nothing comes first (D54)
    scored = run(tmp_path, "score", "--format", "json", "--no-llm")
    assert scored.returncode == 0, scored.stderr
    told = json.loads(scored.stdout)
    assert told["cells"]["reset-password"]["answered"]["pass"] is True


def test_what_it_wrote_is_named_by_check(tmp_path: Path):
    assert run(tmp_path, "init").returncode == 0
    told = run(tmp_path, "check").stdout
    assert "eval/cases (1 case)" in told and "the newest is example-run" in told


def test_it_writes_nothing_where_one_of_its_files_is_there(tmp_path: Path):
    (tmp_path / "judges").mkdir()
    (tmp_path / "judges" / "answers.py").write_text("mine")
    done = run(tmp_path, "init")
    assert done.returncode == 2
    assert "judges/answers.py" in done.stderr
    assert files(tmp_path) == {"judges/answers.py": "mine"}


def test_other_files_stay_and_a_new_folder_is_made(tmp_path: Path):
    done = run(tmp_path, "init", "new/place")
    assert done.returncode == 0
    assert "eval-tui new/place" in done.stdout
    assert "eval.yaml" in files(tmp_path / "new" / "place")
    (tmp_path / "file").write_text("x")
    assert run(tmp_path, "init", "file").returncode == 2


def test_without_a_config_it_is_named(tmp_path: Path):
    done = run(tmp_path, "score")
    assert done.returncode == 2
    assert "eval-tui init" in done.stderr
