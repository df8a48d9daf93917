"""Commands that a worker runs for graders and agents: bounded in time and in what is kept, and none is left.

Runs in the worker, which is the command's parent, so that whoever ends the worker ends the command
with everything it started. Standard library only, Python 3.10.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO

from eval_tui.engine.processes import kill_strangers
from eval_tui.judges.graders.bench import Finished

HEAD = 32 * 1024
"""Bytes kept of the beginning of what a command prints."""
TAIL = 2 * 1024 * 1024
"""And of the end, where a score stands."""

_PIECE = 1 << 16
_GLANCE_S = 0.02
"""How often a command is looked at where the system does not tell of its end."""
_END_S = 5.0
"""How long what a command left running may take to end."""
_LAST_WORDS = 64 * 1024 * 1024
"""Bytes that are still read when everybody who wrote them is gone."""


def run_command(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    limit_s: float,
    stdin: str = os.devnull,
) -> Finished:
    """Run a command to its end or its time limit. OSError when it cannot be started.

    It has a session of its own, and the file `stdin` as its input. Whatever it started is ended
    with it: no other child of this process may be at work.
    """
    began = time.monotonic()
    with open(stdin, "rb") as given:
        process = subprocess.Popen(
            list(argv),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
        )
    assert process.stdout is not None and process.stderr is not None
    kept = {process.stdout: Kept(), process.stderr: Kept()}
    try:
        timed_out = not _follow(process, kept, began + limit_s)
        seconds = time.monotonic() - began
    finally:
        _end(process)
    for pipe, text in kept.items():
        _drain(pipe, text)
        pipe.close()
    out, err = (kept[pipe].text() for pipe in (process.stdout, process.stderr))
    return Finished(process.returncode, out, err, seconds, timed_out)


def both_ends(text: str) -> str:
    """The beginning and the end of what was printed, as it is kept with a result."""
    left_out = len(text) - 2 * HEAD
    if left_out <= 0:
        return text
    return f"{text[:HEAD]}\n… {left_out:,} characters left out …\n{text[-HEAD:]}"


class Kept:
    """The beginning and the end of a stream."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        room = max(0, HEAD - len(self._head))
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * TAIL:
            self._shorten()

    def text(self) -> str:
        self._shorten()
        head, tail = (part.decode("utf-8", "replace") for part in (self._head, self._tail))
        left_out = f"\n… {self._left_out:,} bytes left out …\n" if self._left_out else ""
        return f"{head}{left_out}{tail}"

    def _shorten(self) -> None:
        over = len(self._tail) - TAIL
        if over > 0:
            del self._tail[:over]
            self._left_out += over


def _follow(
    process: subprocess.Popen[bytes], kept: Mapping[IO[bytes], Kept], deadline: float
) -> bool:
    """Read what the command prints until it ends; False when its time was up before."""
    ended = _end_event(process.pid)
    try:
        with selectors.DefaultSelector() as selector:
            for pipe in kept:
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, selectors.EVENT_READ, kept[pipe])
            if ended is not None:
                selector.register(ended, selectors.EVENT_READ)
            while process.poll() is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                wait = left if ended is not None else min(left, _GLANCE_S)
                for key, _ in selector.select(wait):
                    if isinstance(key.data, Kept) and not _read(key.fd, key.data):
                        selector.unregister(key.fileobj)
        return True
    finally:
        if ended is not None:
            os.close(ended)


def _end_event(pid: int) -> int | None:
    """A file that can be read when the process has ended, where the system has such a thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _read(fd: int, kept: Kept) -> bool:
    """Take what has come; False at the end of the stream."""
    try:
        data = os.read(fd, _PIECE)
    except BlockingIOError:
        return True
    kept.add(data)
    return bool(data)


def _drain(pipe: IO[bytes], kept: Kept) -> None:
    for _ in range(_LAST_WORDS // _PIECE):
        try:
            data = os.read(pipe.fileno(), _PIECE)
        except (BlockingIOError, OSError):
            return
        kept.add(data)
        if not data:
            return


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command, whatever it left in its session, and what has moved out of that.

    The session first, and all of it at once: nobody can fork away from that.
    """
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kill_strangers((), _END_S)
