"""The app in a real terminal while files change under it and judges misbehave."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.support_terminal import DOWN, ENTER, ESC, LEFT, RIGHT, UP, Terminal, terminal
from tests.support.shared import shared_dir
from tests.support.small import case_dir, run_dir, write_case, write_config, write_project

LENGTH = {"name": "length", "check": "return len(outputs['out_content'])"}
FINE = {"name": "fine", "check": "return True, 'all is well'"}


def replace(path: Path, old: str, new: str) -> None:
    """An edit as editors save it: a new file in the place of the old one."""
    text = path.read_text("utf-8")
    assert old in text
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text.replace(old, new, 1), "utf-8")
    os.replace(fresh, path)


def test_an_edit_in_the_other_window_changes_its_column(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    shutil.copytree(shared_dir("corpus", "projects", "wiki-ingest"), root)
    for path in [root, *root.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    config = root / "eval.yaml"
    with terminal(root, size=(120, 40)) as term:
        term.says("25 cells ran")
        term.settled()
        term.press(DOWN)
        replace(config, 'return (True, "Content is concise', 'return (False, "Content is')
        term.shows("20% 1/5")
        term.says("eval.yaml", "5 cells ran")
        assert term.cursor_row.startswith("ingest-duplicate"), "the cursor holds still"
        replace(config, "judges:\n", "judges: [\n")
        term.shows("eval.yaml:64:3 not valid YAML", "the last good one stays")
        assert "budget_" in term.text, "the last good grid stays"
        replace(config, "judges: [\n", "judges:\n")
        term.hides("not valid YAML")
        replace(config, 'return (False, "Content is', 'return (True, "Content is concise')
        term.says("eval.yaml", "5 still valid")


def test_a_new_output_a_new_judge_and_a_new_run_show_up(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [LENGTH], ["a", "b"])
    with terminal(root, size=(100, 30)) as term:
        term.shows("10 mean 2/2")
        term.settled()
        (case_dir(root, "b") / "out" / "page.md").write_text("four")
        term.shows("7 mean 2/2")
        term.says("b/out/page.md", "1 cell ran")
        write_config(root, [LENGTH, FINE])
        term.shows("100% 2/2")
        term.says("eval.yaml", "2 cells ran")
        write_case(root, "a", run="r2", text="a new run")
        (run_dir(root, "r2") / "run_result.json").write_text('{"start_time": 4000000000}')
        term.shows("run r2", "1 of 2 cases ran, 1 not run", "15 mean 1/1")


HANG = {"name": "hang", "check": "while True: pass"}
GONE = {"name": "gone", "check": "import os\nos._exit(3)"}
LOUD = {
    "name": "loud",
    "check": "print('first words')\nfor _ in range(50):\n    print('x' * 1_000_000)\n"
    "print('last words')\nreturn 3, 'was loud'",
}


def test_judges_that_misbehave_while_keys_are_answered(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE, HANG, GONE, LOUD], ["a", "b"])
    with terminal(root, "--judge-timeout", "2", size=(100, 30)) as term:
        term.shows("running", "100% ")
        term.press(DOWN, RIGHT)
        term.wait(lambda: term.cursor_row.startswith("b"), "the cursor to move")
        term.shows("b · hang")
        assert "running" in term.text, "answered before the time limit ended anything"
        term.press("?")
        term.shows("Leave the app.")
        term.press(ESC)
        term.shows("100% 2/2", "3 mean 2/2", "∅ error")
        term.settled()
        assert "x" * 50 not in term.text, "what judges print stays off the screen"
        term.shows("b · hang", "ran past its limit of 2 s")
        term.press(RIGHT)
        term.shows("b · gone", "exited with code 3")
        term.press(RIGHT)
        term.shows("b · loud", "was loud")
        term.press(ENTER, "6")
        term.shows("What it printed", "first words")
        term.press("G")
        term.shows("last words")
        term.press("q")
        term.shows("100% 2/2")
        term.press(LEFT, UP)
        term.shows("a · gone")
        write_config(root, [FINE, {**HANG, "check": "return True"}, GONE, LOUD])
        term.wait(lambda: term.text.count("100% 2/2") == 2, "the mended judge to be measured")
        term.press("q")
        assert term.end() == 0
        term.assert_whole()


def shown_cases(term: Terminal) -> list[str]:
    """The cases whose rows are in view."""
    rows = [line for line in term.lines if line[1:].startswith("case-") and "·" not in line]
    return [row[1:].split()[0] for row in rows]


def test_the_reader_is_not_moved_while_results_arrive(tmp_path: Path) -> None:
    """S26"""
    cases = [f"case-{n:02}" for n in range(40)]
    root = write_project(tmp_path / "p", [LENGTH], cases)
    with terminal(root, size=(100, 24)) as term:
        term.shows("16 mean 40/40")
        term.settled()
        term.press("G")
        term.wait(lambda: term.cursor_row.startswith("case-39"), "the last row")
        rows = shown_cases(term)
        for name in cases[::2]:
            (case_dir(root, name) / "out" / "page.md").write_text("12345")
        term.shows("10.5 mean 40/40")
        term.settled()
        assert shown_cases(term) == rows
        assert term.cursor_row.startswith("case-39")


@pytest.mark.parametrize("key", ["p", "z"])
def test_pause_and_freeze_hold_the_grid(tmp_path: Path, key: str) -> None:
    root = write_project(tmp_path / "p", [LENGTH], ["a"])
    with terminal(root, size=(100, 30)) as term:
        term.shows("10 mean 1/1")
        term.settled()
        term.press(key)
        term.shows("PAUSED" if key == "p" else "FROZEN")
        (case_dir(root, "a") / "out" / "page.md").write_text("four")
        if key == "p":
            term.shows("10=", "waiting, as work is paused", "a/out/page.md")
        else:
            term.shows("FROZEN, 1 changed", "10 mean 1/1")
        term.press(key)
        term.shows("4 mean 1/1")


def test_an_empty_folder_waits_for_an_eval(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    with terminal(root, size=(100, 30)) as term:
        term.shows("No eval config yet")
        for key in ("r", "a", "f", "n", "s", "v", " ", "x", "e", "[", "t", "$", "j", "G", ENTER):
            term.press(key)
        for key, headline in (("m", "Runs"), ("P", "Problems"), ("E", "Evals of this project")):
            term.press(key)
            term.wait(lambda words=headline: term.lines[0].startswith(f" {words}"), headline)
            term.press("q")
            term.shows("No eval config yet")
        write_project(root, [FINE])
        term.shows("100% 3/3")
        term.press("q")
        assert term.end() == 0
        term.assert_whole()
