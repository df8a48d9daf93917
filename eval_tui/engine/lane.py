"""One worker process, as the app sees it, and how it came to its end."""

from __future__ import annotations

import fcntl
import mmap
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from eval_tui.engine import slot
from eval_tui.engine.capture import excerpt
from eval_tui.engine.channel import Channel
from eval_tui.engine.frames import Message
from eval_tui.engine.slot import CRASH_EXIT

How = Literal["exited", "signal", "memory", "output", "timed out", "supervisor"]


@dataclass(frozen=True)
class Death:
    """How a worker ended, in words for the cell that is to blame."""

    how: How
    text: str
    broken: bool = False
    """The worker gave itself up: files that it needs were taken from it."""


class Owner(Protocol):
    """Who asked for a worker hears about it."""

    def lane_message(self, lane: Lane, message: Message) -> None: ...
    def lane_exit(self, lane: Lane, death: Death) -> None: ...


class Lane:
    """One worker process, as the app sees it."""

    def __init__(self, number: int, owner: Owner) -> None:
        self.number = number
        self.owner = owner
        self.pid = 0
        self.channel: Channel
        self.memory: mmap.mmap
        self.output: int
        self.asked: float | None = None
        """When the supervisor was asked something about it that it has not answered yet."""
        self.garbled = False
        self.closed_early = False
        self.killed = False

    def at(self) -> slot.At | None:
        """What it is at, as it says itself."""
        return slot.read(self.memory)

    def printed(self) -> str:
        """What was printed since the last judge began."""
        return excerpt(self.output)

    def output_size(self) -> int:
        return os.fstat(self.output).st_size

    def release(self) -> None:
        self.channel.close()
        self.memory.close()
        os.close(self.output)


class _Nobody:
    """The owner of workers that are only waited for."""

    def lane_message(self, lane: Lane, message: Message) -> None: ...
    def lane_exit(self, lane: Lane, death: Death) -> None: ...


NOBODY: Owner = _Nobody()


def shared_file(name: str, size: int) -> int:
    """A descriptor of a file without a place that processes share. `size` in bytes."""
    if sys.platform == "linux":
        fd = os.memfd_create(name)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, size)
    return fd


def output_file() -> int:
    """A descriptor of the file that takes what a worker prints."""
    fd = shared_file("eval-tui-output", 0)
    # Everyone who writes appends: after it is emptied nobody leaves a hole in it.
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
    return fd


def meddled(lane: Lane) -> Death:
    """The end of a worker whose files a judge got hold of."""
    did = "wrote into" if lane.garbled else "closed"
    return Death("exited", f"the judge {did} files that belong to the worker process")


def death_of(lane: Lane, message: Mapping[str, Any], out_of_memory: Callable[[], bool]) -> Death:
    """What the supervisor's message about the end of a worker means.

    `out_of_memory` tells whether the system has killed for want of memory meanwhile.
    """
    if lane.garbled or lane.closed_early:
        return meddled(lane)
    if "error" in message:
        return Death("exited", f"no process could be started: {message['error']}")
    if message.get("code") == CRASH_EXIT:
        words = "the judge broke the worker process that it ran in"
        return Death("exited", words, broken=True)
    if "code" in message:
        return Death("exited", f"the process exited with code {message['code']}")
    number: int = message["signal"]
    if number == signal.SIGKILL and out_of_memory():
        return Death("memory", "killed by the system, which had run out of memory")
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "signal"
    return Death("signal", f"killed by {name} ({number})")


def oom_kills() -> int:
    """How many processes the system has killed for want of memory; 0 where it is not told."""
    try:
        with open("/proc/vmstat", "rb") as file:
            for line in file:
                if line.startswith(b"oom_kill "):
                    return int(line.split()[1])
    except OSError:
        pass  # systems other than Linux do not tell
    return 0
