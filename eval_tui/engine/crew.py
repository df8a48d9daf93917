"""The app's hold on its worker processes: forking, ending, and how each came to its end.

One supervisor at a time; one that dies takes its workers along and is started anew. What the
workers do is their owners' business: see `pool` and `views`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import mmap
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from eval_tui.engine import slot
from eval_tui.engine.capture import excerpt
from eval_tui.engine.channel import Channel
from eval_tui.engine.environment import MARK
from eval_tui.engine.frames import Message, encode
from eval_tui.engine.processes import adopt_orphans, end_marked
from eval_tui.engine.slot import CRASH_EXIT
from eval_tui.engine.supervisor import (
    SupervisorError,
    SupervisorFactory,
    SupervisorHandle,
    guards,
)

ATTEMPTS = 3
"""How many supervisors may die in a row without a sign of life from any worker."""

READY_S = 30.0
ANSWER_S = 5.0
"""How long the supervisor may take to start, and to fork or end a worker."""

_CHOOSE = "Another Python can be chosen with --python."

_SWEEPS_S = (0.0, 0.05, 0.3, 2.0)
"""How long after a supervisor's end what it left behind is looked for: it ends bit by bit."""

_EOF_GRACE_S = 0.05
"""A worker whose socket has ended and that lives on for longer has closed it."""

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


def _meddled(lane: Lane) -> Death:
    did = "wrote into" if lane.garbled else "closed"
    return Death("exited", f"the judge {did} files that belong to the worker process")


def _shared_file(name: str, size: int) -> int:
    if sys.platform == "linux":
        fd = os.memfd_create(name)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, size)
    return fd


def _output_file() -> int:
    import fcntl

    fd = _shared_file("eval-tui-output", 0)
    # Everyone who writes appends: after it is emptied nobody leaves a hole in it.
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
    return fd


def _oom_kills() -> int:
    """How many processes the system has killed for want of memory; 0 where it is not told."""
    try:
        with open("/proc/vmstat", "rb") as file:
            for line in file:
                if line.startswith(b"oom_kill "):
                    return int(line.split()[1])
    except OSError:
        pass  # systems other than Linux do not tell
    return 0


class Crew:
    """Forks and ends workers through a supervisor. Belongs to one event loop."""

    def __init__(self, factory: SupervisorFactory, on_broken: Callable[[str], None]) -> None:
        self._factory = factory
        self._on_broken = on_broken
        self._handle: SupervisorHandle | None = None
        self._control: Channel | None = None
        self._lanes: dict[int, Lane] = {}
        self._numbers = itertools.count(1)
        self._supervisor_pid = 0
        self._started = 0.0
        self._deaths = 0
        self._oom_kills = 0
        self._closed = False
        self.broken = ""
        """Why no worker can be had any more, or empty."""
        self.python = ""
        """The interpreter of the judges and its version, once it is ready."""

    # The supervisor

    def start(self) -> None:
        """Start the supervisor. What goes wrong is told through `on_broken`, later."""
        adopt_orphans()  # what is left when supervisor and guard are killed at once comes to us
        self._connect()

    def _connect(self) -> None:
        try:
            self._handle = self._factory()
        except (SupervisorError, OSError) as error:
            self._break(str(error))
            return
        self._started = time.monotonic()
        self._supervisor_pid = 0
        self._oom_kills = _oom_kills()
        self._control = Channel(self._handle.control, self._control_message, self._control_end)

    def _break(self, text: str) -> None:
        if not self.broken:
            self.broken = text or "the worker processes cannot be started"
            self._on_broken(self.broken)

    def retry(self) -> None:
        """Whatever was broken may have been repaired: the next worker is tried for again."""
        if self.broken:
            self.broken = ""
            self._deaths = 0

    def _control_message(self, message: Message) -> None:
        kind = message["t"]
        if kind == "ready":
            self._supervisor_pid = message["pid"]
            self.python = f"{message['python']} (Python {message['version']})"
        elif kind == "failed":
            handle = self._handle
            python = handle.python if handle else "the Python of the judges"
            self._break(f"{python} cannot run judges. {_CHOOSE}\n{message['text'].strip()}")
        elif lane := self._lanes.get(message.get("worker", 0)):
            lane.asked = None
            if kind == "forked":
                lane.pid = message["pid"]
            elif kind == "exit":
                self._bury(lane, self._death(lane, message))

    def _control_end(self, garbage: bool) -> None:
        """The supervisor is gone, and with it all workers."""
        self._deaths += 1
        if self._handle is not None and self._deaths >= ATTEMPTS:
            log = self._handle.log_tail() or "it ends at once, without a word"
            first, _, last = log.rpartition("\n")
            text = f"{self._handle.python} cannot run judges: {last.rstrip('.')}. {_CHOOSE}"
            self._break(f"{text}\n{first}".strip())
        self._disconnect()
        death = Death("supervisor", "the worker processes were ended while it ran")
        for lane in list(self._lanes.values()):
            self._bury(lane, death)
        if self._handle is None and not self.broken:
            self._connect()
        for delay in _SWEEPS_S:
            asyncio.get_running_loop().call_later(delay, self._sweep)

    def _sweep(self) -> None:
        """End what judges started, if nobody else was left to do it."""
        if MARK not in os.environ:
            end_marked(MARK, spared=guards)

    def _disconnect(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._handle is not None:
            self._handle.close(patience_s=0.5)
        self._control = self._handle = None

    def alive(self) -> None:
        """A sign of life: deaths of the supervisor before it do not count any more."""
        self._deaths = 0

    # Workers

    def fork(self, owner: Owner, memory_mb: int, *frames: bytes) -> Lane:
        """A new worker, which gets `frames` first. Raises SupervisorError when broken."""
        if self.broken or self._closed:
            raise SupervisorError(self.broken or "closed")
        if self._control is None:
            self._connect()
            if self._control is None:
                raise SupervisorError(self.broken)
        lane = Lane(next(self._numbers), owner)
        ours, theirs = socket.socketpair()
        shared = _shared_file("eval-tui-slot", slot.SIZE)
        lane.memory = mmap.mmap(shared, slot.SIZE)
        lane.output = _output_file()
        lane.channel = Channel(
            ours,
            lambda message: self._lane_message(lane, message),
            lambda garbage: self._lane_end(lane, garbage),
        )
        self._lanes[lane.number] = lane
        self._ask(
            lane,
            {"t": "fork", "worker": lane.number, "memory_mb": memory_mb},
            (theirs.detach(), shared, os.dup(lane.output)),
        )
        for frame in frames:
            lane.channel.send(frame)
        return lane

    def _ask(self, lane: Lane, message: Mapping[str, Any], files: tuple[int, ...] = ()) -> None:
        lane.asked = time.monotonic()
        if self._control is not None:
            self._control.send(encode(message), files)

    def kill(self, lane: Lane) -> None:
        """End a worker with everything it started; its exit is told as that of any other."""
        if not lane.killed:
            lane.killed = True
            self._ask(lane, {"t": "kill", "workers": [lane.number]})

    def discard(self, lane: Lane) -> None:
        """End a worker and tell nothing more about it."""
        lane.owner = _NOBODY
        lane.channel.close()
        self.kill(lane)

    def _lane_message(self, lane: Lane, message: Message) -> None:
        lane.owner.lane_message(lane, message)

    def _lane_end(self, lane: Lane, garbage: bool) -> None:
        if garbage:
            lane.garbled = True
            self.kill(lane)
        else:
            asyncio.get_running_loop().call_later(_EOF_GRACE_S, self._lane_outlived, lane)

    def _lane_outlived(self, lane: Lane) -> None:
        if lane.number in self._lanes and not lane.killed:
            lane.closed_early = True
            self.kill(lane)

    def _bury(self, lane: Lane, death: Death) -> None:
        lane.channel.drain()
        if lane.garbled and death.how == "supervisor":  # it went on until it was ended with it
            death = _meddled(lane)
        if self._lanes.pop(lane.number, None) is not None:
            lane.owner.lane_exit(lane, death)
            lane.release()

    def _death(self, lane: Lane, message: Message) -> Death:
        if lane.garbled or lane.closed_early:
            return _meddled(lane)
        if "error" in message:
            return Death("exited", f"no process could be started: {message['error']}")
        if message.get("code") == CRASH_EXIT:
            words = "the judge broke the worker process that it ran in"
            return Death("exited", words, broken=True)
        if "code" in message:
            return Death("exited", f"the process exited with code {message['code']}")
        number: int = message["signal"]
        if number == signal.SIGKILL and _oom_kills() > self._oom_kills:
            self._oom_kills = _oom_kills()
            return Death("memory", "killed by the system, which had run out of memory")
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = "signal"
        return Death("signal", f"killed by {name} ({number})")

    # Watching over it

    @property
    def needs_watching(self) -> bool:
        """Whether something was asked of the supervisor that it has not answered yet."""
        return any(lane.asked is not None for lane in self._lanes.values())

    def tick(self, now: float) -> None:
        """Notice a supervisor that does not answer. `now` is on the monotonic clock."""
        if self._handle is None:
            return
        if not self._supervisor_pid:
            if now > self._started + READY_S:
                self._deaths = ATTEMPTS
                self._end_supervisor()
            return
        since = max(self._started, now - ANSWER_S)
        if any(lane.asked is not None and lane.asked < since for lane in self._lanes.values()):
            self._end_supervisor()

    def _end_supervisor(self) -> None:
        """Its guard sees the end, ends what is left of the workers and closes the channel."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                os.kill(self._supervisor_pid or self._handle.process.pid, signal.SIGKILL)

    async def close(self) -> None:
        """End everything. Bounded; no process is left when it returns."""
        self._closed = True
        if self._control is not None:
            self._control.close()
        for lane in self._lanes.values():
            lane.release()
        self._lanes.clear()
        handle, self._handle, self._control = self._handle, None, None
        if handle is not None:
            await asyncio.get_running_loop().run_in_executor(None, handle.close)
        self._sweep()


class _Nobody:
    """The owner of workers that are only waited for."""

    def lane_message(self, lane: Lane, message: Message) -> None: ...
    def lane_exit(self, lane: Lane, death: Death) -> None: ...


_NOBODY = _Nobody()
