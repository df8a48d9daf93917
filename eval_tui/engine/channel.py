"""A socket of messages inside an asyncio event loop, without blocking it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections import deque
from collections.abc import Callable, Sequence

from eval_tui.engine.frames import FrameError, FrameReader, Message

_PIECE = 1 << 18
_PIECES_PER_TURN = 4
"""How much is read before the loop gets its turn: a megabyte."""


class Channel:
    """Messages in by callback, bytes out by `send`. Needs a running event loop."""

    def __init__(
        self,
        sock: socket.socket,
        on_message: Callable[[Message], None],
        on_end: Callable[[bool], None],
    ) -> None:
        """`on_end` is called once, when the other side is gone or (True) sent garbage."""
        self._loop = asyncio.get_running_loop()
        self._sock = sock
        self._on_message = on_message
        self._on_end = on_end
        self._reader = FrameReader()
        self._out: deque[tuple[memoryview, Sequence[int]]] = deque()
        self._reading = True
        self.closed = False
        sock.setblocking(False)
        self._loop.add_reader(sock, self._readable)

    def send(self, data: bytes, files: Sequence[int] = ()) -> None:
        """Send bytes, and with their first byte open files, which belong to the channel now."""
        if self.closed:
            _close_files(files)
            return
        self._out.append((memoryview(data), files))
        if len(self._out) == 1:
            self._writable()
            if self._out and not self.closed:
                self._loop.add_writer(self._sock, self._writable)

    def _writable(self) -> None:
        while self._out:
            data, files = self._out[0]
            try:
                if files:
                    sent = socket.send_fds(self._sock, [data], files)
                else:
                    sent = self._sock.send(data)
            except BlockingIOError:
                return
            except OSError:  # the reader tells about the end
                self._drop_output()
                break
            _close_files(files)
            self._out.popleft()
            if sent < len(data):
                self._out.appendleft((data[sent:], ()))
        self._loop.remove_writer(self._sock)

    def _readable(self) -> None:
        self._read(_PIECES_PER_TURN)

    def drain(self) -> None:
        """Take in everything that has arrived by now."""
        self._read(1 << 16)

    def _read(self, pieces: int) -> None:
        for _ in range(pieces):
            if self.closed or not self._reading:
                return
            try:
                data = self._sock.recv(_PIECE)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._ended(garbage=False)
                return
            garbage = False
            try:
                messages = self._reader.feed(data)
            except FrameError as error:
                messages, garbage = error.before, True
            for message in messages:
                if self.closed:
                    return
                self._on_message(message)
            if garbage:
                self._ended(garbage=True)

    def _ended(self, *, garbage: bool) -> None:
        if self.closed:
            return
        self._reading = False
        self._loop.remove_reader(self._sock)
        self._on_end(garbage)

    def _drop_output(self) -> None:
        for _, files in self._out:
            _close_files(files)
        self._out.clear()

    def close(self) -> None:
        """Stop reading and writing and close the socket. Nothing is called any more."""
        if self.closed:
            return
        self.closed = True
        self._drop_output()
        self._loop.remove_reader(self._sock)
        self._loop.remove_writer(self._sock)
        self._sock.close()


def _close_files(files: Sequence[int]) -> None:
    for fd in files:
        with contextlib.suppress(OSError):
            os.close(fd)
