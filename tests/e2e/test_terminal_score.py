"""The commands without a screen, in pipes and on a terminal: documents, words and exit codes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support_terminal import (
    CTRL_C,
    EVAL_TUI,
    PATIENCE,
    environment,
    piped,
    terminal,
    wait_gone,
)
from tests.support.small import write_config, write_project

FINE = {"name": "fine", "check": "return True, 'all is well'"}
MIXED = {"name": "mixed", "check": "return 'of b' not in outputs['out_content'], 'looked at it'"}
ERRS = {"name": "errs", "check": "raise OSError('disk on fire')"}
UNLOADABLE = {"name": "broken", "check": "def ("}
ASKS = {"name": "asks", "prompt": "{{ conversation }}", "model": "some-model"}
HANG = {"name": "hang", "check": "open('started', 'w').close()\nwhile True: pass"}


def document(text: str) -> Mapping[str, Any]:
    """The JSON document: strict JSON and nothing beside it."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    made: Mapping[str, Any] = json.loads(text, parse_constant=refuse)
    assert made["schema"] == 1
    return made


def test_a_pipe_gets_the_document_and_nothing_else(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE, MIXED, ERRS])
    first = piped(root, "score", "--format", "json")
    made = document(first.stdout)
    assert first.returncode == 0, "errors without a threshold decide nothing"
    cells = made["cells"]
    assert cells["a"]["fine"]["value"] is True
    assert cells["a"]["fine"]["rationale"] == "all is well"
    assert cells["b"]["mixed"]["value"] is False
    assert cells["c"]["errs"]["reason"] == "grader_error"
    assert "disk on fire" in cells["c"]["errs"]["detail"]
    assert made["aggregates"]["mixed"]["pass_rate"] == pytest.approx(2 / 3)
    assert (made["ran"], made["calls"]) == (9, 0)
    assert "9 ran" in first.stderr
    again = piped(root, "score", "--format", "json")
    assert document(again.stdout)["ran"] == 0
    assert document(again.stdout)["cells"] == cells
    forced = piped(root, "score", "--format", "json", "--force")
    assert document(forced.stdout)["ran"] == 9
    table = piped(root, "score")
    assert {line.split()[0] for line in table.stdout.splitlines() if line} >= {"case", "a", "fine"}
    assert "ran" not in table.stdout.split("\n\n")[0]
    assert wait_gone(root) == {}


def test_the_document_goes_into_a_file_when_asked(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE])
    done = piped(root, "score", "--format", "json", "--output", "result.json")
    assert (done.returncode, done.stdout) == (0, "")
    assert document((root / "result.json").read_text())["cells"]["a"]["fine"]["value"] is True


def test_an_output_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE])
    done = piped(root, "score", "--output", "no/such/folder/result.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no/such/folder" in done.stderr


@pytest.mark.parametrize(
    ("judges", "thresholds", "words", "code"),
    [
        ([FINE, MIXED], {"mixed": {"min_pass_rate": 0.5}}, [], 0),
        ([FINE, MIXED], {"mixed": {"min_pass_rate": 0.9}}, [], 1),
        ([FINE, MIXED], {"mixed": {"min_pass_rate": 0.9}}, ["--judge", "fine"], 0),
        ([FINE, MIXED], {"mixed": {"min_pass_rate": 0.9}}, ["--case", "b"], 0),
        ([FINE, ERRS], {"errs": {"min_pass_rate": 0.5}}, [], 3),
        ([FINE, ASKS], {"asks": {"min_mean": 3}}, [], 3),
        ([MIXED, ERRS], {"mixed": {"min_pass_rate": 0.9}, "errs": {"min_mean": 1}}, [], 1),
        ([FINE, UNLOADABLE], {}, [], 0),
        ([FINE, UNLOADABLE], {"broken": {"min_pass_rate": 0.5}}, [], 2),
        ([FINE, UNLOADABLE], {}, ["--judge", "broken"], 2),
        ([UNLOADABLE], {}, [], 2),
        ([FINE], {}, ["--judge", "nobody"], 4),
        ([FINE], {}, ["--case", "nowhere"], 4),
        ([FINE], {}, ["--run", "nowhere"], 2),
        ([FINE], {}, ["--eval", "nowhere"], 2),
        ([FINE], {}, ["no-such-folder"], 2),
        ([FINE], {}, ["--no-such-option"], 2),
    ],
)
def test_exit_codes(
    tmp_path: Path,
    judges: list[dict[str, Any]],
    thresholds: dict[str, Any],
    words: list[str],
    code: int,
) -> None:
    root = write_project(tmp_path / "p", judges, thresholds=thresholds)
    done = piped(root, "score", "--format", "json", *words)
    assert done.returncode == code, done.stderr
    if done.stdout:
        document(done.stdout)
    if code:
        assert done.stderr.strip(), "the reason is told"


def test_a_config_that_is_not_yaml_is_unusable_and_names_the_place(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE])
    (root / "eval.yaml").write_text("name: x\njudges: [\n  - '\n")
    for command in ("score", "check"):
        done = piped(root, command)
        assert done.returncode == 2
        assert "eval.yaml:" in done.stdout + done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_keeps_what_is_finished(tmp_path: Path, number: signal.Signals) -> None:
    root = write_project(tmp_path / "p", [FINE, HANG], ["a"])
    with subprocess.Popen(
        [EVAL_TUI, "score", "--format", "json"],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        end = time.monotonic() + PATIENCE
        while not (root / "started").exists():
            assert time.monotonic() < end, "the judge never started"
            select.select([], [], [], 0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 128 + number
    made = document(out)
    assert made["cells"]["a"]["fine"]["value"] is True
    assert made["cells"]["a"]["hang"]["waiting"] == "cancelled"
    assert "interrupted" in err
    assert wait_gone(root) == {}


def test_on_a_terminal_a_bar_shows_the_progress_and_is_wiped(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE, HANG], ["a"])
    with terminal(root, argv=[EVAL_TUI, "score"]) as term:
        term.shows("1 of 2 cells", "50%")
        term.press(CTRL_C)
        assert term.end() == 130
        assert "of 2 cells" not in term.text
        term.shows("interrupted", "fine")
        assert wait_gone(root) == {}


@pytest.mark.parametrize(
    "words", [["score", "--format", "json"], ["score"], ["check"], ["explain", "a", "fine"]]
)
def test_a_closed_pipe_is_no_failed_gate(tmp_path: Path, words: list[str]) -> None:
    root = write_project(tmp_path / "p", [FINE])
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [EVAL_TUI, *words],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        check=False,
    )
    os.close(writer)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr
    assert wait_gone(root) == {}


def test_a_case_that_did_not_run_selects_nothing(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE], ["a"])
    (root / "data" / "later").mkdir()
    done = piped(root, "score", "--format", "json", "--case", "later")
    assert (done.returncode, done.stdout) == (4, "")
    assert "'later'" in done.stderr
    both = piped(root, "score", "--format", "json", "--case", "later", "--case", "a")
    assert both.returncode == 0
    assert document(both.stdout)["cells"]["a"]["fine"]["value"] is True


def test_a_document_in_a_file_is_replaced_whole(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE], ["a"])
    real, link = root / "real.json", root / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real.name)
    before = real.stat().st_ino
    assert piped(root, "score", "--format", "json", "--output", str(link)).returncode == 0
    document(real.read_text())
    assert link.is_symlink()
    assert real.stat().st_ino != before, "it was written beside and renamed"
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in root.glob("*.json*")) == ["link.json", "real.json"]
    done = piped(root, "score", "--output", str(root / "nowhere" / "x.json"))
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert piped(root, "score", "--output", "/dev/null").returncode == 0


def test_check_lists_what_is_there_and_what_is_wrong(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE])
    done = piped(root, "check")
    assert done.returncode == 0
    for words in (str(root), "small", "3 cases", "1, the newest is r1", "interpreter"):
        assert words in done.stdout
    write_config(root, [FINE, UNLOADABLE, {"name": "lost", "module": "nowhere", "function": "f"}])
    done = piped(root, "check")
    assert done.returncode == 2
    assert "broken" in done.stdout
    assert "nowhere" in done.stdout
    assert "eval.yaml:" in done.stdout


def test_explain_says_what_a_cell_rests_on(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE, MIXED, ERRS])
    done = piped(root, "explain", "b", "mixed")
    assert done.returncode == 0
    for words in ("False", "failed", "looked at it", "read      out_content", "ran"):
        assert words in done.stdout
    done = piped(root, "explain", "b", "errs")
    assert "disk on fire" in done.stdout
    assert "grader_error" in done.stdout
    done = piped(root, "explain", "b", "nobody")
    assert (done.returncode, done.stdout) == (4, "")
    assert "nobody" in done.stderr


def test_looking_only_scores_from_what_is_recorded(tmp_path: Path) -> None:
    judge = {"name": "j", "check": "open('ran', 'w').close()\nreturn False"}
    summary = {"per_case": {"a": {"j": {"value": True, "rationale": "recorded"}}}}
    root = write_project(tmp_path / "p", [judge], ["a"], summary=summary)
    done = piped(root, "score", "--format", "json", "--view")
    cell = document(done.stdout)["cells"]["a"]["j"]
    assert (cell["value"], cell["recorded"]) == (True, True)
    for words in (["check", "--view"], ["explain", "a", "j", "--view"]):
        assert piped(root, *words).returncode == 0
    assert not (root / "ran").exists()
