"""A process on a pseudo-terminal, and when it painted what."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE_S = 60.0


class Screen:
    """Collects what a process paints; `wait` says when it painted something."""

    def __init__(
        self, words: Sequence[str], folder: Path, environ: Mapping[str, str], rows: int = 40
    ) -> None:
        self.seen = bytearray()
        self.began = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if not self.pid:
            os.chdir(folder)
            os.execvpe(words[0], list(words), dict(environ))
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 160, 0, 0))

    def wait(self, *parts: bytes, patience_s: float = PATIENCE_S) -> float:
        """Seconds since the start at which all parts had been painted since `forget`.

        Raises TimeoutError.
        """
        give_up = time.perf_counter() + patience_s
        while not all(part in self.seen for part in parts):
            if time.perf_counter() > give_up:
                raise TimeoutError(f"never painted: {parts}")
            if select.select([self._fd], [], [], 0.5)[0]:
                self.seen += os.read(self._fd, 1 << 16)
        return time.perf_counter() - self.began

    def quiet(self, seconds: float) -> None:
        """Take in what comes until nothing has come for so long."""
        while select.select([self._fd], [], [], seconds)[0]:
            self.seen += os.read(self._fd, 1 << 16)

    def forget(self) -> None:
        """What was painted until now does not count any more."""
        self.quiet(0.0)
        self.seen.clear()

    def memory_mb(self) -> float:
        """Resident memory of the process itself, in MB; 0 where it is not told."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return 0.0

    def close(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        give_up = time.perf_counter() + 10
        while time.perf_counter() < give_up:
            with contextlib.suppress(OSError):
                self.quiet(0.05)
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
        else:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
