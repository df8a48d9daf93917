"""The product in a real terminal: a pseudo-terminal, its screen, and every byte it was sent.

Nothing here pauses: whoever waits, waits for the screen to show something, for a process to end
or for the processes of a project to be gone, with PATIENCE as the time after which a test fails.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte

PATIENCE = 30.0
"""Seconds after which a test that waits for something fails; never a pause."""

EVAL_TUI = str(Path(sys.executable).with_name("eval-tui"))

ENTER, ESC, PAGE_DOWN = "\r", "\x1b", "\x1b[6~"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
CTRL_C, CTRL_P, CTRL_R, BACKSPACE = "\x03", "\x10", "\x12", "\x7f"

# The emulator does not know the keyboard protocol that begins with `CSI <`.
_UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[a-z]")

_AT_A_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Becomes the command that follows, with standard input as its controlling terminal."""

MODES = {
    "alternate screen": (b"\x1b[?1049h", b"\x1b[?1049l"),
    "hidden cursor": (b"\x1b[?25l", b"\x1b[?25h"),
    "mouse clicks": (b"\x1b[?1000h", b"\x1b[?1000l"),
    "mouse moves": (b"\x1b[?1003h", b"\x1b[?1003l"),
    "mouse in long form": (b"\x1b[?1006h", b"\x1b[?1006l"),
    "bracketed paste": (b"\x1b[?2004h", b"\x1b[?2004l"),
    "focus reports": (b"\x1b[?1004h", b"\x1b[?1004l"),
}
"""What an app switches on in a terminal and has to switch off again: name -> (on, off)."""


def piped(root: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """`eval-tui` with everything piped and no key; nothing of it stays behind."""
    done = subprocess.run(
        [EVAL_TUI, *words],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(ANTHROPIC_API_KEY="", **env),
        check=False,
        timeout=PATIENCE,
    )
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    return done


def environment(**more: str) -> dict[str, str]:
    """The environment of a person at a terminal, whatever the tests themselves run in."""
    ours = ("NO_COLOR", "COLORTERM", "EDITOR", "COLUMNS", "LINES", "TMUX")
    env = {name: value for name, value in os.environ.items() if name not in ours}
    env |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    return {**env, **more}


class Terminal:
    """A process with a pseudo-terminal of its own as its controlling terminal."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: Path,
        size: tuple[int, int] = (80, 24),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.raw = bytearray()
        """Every byte that was written to the terminal."""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0
        self._master, self._slave = pty.openpty()
        os.set_blocking(self._master, False)
        self._set_size(size)
        self.attributes = termios.tcgetattr(self._slave)
        """The terminal's settings before the process began."""
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", _AT_A_TERMINAL, *argv],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            cwd=cwd,
            env=dict(env) if env is not None else environment(),
            start_new_session=True,
        )

    def _set_size(self, size: tuple[int, int]) -> None:
        columns, rows = size
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # What it shows

    @property
    def lines(self) -> list[str]:
        """The screen, line by line, without trailing blanks."""
        # The second half of a wide character is an empty cell.
        buffer, columns = self._screen.buffer, range(self._screen.columns)
        rows = range(self._screen.lines)
        return ["".join(buffer[y][x].data for x in columns).rstrip() for y in rows]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    def line(self, part: str) -> str:
        """The first line that holds `part`, or nothing."""
        return next((line for line in self.lines if part in line), "")

    def _read(self, wait_s: float) -> bool:
        """Take in what was written; False when nothing came in time."""
        if self._master < 0:
            select.select([], [], [], wait_s)
            return False
        if not select.select([self._master], [], [], max(0.0, wait_s))[0]:
            return False
        try:
            got = os.read(self._master, 1 << 16)
        except (BlockingIOError, OSError):
            return False
        self.raw += got
        self._feed()
        return bool(got)

    def _feed(self) -> None:
        """Draw what has arrived; a sequence that is not complete yet waits for its end."""
        ready = bytes(self.raw[self._fed :])
        cut = ready.rfind(b"\x1b")
        if (
            cut >= 0
            and len(ready) - cut < 64
            and not re.search(rb"[A-Za-z~\x07\\]", ready[cut + 2 :])
        ):
            ready = ready[:cut]
        self._stream.feed(_UNKNOWN.sub(b"", ready))
        self._fed += len(ready)

    def wait(self, holds: Callable[[], object], what: str = "", patience: float = PATIENCE) -> None:
        """Read until `holds` is true of the screen."""
        end = time.monotonic() + patience
        while not holds():
            left = end - time.monotonic()
            assert left > 0, f"waited in vain for {what or 'the screen'}:\n{self.text}"
            came = self._read(min(left, 0.5))
            while came and self._read(0):
                pass  # all of it: looking at the screen takes longer than drawing on it
            if not came and self.process.poll() is not None and not self._read(0):
                assert holds(), f"it ended before {what or 'that'} showed:\n{self.text}"

    def shows(self, *parts: str) -> None:
        """Wait until the screen shows all of these."""
        self.wait(lambda: all(part in self.text for part in parts), f"{parts}")

    def hides(self, *parts: str) -> None:
        """Wait until the screen shows none of these."""
        self.wait(lambda: not any(part in self.text for part in parts), f"no {parts}")

    @property
    def status(self) -> str:
        """The line that says what set off the last work and what is going on."""
        lines = [line for line in self.lines if re.search("watching|polling", line)]
        return lines[-1] if lines else ""

    def says(self, *parts: str) -> None:
        """Wait until the status line says all of these."""
        self.wait(lambda: all(part in self.status for part in parts), f"the status {parts}")

    def settled(self) -> None:
        """Wait until nothing runs any more and nothing is about to."""
        busy = re.compile("running|queued|done")
        self.wait(lambda: self.status and not busy.search(self.status), "the end of the work")

    @property
    def cursor_row(self) -> str:
        """The grid's row under the cursor, without the mark in front of it."""
        return next((line[1:] for line in self.lines if line[:1] in ("▌", ">")), "")

    def cursor_at(self, case: str) -> None:
        """Wait until the cursor is on the row of `case`."""
        self.wait(lambda: self.cursor_row.startswith(case), f"the cursor at {case}")

    # What is done to it

    def press(self, *keys: str) -> None:
        """Type."""
        for key in keys:
            os.write(self._master, key.encode())

    def press_when_hidden(self, part: str, *keys: str) -> None:
        """Type once the screen no longer shows `part`: a key right after Esc would be Alt+key."""
        self.hides(part)
        self.press(*keys)

    def resize(self, columns: int, rows: int) -> None:
        """The window gets another size, and the process is told as a terminal tells."""
        self._set_size((columns, rows))
        self._screen.resize(rows, columns)

    def kill(self, number: int) -> None:
        """Send the process itself a signal."""
        os.kill(self.process.pid, number)

    def hang_up(self) -> None:
        """Close the window, as it were; what the process still writes goes nowhere."""
        os.close(self._master)
        self._master = -1

    def end(self, patience: float = PATIENCE) -> int:
        """Wait for the end; the exit code, or minus the signal that ended it."""
        end = time.monotonic() + patience
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end:\n{self.text}"
            self._read(0.05)
        while self._read(0):
            pass  # what it wrote last
        return self.process.returncode

    # What it leaves

    def left_switched_on(self) -> list[str]:
        """Modes of the terminal that were switched on and not off again."""
        return [
            name for name, (on, off) in MODES.items() if self.raw.rfind(on) > self.raw.rfind(off)
        ]

    def settings_now(self) -> list[Any]:
        """The terminal's settings as they are."""
        return termios.tcgetattr(self._slave)

    def assert_whole(self) -> None:
        """The terminal is as it was before."""
        assert self.raw.count(MODES["alternate screen"][0]), "it never drew"
        assert self.left_switched_on() == []
        assert self.settings_now() == self.attributes

    def close(self) -> None:
        """End what still runs, and the terminal."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)


@contextlib.contextmanager
def terminal(
    root: Path,
    *arguments: str,
    size: tuple[int, int] = (80, 24),
    argv: Sequence[str] | None = None,
    **env: str,
) -> Generator[Terminal]:
    """`eval-tui` in a terminal on the project at `root`, ended whatever happens."""
    made = Terminal(argv or [EVAL_TUI, *arguments], root, size, environment(**env))
    try:
        yield made
    finally:
        made.close()
        gone = wait_gone(root)
        for pid in gone:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def until(holds: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait until `holds` is true, and read from no terminal meanwhile."""
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        select.select([], [], [], 0.02)


def processes_of(root: Path) -> dict[int, str]:
    """Processes that work for the project at `root`: pid -> command line."""
    found: dict[int, str] = {}
    place = os.path.realpath(root)
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            words = Path("/proc", entry, "cmdline").read_bytes().decode("utf-8", "replace")
            folder = os.readlink(f"/proc/{entry}/cwd")
        except OSError:
            continue
        if words and (place in words or (folder + "/").startswith(place + "/")):
            found[int(entry)] = words.replace("\0", " ")
    return found


def wait_gone(root: Path, patience: float = PATIENCE) -> dict[int, str]:
    """Wait until no process works for the project; those that are left after all."""
    end = time.monotonic() + patience
    while (left := processes_of(root)) and time.monotonic() < end:
        select.select([], [], [], 0.02)
    return left
