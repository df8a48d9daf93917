"""The app in a real terminal: what a person sees and does, and how it ends."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.support_terminal import (
    BACKSPACE,
    CTRL_P,
    CTRL_R,
    DOWN,
    ENTER,
    ESC,
    EVAL_TUI,
    RIGHT,
    UP,
    Terminal,
    environment,
    processes_of,
    terminal,
    wait_gone,
)
from tests.support.shared import shared_dir
from tests.support.small import write_case, write_project

RUNS = "eval/runs"
RUN = "2026-07-09-sonnet-v1"
OLDER = "2026-07-08-older"

FINE = {"name": "fine", "check": "return True, 'all is well'"}
MIXED = {"name": "mixed", "check": "return 'of b' not in outputs['out_content'], 'looked at it'"}


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    """A real project with two runs; the older one is the newer one without its summary."""
    root = tmp_path / "wiki"
    shutil.copytree(shared_dir("corpus", "projects", "wiki-ingest"), root)
    for path in [root, *root.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    older = root / RUNS / OLDER
    shutil.copytree(root / RUNS / RUN, older)
    (older / "summary.yaml").unlink()
    for started, run in enumerate((OLDER, RUN), start=1_700_000_000):
        result = root / RUNS / run / "run_result.json"
        told = json.loads(result.read_text("utf-8"))
        result.write_text(json.dumps({**told, "start_time": started}), "utf-8")
    shutil.rmtree(older / "cases" / "ingest-raw-text")
    return root


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_project(tmp_path / "p", [FINE, MIXED])


def leave(term: Terminal, root: Path) -> None:
    """`q` in the grid: everything is as it was."""
    term.press("q")
    assert term.end() == 0
    term.assert_whole()
    assert wait_gone(root) == {}


def test_a_real_project_from_opening_to_leaving(wiki: Path) -> None:
    with terminal(wiki, size=(200, 50)) as term:
        term.shows("second-brain-wiki-eval", RUN, "5 of 7 cases ran, 2 not run")
        term.shows("4.2 mean 5/5", "100% 5/5", "not run")
        term.says("25 cells ran")
        term.settled()
        assert processes_of(wiki), "the test would not see a process that is left"
        # Move: the preview follows.
        term.press(DOWN, RIGHT, "l")
        term.cursor_at("ingest-duplicate-detection")
        term.shows("ingest-duplicate-detection · cross_linking_quality")
        # Drill in, and read what there is.
        term.press(ENTER)
        term.shows("1 reason  2 trace  3 files  4 inputs  5 logs  6 why", "passed")
        for key, words in (
            ("2", "wiki-page-template.md"),
            ("3", "tool_handlers.yaml"),
            ("4", "Vector Similarity Search"),
            ("5", "cost_usd: 0.29"),
            ("6", "What it read"),
        ):
            term.press(key)
            term.shows(words)
        term.press(ESC)
        term.shows("100% 5/5", "ingest-slack-thread")
        term.cursor_at("ingest-duplicate-detection")
        # Filter, and let it go again.
        term.press("/")
        term.shows("unmeasured:evidence")
        term.press("slack")
        term.hides("ingest-raw-text")
        term.press(ENTER, ESC)
        term.shows("ingest-raw-text", "ingest-slack-thread")
        # Failures only: there are none.
        term.press("f")
        term.shows("No failures here.")
        term.press("r")
        term.shows("1 cell queued.")
        term.says("rerun", "1 cell")
        term.settled()
        leave(term, wiki)


def test_another_run_is_opened_by_key_and_from_the_list(wiki: Path) -> None:
    with terminal(wiki, size=(120, 40)) as term:
        term.shows(RUN, "newest, followed", "5 of 7 cases ran")
        term.settled()
        term.press("[")
        term.shows(OLDER, "4 of 7 cases ran, 3 not run")
        term.press("[")
        term.shows("There is no older run.")
        term.press("]")
        term.shows(RUN, "5 of 7 cases ran, 2 not run")
        term.press("m")
        term.shows("Runs", OLDER, RUN)
        term.press(DOWN, ENTER)
        term.shows(OLDER, "4 of 7 cases ran, 3 not run")
        term.settled()
        leave(term, wiki)


def test_every_size_is_drawn_and_drawn_back(wiki: Path) -> None:
    with terminal(wiki, size=(200, 50)) as term:
        term.says("25 cells ran")
        term.shows("4.2 mean 5/5", "context-retrieval · budget_check")
        term.hides("5/5*")  # the aggregates follow the cells
        term.press(ENTER)  # the first hint goes once something was opened
        term.shows("1 reason  2 trace")
        term.press(ESC)
        term.shows("4.2 mean 5/5", "q quit", "agent $", "watching")  # the lowest lines come last
        before = term.lines
        term.press(DOWN, DOWN)
        term.cursor_at("ingest-meeting-notes")
        for columns, rows in ((80, 24), (40, 10)):
            term.resize(columns, rows)
            term.wait(lambda n=rows: term.lines[n - 2 :] != before[n - 2 : n], "a new picture")
            term.wait(lambda: term.cursor_row.startswith("ingest-me"), "the cursor in view")
            term.says("watching")
        for columns, rows in ((12, 4), (1, 1)):  # nothing to see, and nothing breaks
            term.resize(columns, rows)
            term.press(UP, DOWN)
        term.resize(40, 10)
        term.wait(lambda: term.cursor_row.startswith("ingest-me"), "the cursor in view")
        term.press(ENTER)
        term.shows("reason", "passed")
        term.resize(200, 50)
        term.shows("1 reason  2 trace", "run " + RUN)
        term.press(ESC)
        term.shows("4.2 mean 5/5")
        term.press("g")
        term.cursor_at("context-retrieval")
        term.wait(lambda: term.lines == before, "the picture of before")
        leave(term, wiki)


def test_failures_filter_marks_and_lists(small: Path) -> None:
    with terminal(small, size=(100, 30)) as term:
        term.shows("67% 2/3")
        term.settled()
        term.press("n")
        term.cursor_at("b")
        term.shows("b · mixed", "looked at it")
        term.press("f")
        term.wait(
            lambda: not any(line.startswith((" a ", " c ")) for line in term.lines), "b alone"
        )
        term.cursor_at("b")
        term.press("f")
        term.wait(lambda: any(line.startswith(" c ") for line in term.lines), "all again")
        term.press("/")
        term.shows("unmeasured:evidence")
        term.press("zz", BACKSPACE, BACKSPACE, "case:a")  # in one go, as over a slow line
        term.shows("1 of 3")
        term.cursor_at("a")
        term.press(ENTER)
        term.cursor_at("a")
        term.press(ESC)
        term.wait(lambda: any(line.startswith(" c ") for line in term.lines), "all again")
        term.press(CTRL_P)
        term.shows("Rerun row (R)")
        term.press("pau")
        term.wait(lambda: "Stop starting work" in term.text and "Rerun row" not in term.text)
        term.press(ENTER)
        term.shows("PAUSED")
        term.press("p")
        term.hides("PAUSED")
        term.press("P")
        term.shows("Nothing is wrong with the files of this project.")
        term.press("q")
        term.shows("67% 2/3")
        term.press("?")
        term.shows("The grid", "Leave the app.")
        term.press("q")
        term.hides("Leave the app.")
        leave(term, small)


def test_every_way_to_rerun_really_runs(tmp_path: Path) -> None:
    """S25"""
    log = tmp_path / "log"
    check = f"with open({str(log)!r}, 'a') as log:\n    log.write('x')\nreturn False"
    root = write_project(tmp_path / "p", [{"name": "counting", "check": check}], ["a"])
    with terminal(root, size=(100, 30)) as term:
        term.shows("0% 0/1")
        term.settled()
        for key in ("r", CTRL_R, "R", "C", "F", "a"):
            before = len(log.read_text())
            term.press(key)
            term.wait(lambda n=before: len(log.read_text()) > n, f"{key!r} to run it")
            term.settled()
        leave(term, root)


def test_the_mouse_chooses_and_opens_a_cell(small: Path) -> None:
    with terminal(small, size=(100, 30)) as term:
        term.shows("67% 2/3", "a · fine")
        row = next(n for n, line in enumerate(term.lines, 1) if line.startswith(" b "))
        column = term.lines[row - 1].index("✗") + 1
        click = f"\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m"
        term.press(click)
        term.cursor_at("b")
        term.shows("b · mixed")
        leave(term, small)
    with terminal(small, "--no-mouse", size=(100, 30)) as term:
        term.shows("67% 2/3", "b · mixed")  # where it was left
        assert b"\x1b[?1000h" not in term.raw
        leave(term, small)


def test_an_editor_gets_the_terminal_and_gives_it_back(small: Path, tmp_path: Path) -> None:
    editor, told = tmp_path / "editor", tmp_path / "told"
    editor.write_text(
        f'#!/bin/sh\necho "$@" > {told}\necho IN THE EDITOR\nread answer\necho "$answer" >> {told}\n'
    )
    editor.chmod(0o755)
    with terminal(small, size=(100, 30), EDITOR=str(editor), VISUAL="") as term:
        term.shows("67% 2/3", "a · fine")
        term.press("e")
        term.shows("IN THE EDITOR")
        term.press("typed there\r")
        term.wait(lambda: told.read_text().endswith("typed there\n"), "keys to reach the editor")
        assert str(small / "eval.yaml") in told.read_text()
        term.hides("IN THE EDITOR")
        term.shows("67% 2/3", "a · fine")
        term.press(DOWN)
        term.cursor_at("b")
        leave(term, small)


LINES = set("─│▁▂▃▄▅▆▇█▔▍▎▏╭╮╰╯▌")
"""Lines, corners and bars of the frames, which `--ascii` leaves."""
ASCII = {chr(code) for code in range(128)}


def test_plain_marks_without_colour_are_readable(tmp_path: Path) -> None:
    judges = [
        FINE,
        MIXED,
        {"name": "number", "check": "return 0.25"},
        {"name": "broken", "check": "raise OSError('disk')"},
        {"name": "skipped", "check": "return True", "if": "False"},
        {"name": "odd", "check": "return 'text'"},
    ]
    root = write_project(tmp_path / "p", judges, thresholds={"mixed": {"min_pass_rate": 0.9}})
    (root / "data" / "later").mkdir()
    (root / "data" / "later" / "input.yaml").write_text("prompt: x\n")
    with terminal(root, "--ascii", NO_COLOR="1") as term:
        seen: list[str] = []

        def look(*parts: str) -> None:
            term.shows(*parts)
            seen.extend(term.lines)

        look("67% 2/3", "? error", "not run", "0.25")
        term.press(DOWN, RIGHT)
        look("b - mixed", "failed")
        term.press("?")
        look("Leave the app.")
        term.press(ESC)
        term.press_when_hidden("Leave the app.", ENTER)
        look("1 reason", "looked at it")
        for key, words in (("2", "I wrote b."), ("3", "page.md"), ("6", "What it read")):
            term.press(key)
            look(words)
        term.press("q")
        look("67% 2/3")
        term.press("P")
        look("Problems")
        term.press("q")
        term.press_when_hidden("Problems", "m")
        look("Runs", "r1")
        term.press("q")
        term.press_when_hidden("Runs", CTRL_P)
        look("Rerun row")
        term.press(ESC)
        term.hides("Rerun row")
        leave(term, root)
    strange = [line for line in seen if not line.isascii() and set(line) - ASCII - LINES]
    assert strange == []
    for colour in re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", term.raw):
        assert len(set(colour)) == 1, "a shade of grey"
    named = re.findall(rb"\x1b\[(?:\d+;)*(?:3[1-6]|4[1-6]|9[1-6]|10[1-6])(?:;\d+)*m", term.raw)
    assert [code for code in named if b"8;5;" not in code and b"8;2;" not in code] == []


def test_looking_only_runs_nothing(tmp_path: Path) -> None:
    check = "import pathlib\npathlib.Path('ran').write_text('x')\nreturn False"
    judges = [{"name": "j", "check": check}]
    row = {"j": {"value": True, "rationale": "as it was recorded"}}
    summary = {"per_case": {"a": row, "b": row}}
    root = write_project(tmp_path / "p", judges, ["a", "b"], summary=summary)
    with terminal(root, "--view", size=(100, 30)) as term:
        term.shows("100% 2/2", "as it was recorded", "✓ʳ")
        assert len(processes_of(root)) == 1, "no worker is started"
        term.press("r")
        term.shows("Nothing to run there.")
        term.press("a", "F", "C", "R")
        term.press(ENTER)
        term.shows("1 reason", "as it was recorded")
        term.press("2")
        term.shows("I wrote a.")
        term.press("3")
        term.shows("page.md")
        term.press("4", "5", "6", "r", CTRL_R, ESC)
        term.shows("100% 2/2")
        write_case(root, "b", text="changed")
        term.press("j")
        term.cursor_at("b")
        leave(term, root)
    assert not (root / "ran").exists()


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_in_tmux(small: Path, tmp_path: Path) -> None:
    """The same in a terminal that answers the app's questions about it."""
    socket = str(tmp_path / "tmux")

    def tmux(*words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", socket, "-f", "/dev/null", *words],
            capture_output=True,
            text=True,
            cwd=small,
            env=environment(),
            check=True,
        )
        return done.stdout

    with terminal(
        small,
        size=(80, 24),
        argv=["tmux", "-S", socket, "-f", "/dev/null", "new-session", "sh"],
    ) as term:
        try:
            term.wait(lambda: "[0]" in term.text, "tmux")
            term.press(f"echo be''fore; {EVAL_TUI}; echo code=$?\r")
            term.shows("67% 2/3", "small")
            term.settled()
            term.press("j")
            term.shows("b · fine")
            term.resize(60, 15)
            term.wait(lambda: "67%" in term.text and len(term.lines) == 15, "the smaller picture")
            term.press("q")
            term.shows("before", "code=0")
            shown = tmux("capture-pane", "-p")
            assert "67%" not in shown
            assert "before" in shown
            flags = "#{alternate_on} #{cursor_flag} #{mouse_any_flag}"
            assert tmux("display-message", "-p", flags).split() == ["0", "1", "0"]
        finally:
            tmux("kill-server")
    assert wait_gone(small) == {}
