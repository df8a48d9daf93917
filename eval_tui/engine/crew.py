"""The app's hold on its worker processes: forking and ending them.

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
import time
from collections.abc import Callable, Mapping
from typing import Any

from eval_tui.engine import slot
from eval_tui.engine.channel import Channel
from eval_tui.engine.environment import MARK
from eval_tui.engine.frames import Message, encode
from eval_tui.engine.lane import (
    NOBODY,
    Death,
    Lane,
    Owner,
    death_of,
    meddled,
    oom_kills,
    output_file,
    shared_file,
)
from eval_tui.engine.processes import adopt_orphans, end_marked
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
        self._template = ""
        """The key of the template that was ordered of this supervisor, or empty."""
        self.broken = ""
        """Why no worker can be had any more, or empty."""
        self.prepared = ""
        """The key of the template that is ready, or empty; it may have come to its end since."""
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
        self._template = self.prepared = ""
        self._oom_kills = oom_kills()
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
        elif kind == "template":
            self.prepared = message["key"]
        elif lane := self._lanes.get(message.get("worker", 0)):
            lane.asked = None
            if kind == "forked":
                lane.pid = message["pid"]
            elif kind == "exit":
                self._bury(lane, death_of(lane, message, self._out_of_memory))

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

    def order_template(self, order: Message) -> None:
        """Have workers forked from now on from a process that knows heavy imports (see `births`)."""
        if self._supervisor_pid and self._control is not None and order["key"] != self._template:
            self._template = order["key"]
            self._control.send(encode({**order, "t": "template"}))

    def fork(
        self, owner: Owner, memory_mb: int, *frames: bytes, born_like: tuple[str, int] = ("", 0)
    ) -> Lane:
        """A new worker, which gets `frames` first. Raises SupervisorError when broken.

        `born_like`: the key of the template from which it is forked if that is there, and the
        generation, for each of which the template makes sure anew that it still holds.
        """
        if self.broken or self._closed:
            raise SupervisorError(self.broken or "closed")
        if self._control is None:
            self._connect()
            if self._control is None:
                raise SupervisorError(self.broken)
        lane = Lane(next(self._numbers), owner)
        ours, theirs = socket.socketpair()
        shared = shared_file("eval-tui-slot", slot.SIZE)
        lane.memory = mmap.mmap(shared, slot.SIZE)
        lane.output = output_file()
        lane.channel = Channel(
            ours,
            lambda message: self._lane_message(lane, message),
            lambda garbage: self._lane_end(lane, garbage),
        )
        self._lanes[lane.number] = lane
        self._ask(
            lane,
            {"t": "fork", "worker": lane.number, "memory_mb": memory_mb, "born_like": born_like},
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
        lane.owner = NOBODY
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
            death = meddled(lane)
        if self._lanes.pop(lane.number, None) is not None:
            lane.owner.lane_exit(lane, death)
            lane.release()

    def _out_of_memory(self) -> bool:
        """Whether the system has killed for want of memory since it was last blamed for that."""
        before, self._oom_kills = self._oom_kills, oom_kills()
        return self._oom_kills > before

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
