"""What commands do when they are used on nothing, or with values that make no sense."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner

from eval_tui.cli import main
from tests.support.small import case_dir, write_project

COMMAND = (sys.executable, "-m", "eval_tui.cli")


def environ() -> dict[str, str]:
    hidden = ("ANTHROPIC_", "EVAL_", "AGENT_EVAL_")
    return {name: value for name, value in os.environ.items() if not name.startswith(hidden)}


def command(
    folder: Path, *args: str, stdout: IO[str] | int = subprocess.PIPE, **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *args],
        cwd=folder,
        env={**environ(), **more},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", ["score", "export", "explain case judge", "authority list"])
def test_nothing_is_written_where_no_eval_is(tmp_path: Path, words: str) -> None:
    done = command(tmp_path, *words.split())
    assert done.returncode == 2 and "no eval config in" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "option", ["--budget", "--max-unmeasured", "--judge-timeout", "--tolerance"]
)
def test_what_is_no_number_is_refused(option: str) -> None:
    done = CliRunner().invoke(main, ["score", option, "nan"])
    assert done.exit_code == 2 and f"'{option}': nan is no number" in done.output


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["score", "check", "init more"])
def test_a_full_disk_is_no_failed_gate(tmp_path: Path, words: str, unbuffered: str) -> None:
    write_project(tmp_path, [{"name": "fine", "check": "return True"}])
    with FULL.open("w") as full:
        done = command(tmp_path, *words.split(), stdout=full, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 2
    assert "standard output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("gate", "code"), [(0.5, 1), (0, 0)])
def test_without_an_output_the_exit_code_says_it_all(
    tmp_path: Path, gate: float, code: int
) -> None:
    write_project(
        tmp_path,
        [{"name": "no", "check": "return False"}],
        thresholds={"no": {"min_pass_rate": gate}},
    )
    words = [*COMMAND, "score", str(tmp_path)]
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *words], env=environ(), check=False)
    assert done.returncode == code


@pytest.mark.parametrize(
    "words", ["score --run r1", "export --baseline r1", "explain a fine --run r1", "authority list"]
)
def test_a_broken_config_is_told_before_the_run_that_it_hides(tmp_path: Path, words: str) -> None:
    write_project(tmp_path, [{"name": "fine", "check": "return True"}])
    (tmp_path / "eval.yaml").write_text("name: [\n")
    done = command(tmp_path, *words.split())
    assert done.returncode == 2 and "eval.yaml:2:1 " in done.stderr
    assert "no run called" not in done.stderr


def test_a_name_cannot_begin_a_line_of_its_own(tmp_path: Path) -> None:
    name = "late\neval-tui: 0 errors"
    judges = [{"name": name, "check": "return False"}]
    write_project(
        tmp_path,
        judges,
        cases=(name,),
        thresholds={name: {"min_pass_rate": 1}},
        verdict={"critical_cases": [name]},
    )
    done = command(tmp_path, "score")
    assert done.returncode == 1 and "critical cases: 1 failed (late\ufffdeval-tui" in done.stderr
    lines = (done.stdout + done.stderr).splitlines()
    assert not any(line.startswith("eval-tui: 0 errors") for line in lines)


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are UTF-8")
def test_a_summary_says_which_cases_it_cannot_hold(tmp_path: Path) -> None:
    write_project(tmp_path, [{"name": "fine", "check": "return True"}], ("a", "b"))
    case_dir(tmp_path, "b").rename(case_dir(tmp_path, "bad\udcff"))
    done = command(tmp_path, "score", "--write-summary")
    assert done.returncode == 0
    assert "summary.yaml, without 1 case that UTF-8 cannot name" in done.stderr
