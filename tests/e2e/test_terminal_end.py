"""How the app ends in a real terminal: whatever ends it, the terminal is whole and nothing is left."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.support_terminal import (
    CTRL_C,
    EVAL_TUI,
    PATIENCE,
    environment,
    processes_of,
    terminal,
    until,
    wait_gone,
)
from tests.support.small import write_project

FINE = {"name": "fine", "check": "return True, 'all is well'"}
MIXED = {"name": "mixed", "check": "return 'of b' not in outputs['out_content'], 'looked at it'"}
HANG = {"name": "hang", "check": "while True: pass"}
CRASH = (
    "from eval_tui.tui.screens.grid import GridScreen\n"
    "def crash(self): raise RuntimeError('the handler broke')\n"
    "GridScreen.action_sort = crash\n"
    "from eval_tui.cli import main\n"
    "main(['.'])\n"
)
DRAWS_ON = (
    "from eval_tui.tui import run\n"
    "run.END_SECONDS = 1e6\n"
    "end = run.EvalApp.end\n"
    "def draw_first(app, code):\n"
    "    for _ in range(1000): app._driver.write('x' * 1000)\n"
    "    end(app, code)\n"
    "run.EvalApp.end = draw_first\n"
    "from eval_tui.cli import main\n"
    "main(['.'])\n"
)
"""The app, which draws much after its window was closed, and has nothing to save it from waiting."""

DRAWS_WITHOUT_END = (
    "from eval_tui.tui import run\n"
    "from eval_tui.tui.screens.grid import GridScreen\n"
    "run.END_SECONDS = 0.1\n"
    "def draw(self):\n"
    "    open('drawing', 'w').close()\n"
    "    while True: self.app._driver.write('x' * 1000)\n"
    "GridScreen.action_sort = draw\n"
    "from eval_tui.cli import main\n"
    "main(['.'])\n"
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_project(tmp_path / "p", [FINE, MIXED])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_everything_and_leaves_the_terminal_whole(
    tmp_path: Path, number: signal.Signals
) -> None:
    root = write_project(tmp_path / "p", [FINE, HANG])
    with terminal(root) as term:
        term.shows("running", "100% ")
        assert len(processes_of(root)) > 2
        term.kill(number)
        assert term.end() == 128 + number
        term.assert_whole()
        assert wait_gone(root) == {}


def test_a_closed_window_ends_everything(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE, HANG])
    with terminal(root) as term:
        term.shows("running", "100% ")
        term.hang_up()
        assert term.end() == 128 + signal.SIGHUP
        assert wait_gone(root) == {}


def test_what_is_drawn_after_the_window_was_closed_holds_nothing_up(small: Path) -> None:
    with terminal(small, argv=[sys.executable, "-c", DRAWS_ON]) as term:
        term.shows("67% 2/3")
        term.hang_up()
        assert term.end() == 128 + signal.SIGHUP
        assert wait_gone(small) == {}


def test_a_signal_ends_it_also_while_the_terminal_takes_nothing(small: Path) -> None:
    with terminal(small, argv=[sys.executable, "-c", DRAWS_WITHOUT_END]) as term:
        term.shows("67% 2/3")
        term.settled()
        term.press("s")
        until((small / "drawing").exists)
        term.kill(signal.SIGTERM)
        assert term.process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert wait_gone(small) == {}


def test_a_killed_app_leaves_no_process(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE, HANG])
    with terminal(root) as term:
        term.shows("running", "100% ")
        assert len(processes_of(root)) > 2
        term.kill(signal.SIGKILL)
        assert term.end() == -signal.SIGKILL
        assert wait_gone(root) == {}


def test_interrupting_once_cancels_and_twice_quits(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [FINE, HANG])
    with terminal(root, size=(100, 30)) as term:
        term.shows("running", "100% ")
        term.press(CTRL_C)
        term.shows("cells cancelled. ctrl+c again quits.", "100% ")
        term.says("waiting")
        term.settled()
        term.press(CTRL_C, CTRL_C)
        assert term.end() == 0
        term.assert_whole()
        assert wait_gone(root) == {}


def test_an_error_in_a_handler_is_a_crash_with_a_report(small: Path) -> None:
    with terminal(small, argv=[sys.executable, "-c", CRASH], size=(100, 30)) as term:
        term.shows("67% 2/3")
        term.settled()
        term.press("s")
        assert term.end() == 1
        term.assert_whole()
        term.shows("RuntimeError: the handler broke", "an error of its own")
        assert wait_gone(small) == {}


def test_a_dumb_terminal_is_told_what_to_use(small: Path) -> None:
    with terminal(small, TERM="dumb") as term:
        assert term.end() == 2
        assert b"\x1b" not in term.raw
        assert b"eval-tui score" in term.raw
        assert wait_gone(small) == {}


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_without_a_terminal_nothing_is_drawn(small: Path, term: str) -> None:
    done = subprocess.run(
        [EVAL_TUI],
        cwd=small,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(TERM=term),
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "eval-tui score" in done.stderr
    assert "\x1b" not in done.stderr
    assert wait_gone(small) == {}
