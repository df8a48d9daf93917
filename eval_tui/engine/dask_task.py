"""What runs inside of a Dask worker: it hands an order to a process of ours on that node.

No code of the user's runs in the Dask worker itself. Each of its threads has a process at hand
(`dask_node`) while it works; an idle one is kept for the next order.
"""

from __future__ import annotations

import contextlib
import io
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import BinaryIO, cast

from eval_tui import __version__
from eval_tui.engine.frames import FrameError, FrameReader, Message, encode


class NodeFailed(RuntimeError):
    """A node could not judge; the text says why."""


class _Process:
    """A process on this node, for the orders of one client."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.shift = 0
        """Of the order that it was given last, see `run_order`."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "eval_tui.engine.dask_node"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self.used = False
        """It has run an order before, and may have ended since."""

    def run(self, order: bytes) -> bytes:
        """All that is told of an order, as frames. Raises NodeFailed when the process ends."""
        told: list[bytes] = []
        try:
            stdin = cast(BinaryIO, self._process.stdin)
            stdin.write(order)
            stdin.flush()
            for message in self._messages():
                if message["t"] == "over":
                    self.used = True
                    return b"".join(told)
                told.append(encode(message))
        except (OSError, ValueError, FrameError) as error:
            raise NodeFailed(f"{self._words()} ({error})") from None
        raise NodeFailed(self._words())

    def _messages(self) -> Iterator[Message]:
        reader, stdout = FrameReader(), cast(io.BufferedReader, self._process.stdout)
        while data := stdout.read1(1 << 18):
            yield from reader.feed(data)

    def _words(self) -> str:
        self._log.seek(0)
        last = self._log.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        words = f"the process that judges on {socket.gethostname()} has ended"
        return f"{words}: {last}" if last else words

    def end(self) -> None:
        """End it: it sees the end of its input, and takes its workers with it."""
        with contextlib.suppress(OSError):
            cast(BinaryIO, self._process.stdin).close()

        def reap() -> None:
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

        threading.Thread(target=reap, daemon=True).start()


_lock = threading.Lock()
_idle: dict[str, list[_Process]] = {}
"""Owner -> its processes without work."""
_busy: dict[str, set[_Process]] = {}
_present: dict[str, int] = {}
"""Owner -> its present shift: orders of earlier ones are called off."""


def run_order(owner: str, shift: int, version: str, order: bytes) -> bytes:
    """Judge one batch on this node; everything that its workers tell, as frames.

    `owner` names the client, and `shift` counts how often that has called everything off. `version`
    is its version of ours. Raises NodeFailed.
    """
    if version != __version__:
        raise NodeFailed(f"{socket.gethostname()} has eval-tui {__version__}, not {version}")
    while True:
        process = _take(owner, shift)
        used = process.used
        try:
            found = process.run(order)
        except NodeFailed:
            _drop(process)
            if used:  # it may have ended long ago: a fresh one tells
                continue
            raise
        _give_back(process)
        return found


def end_processes(owner: str, shift: int) -> None:
    """End a client's processes on this node that are at work for a shift before this, or at nothing."""
    with _lock:
        _present[owner] = max(shift, _present.get(owner, 0))
        busy = _busy.setdefault(owner, set())
        over = {process for process in busy if process.shift < shift}
        busy -= over
        mine = [*_idle.pop(owner, []), *over]
    for process in mine:
        process.end()


def _take(owner: str, shift: int) -> _Process:
    with _lock:
        if shift < _present.get(owner, 0):
            raise NodeFailed("it was called off")
        idle = _idle.get(owner)
        process = idle.pop() if idle else _Process(owner)
        process.shift = shift
        _busy.setdefault(owner, set()).add(process)
    return process


def _give_back(process: _Process) -> None:
    with _lock:
        if process in _busy.get(process.owner, ()):
            _busy[process.owner].remove(process)
            _idle.setdefault(process.owner, []).append(process)


def _drop(process: _Process) -> None:
    with _lock:
        mine = _busy.get(process.owner)
        ended = mine is None or process not in mine
        if mine is not None:
            mine.discard(process)
    if ended:
        raise NodeFailed("it was called off")
    process.end()
