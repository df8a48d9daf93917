"""What a judge prints: caught in a file of the worker's own, cut to its beginning and its end.

Prints of Python and writes of C code and child processes land in the same file, which the app
can read too: what a judge printed before it took its process down is not lost.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

KEPT = 32 * 1024
"""Bytes kept of the beginning, and as many of the end."""

_COMPACT_AT = 4 * 1024 * 1024
_BUFFER = 64 * 1024
_CONTINUATION = bytes(range(0x80, 0xC0))


def _characters(data: bytes) -> int:
    """How many characters UTF-8 text has, also when it was cut anywhere."""
    return len(data.translate(None, _CONTINUATION))


def _decode_head(data: bytes) -> str:
    for back in range(1, min(4, len(data)) + 1):  # a last character that was cut in two
        byte = data[-back]
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            if needed > back:
                data = data[:-back]
            break
        if byte < 0x80:
            break
    return data.decode("utf-8", "replace")


def _decode_tail(data: bytes) -> str:
    start = 0
    while start < min(3, len(data)) and 0x80 <= data[start] < 0xC0:
        start += 1
    return data[start:].decode("utf-8", "replace")


def excerpt(fd: int, left_out: int = 0) -> str:
    """The text in a file: its first and last 32 kB and how many characters lie between them.

    `left_out` counts characters that were already taken out after the first 32 kB.
    """
    size = os.lseek(fd, 0, os.SEEK_END)  # ten times as fast as fstat; writers append anyway
    if not size:
        return ""
    if size <= 2 * KEPT and not left_out:
        return os.pread(fd, size, 0).decode("utf-8", "replace")
    tail_at = max(KEPT, size - KEPT)
    position = KEPT
    while position < tail_at:
        chunk = os.pread(fd, min(1 << 20, tail_at - position), position)
        if not chunk:
            break
        left_out += _characters(chunk)
        position += len(chunk)
    head = _decode_head(os.pread(fd, KEPT, 0))
    tail = _decode_tail(os.pread(fd, KEPT, tail_at))
    return f"{head}\n… {left_out:,} characters left out …\n{tail}"


class Output:
    """The file behind a worker's standard output and error.

    Writes through a file descriptor of its own, as judges close and redirect those they know.
    """

    def __init__(self, fd: int) -> None:
        self.attach(fd)
        self._lock = threading.RLock()
        self._pending: list[bytes] = []
        self._pending_size = 0
        self._written = 0
        self._left_out = 0
        self._empty = False
        """It was just emptied, and nobody has been let near it since."""

    def attach(self, fd: int) -> None:
        """What is written goes to this file from now on."""
        self._fd = os.dup(fd)
        self._inode = os.fstat(self._fd).st_ino

    def _size(self) -> int:
        """The file's size. Raises OSError when a judge closed it, even if it opened another."""
        size = os.lseek(self._fd, 0, os.SEEK_END)
        if (size or self._pending) and os.fstat(self._fd).st_ino != self._inode:
            raise OSError("the judge closed a file that belongs to the worker process")
        return size

    def write(self, data: bytes) -> None:
        with self._lock:
            self._empty = False
            self._pending.append(data)
            self._pending_size += len(data)
            # The first bytes go out at once: they survive a crash and stay in order with what
            # C code and child processes write.
            if self._written < KEPT or self._pending_size >= _BUFFER:
                self.flush()

    def flush(self) -> None:
        with self._lock:
            if not self._pending:
                return
            self._size()
            data = memoryview(b"".join(self._pending))
            self._pending = []
            self._pending_size = 0
            while data:
                piece = data[:_COMPACT_AT]
                data = data[len(piece) :]
                self._written += len(piece)
                while piece:
                    piece = piece[os.write(self._fd, piece) :]
                if self._written > _COMPACT_AT:
                    self._compact()

    def _compact(self) -> None:
        size = self._size()
        middle = KEPT
        while middle < size - KEPT:
            chunk = os.pread(self._fd, min(1 << 20, size - KEPT - middle), middle)
            if not chunk:
                break
            self._left_out += _characters(chunk)
            middle += len(chunk)
        tail = os.pread(self._fd, KEPT, middle)
        os.ftruncate(self._fd, KEPT)
        os.write(self._fd, tail)
        self._written = 2 * KEPT

    def lend(self) -> None:
        """Somebody may print from here on: first forget everything printed so far."""
        if not self._empty:
            self.reset()
        self._empty = False

    def reset(self) -> None:
        """Forget everything printed so far."""
        with self._lock:
            self._empty = True
            self._pending = []
            self._pending_size = 0
            self._written = 0
            self._left_out = 0
            if self._size():
                os.ftruncate(self._fd, 0)

    def text(self) -> str:
        with self._lock:
            self.flush()
            return excerpt(self._fd, self._left_out)


class _ByteSink(io.BufferedIOBase):
    """`sys.stdout.buffer` of a worker. It cannot be closed."""

    def __init__(self, output: Output, fd: int) -> None:
        self._output = output
        self._fd = fd

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        view = memoryview(data)
        self._output.write(view.tobytes())
        return view.nbytes

    def flush(self) -> None:
        pass

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        pass


class Sink(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of a worker. It cannot be closed."""

    def __init__(self, output: Output, fd: int, name: str) -> None:
        self._output = output
        self._fd = fd
        self.name = name
        self.mode = "w"
        self.line_buffering = True
        self.buffer = _ByteSink(output, fd)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]
        return "backslashreplace"

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._output.write(text.encode("utf-8", "backslashreplace"))
        return len(text)

    def flush(self) -> None:
        pass

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return False

    def reconfigure(self, **options: object) -> None:
        """Accepted, as user code often asks for UTF-8, which this already is."""

    def close(self) -> None:
        pass


class Capture:
    """`with capture as printed: …`, then `printed.text`."""

    def __init__(self, output: Output, first: Callable[[], None] = lambda: None) -> None:
        """`first` is called before anything else when the judge has ended."""
        self._output = output
        self._first = first
        self.text = ""

    def __enter__(self) -> Capture:
        self._output.lend()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._first()
        self.text = self._output.text()
