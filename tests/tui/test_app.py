"""The app as a process on a real terminal: how it begins, how it ends, what it leaves behind."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from textual._styles_cache import StylesCache

from eval_tui.tui.app import EvalApp
from eval_tui.tui.crash import crash_report, masked
from eval_tui.tui.host import say
from tests.tui.fake import sample_driver
from tests.tui.hostile import acts
from tests.tui.seeing import drained, running, screen_text, sees, until

ROOT = Path(__file__).resolve().parents[2]
SECRET = "sk-very-secret-value"
ALTERNATE_SCREEN = ("\x1b[?1049h", "\x1b[?1049l")


class Terminal:
    """The app in a terminal of 130 x 50."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        env = {**inherited, "TERM": "xterm-256color", "SOME_API_KEY": SECRET, **environment}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "tests.tui.on_terminal", *arguments],
            cwd=str(ROOT),
            env=env,  # type: ignore[arg-type]
            dimensions=(50, 130),
            encoding="utf-8",
            timeout=30,
        )
        self.written = ""

    def expect(self, text: str) -> None:
        self.child.expect_exact(text)
        self.written += str(self.child.before) + str(self.child.after)

    def end(self) -> int:
        """Wait for the end; the exit code."""
        self.child.expect(pexpect.EOF)
        self.written += str(self.child.before)
        self.child.close()
        assert self.child.exitstatus is not None, f"killed by {self.child.signalstatus}"
        return self.child.exitstatus


def left_whole(terminal: Terminal) -> bool:
    """Whether the terminal is as it was: its own screen, its cursor, no mouse reports."""
    written = terminal.written
    return all(
        written.rfind(off) > written.rfind(on)
        for on, off in (
            ALTERNATE_SCREEN,
            ("\x1b[?25l", "\x1b[?25h"),
            ("\x1b[?1000h", "\x1b[?1000l"),
        )
    )


def test_leaving_is_a_success_and_leaves_the_terminal_whole():
    terminal = Terminal()
    terminal.expect("budget_check")
    terminal.child.send("q")
    assert terminal.end() == 0
    assert left_whole(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_whole(number: signal.Signals):
    terminal = Terminal()
    terminal.expect("budget_check")
    terminal.child.kill(number)
    assert terminal.end() == 128 + number
    assert left_whole(terminal)


def test_an_error_in_a_handler_is_a_crash_that_names_no_secret():
    terminal = Terminal("crash")
    terminal.expect("budget_check")
    terminal.child.send("s")
    assert terminal.end() == 1
    assert left_whole(terminal)
    report = terminal.written[terminal.written.rindex(ALTERNATE_SCREEN[1]) :]
    assert "RuntimeError: ␛]0;title␇[/] <SOME_API_KEY>" in re.sub(r"\s*\r\n", " ", report)
    assert SECRET not in terminal.written


def test_an_engine_that_does_not_start_is_a_crash():
    terminal = Terminal("broken")
    assert terminal.end() == 1
    assert left_whole(terminal)
    assert "OSError: no worker" in terminal.written
    assert "broken_start" in terminal.written, "where it happened"
    assert SECRET not in terminal.written


def test_no_control_byte_of_outside_text_reaches_the_terminal():
    terminal = Terminal("hostile")
    terminal.expect("combining")
    terminal.child.send("q")
    assert terminal.end() == 0
    written = re.sub("\x1b]22;[a-z]+\x07", "", terminal.written)  # the shape of the pointer
    for sent in ("\x1b]52;", "\x1b]8;;http", "\x9b", "\x07", "\u202e", "\x1b[31mred"):
        assert sent not in written
    assert "␛]52;c;aGk=␇" in terminal.written


def test_without_colour_everything_is_still_there():
    terminal = Terminal(NO_COLOR="1")
    terminal.expect("wiki")
    terminal.expect("∅ error")
    terminal.child.send("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("case", ["no terminal", "dumb"])
def test_without_a_terminal_nothing_is_drawn(case: str):
    if case == "dumb":
        terminal = Terminal(TERM="dumb")
        code, written = terminal.end(), terminal.written
    else:
        done = subprocess.run(
            [sys.executable, "-m", "tests.tui.on_terminal"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        code, written = done.returncode, done.stderr
        assert not done.stdout
    assert code == 2
    assert "eval-tui score" in written
    assert "\x1b" not in written


def test_values_of_secret_variables_are_masked():
    environment = {"MY_TOKEN": "abcdefghijk", "SHELL": "/bin/bash", "A_KEY": "short"}
    assert masked("x abcdefghijk /bin/bash short", environment) == "x <MY_TOKEN> /bin/bash short"
    assert not acts(crash_report("Traceback\n\x1b[31m\x07"))


# Inside


async def test_the_driver_starts_after_the_first_paint():
    driver = sample_driver()
    async with running(driver) as (pilot, _):
        await drained(pilot, driver)
        assert driver.started == 1


async def test_interrupting_twice_within_two_seconds_quits():
    now = 0.0
    driver = sample_driver()
    app = EvalApp(driver, clock=lambda: now)
    async with app.run_test() as pilot:
        await pilot.press("ctrl+c")
        now = 3.0
        await pilot.press("ctrl+c")
        assert not app._exit, "the second came too late"
        now = 4.0
        await pilot.press("ctrl+c")
        assert app._exit
    assert driver.calls == [("cancel", None), ("cancel", None)]


def drawings() -> int:
    """How many widgets' drawings are kept."""
    gc.collect()
    return sum(isinstance(thing, StylesCache) for thing in gc.get_objects())


async def test_a_notice_takes_the_place_of_the_one_before_and_of_all_that_was_made_for_it():
    async with running(sample_driver()) as (pilot, _):
        widgets, drawn = len(pilot.app.screen.query("*")), drawings()
        for number in range(6):
            say(pilot.app, f"notice {number}")
            await sees(pilot, f"notice {number}")
        await until(pilot, lambda: "notice 4" not in screen_text(pilot.app), "one at a time")
        # A toast and what holds it, and the same of the one before while it goes.
        await until(pilot, lambda: len(pilot.app.screen.query("*")) <= widgets + 2, "all gone")
        await until(pilot, lambda: drawings() <= drawn + 4, "nothing kept")


async def test_themes_are_read_anew_when_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "eval-tui" / "themes"
    folder.mkdir(parents=True)
    mine = folder / "mine.yaml"
    text = "name: mine\nprimary: '#123456'\nforeground: white\nbackground: '#010203'\n"
    mine.write_text(text)
    app = EvalApp(sample_driver(), theme="mine")
    async with app.run_test() as pilot:
        assert app.screen.styles.background.hex == "#010203"
        mine.write_text(text.replace("#010203", "#0A0B0C11"[:7]))
        await until(pilot, lambda: app.screen.styles.background.hex == "#0A0B0C")
        mine.write_text(text.replace("'#123456'", "nonsense"))
        await until(pilot, lambda: bool(app._notifications))
        assert app.screen.styles.background.hex == "#0A0B0C", "the last good one stays"


async def test_an_unknown_theme_is_said_and_the_default_used():
    app = EvalApp(sample_driver(), theme="nope")
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: "there is no theme nope" in screen_text(app))
        assert app.theme == "dark"


async def test_an_end_that_comes_while_the_app_is_being_put_together_is_no_error():
    app = EvalApp(sample_driver())
    app.end(128 + signal.SIGTERM)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.return_code is not None, "the end")
    assert app.return_code == 128 + signal.SIGTERM
