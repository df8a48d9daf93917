"""A worker process: forked by the supervisor, it evaluates batches until it is ended.

Frames in: `setup`, `batch`, `view`. Frames out: `set`, whatever the evaluation emits, `done`,
`recycle` (the rest of the batch needs a fresh worker), `crashed` (the evaluation itself failed),
`viewed`, `view_failed`. Standard library only, Python 3.10.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from eval_tui.engine import slot
from eval_tui.engine.capture import Capture, Output, Sink
from eval_tui.engine.frames import FrameReader, Message, encode, encode_finite
from eval_tui.engine.hygiene import (
    COPY_EXIT,
    StateCheck,
    allow_interrupts,
    ignore_interrupts,
    limit_process,
    quiet_stdin,
)
from eval_tui.engine.processes import adopt_orphans, die_with_parent
from eval_tui.engine.slot import CRASH_EXIT

HELD_S = 0.005
"""For how long a finished cell may be held back, to be sent with the next ones."""

_getpid = os.getpid  # a judge may replace it before it can be put back


class Evaluate(Protocol):
    """What the evaluation offers to the worker process (`eval_tui.engine.evaluate`)."""

    def setup(self, plain: dict[str, Any], /) -> Any:
        """The state of a fresh worker."""
        ...

    def run_batch(self, state: Any, batch: dict[str, Any], io: Any, /) -> object:
        """Evaluate one batch, emitting each finished cell through `io`."""
        ...

    def view(self, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer a question without running user code."""
        ...

    def preload(self, plain: dict[str, Any], /) -> Preloading:
        """Get ready to import what workers forked from this process are to be born with."""
        ...


class Preloading(Protocol):
    """What a template offers to the processes that are forked from it (`preload.Preload`)."""

    def bring(self, name: str, /) -> str:
        """Import a module. Returns why the process cannot be used after that, or nothing."""
        ...

    def holds(self) -> bool:
        """Whether an import would bring the same now."""
        ...


@dataclass(frozen=True)
class Birth:
    """What a fork needs to become a worker. The file descriptors belong to it from then on."""

    sock: int
    slot: int
    output: int
    memory_mb: int
    root: str
    parent: int
    """Process id of the supervisor."""


class WorkerIO:
    """What the evaluation may do towards the app."""

    def __init__(self, sock: socket.socket, slots: slot.SlotWriter, output: Output, root: str):
        self._pid = os.getpid()
        self._sock = sock
        self._slots = slots
        self._output = output
        self._root = root
        self._state: StateCheck | None = None
        self._began = 0.0
        self._notes: list[str] = []
        self._held: list[bytes] = []
        self._held_since = 0.0
        self._deaf = True
        """SIGINT is ignored."""
        self.batch = 0
        self.careful = False
        """Nothing is held back: this batch took a worker down, and it must show which cell did."""
        self.spoiled = False
        """The state check wants this worker to be replaced."""

    def leave_if_copy(self) -> None:
        """A judge that forks and lets both return makes a second worker: that one ends here."""
        if _getpid() != self._pid:
            os._exit(COPY_EXIT)

    def emit(self, message: Mapping[str, Any]) -> None:
        """Send a message to the app at once. Raises for what is no plain data (see `encode`).

        Its numbers are finite: what is no usable number is no score.
        """
        self.leave_if_copy()
        self.send(encode_finite(message))

    def hold(self, message: Mapping[str, Any]) -> None:
        """The same, but it may be sent a little later: with the next one, or by `flush`.

        What is held when the process dies was not told, so its cells are judged again. Only for
        after a `capture`, which ends copies of the process.
        """
        now = time.monotonic()
        if not self._held:
            self._held_since = now
        self._held.append(encode_finite(message))
        if self.careful or now > self._held_since + HELD_S:
            self.flush()

    def flush(self) -> None:
        """Send what is held."""
        if self._held:
            self.send(b"")

    def send(self, frame: bytes) -> None:
        """Send an encoded message, after those that are held."""
        if self._held:
            frame = b"".join([*self._held, frame])
            self._held.clear()
        try:
            self._sock.sendall(frame)
        except OSError:  # nobody listens, or the judge closed our files: the slot tells the rest
            os._exit(CRASH_EXIT)

    def give_up(self, name: str) -> None:
        """This worker was born with a module that a judge wants to import in its own way.

        A judge is at it: nothing of its cell is told, and a worker without the module begins anew.
        """
        self.leave_if_copy()
        self.send(encode({"t": "recycle", "id": self.batch, "unfit": name}))
        os._exit(0)

    def begin(self, case_index: int, judge_index: int) -> None:
        """From here on what happens is this cell's doing, and its time runs."""
        self._output.reset()
        self._began = time.monotonic()
        self._slots.begin(self.batch, case_index, judge_index, self._began)
        allow_interrupts()
        self._deaf = False

    def end(self) -> None:
        """The judge has ended; its cell must have been told, or be told next."""
        if not self._deaf:
            ignore_interrupts()
        self._slots.end()

    def capture(self) -> Capture:
        """A context manager; what was printed inside is its `text` afterwards."""
        return Capture(self._output, self._mend)

    def _mend(self) -> None:
        self.leave_if_copy()
        if self._state is not None:
            self._state.mend()

    def loaded(self) -> None:
        """A judge was loaded: what its modules have set is meant to last; `check` notes it."""
        ignore_interrupts()
        self._notes = [f"{note}, while it was imported" for note in self._check()]
        self.accept()
        allow_interrupts()
        self._deaf = False

    def check(self) -> tuple[list[str], bool]:
        """What the judge left behind, in plain words, and whether this worker must be replaced.

        When it must, the evaluation ends the batch after telling the cell.
        """
        ignore_interrupts()
        self._deaf = True
        notes, self._notes = [*self._notes, *self._check()], []
        return notes, self.spoiled

    def _check(self) -> list[str]:
        if self._state is None:
            self._state = StateCheck(self._root)
        if not self._state.mended:
            self.leave_if_copy()
        notes, spoiled = self._state.run(took_s=time.monotonic() - self._began)
        self.spoiled |= spoiled
        return notes

    def accept(self) -> None:
        """Take the process as it is now for what `check` compares with."""
        if self._state is None:
            self._state = StateCheck(self._root)
        else:
            self._state.accept()


def become_worker(evaluate: Evaluate, birth: Birth, streams: Output | None = None) -> NoReturn:
    """Turn a fresh fork of the supervisor or of its template into a worker; work until told to end.

    `streams` are those that the template has taken.
    """
    os.setsid()
    die_with_parent(birth.parent)
    adopt_orphans()
    close_others({birth.sock, birth.slot, birth.output})
    os.chdir(birth.root)
    memory = mmap.mmap(birth.slot, slot.SIZE)
    os.close(birth.slot)
    os.set_inheritable(birth.sock, False)
    output = take_streams(birth.output, birth.memory_mb, streams)
    sock = socket.socket(fileno=birth.sock)
    io = WorkerIO(sock, slot.SlotWriter(memory), output, os.getcwd())
    _serve(evaluate, sock, io)


def take_streams(fd: int, memory_mb: int, taken: Output | None = None) -> Output:
    """Nothing to read, and the file `fd`, which is closed, for all that is printed; limits.

    `taken` are streams that this process, or its parent, has taken before.
    """
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.close(null)
    os.close(fd)
    limit_process(memory_mb)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if taken is not None:
        taken.attach(1)
        return taken
    output = Output(1)
    quiet_stdin()
    sys.stdout = sys.__stdout__ = Sink(output, 1, "<stdout>")  # type: ignore[misc,assignment]
    sys.stderr = sys.__stderr__ = Sink(output, 2, "<stderr>")  # type: ignore[misc,assignment]
    return output


def close_others(keep: set[int]) -> None:
    """Close what the parent has open: the control socket, other workers' files."""
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    for entry in os.listdir(folder):
        if entry.isdigit() and int(entry) > 2 and int(entry) not in keep:
            with contextlib.suppress(OSError):
                os.close(int(entry))


def _serve(evaluate: Evaluate, sock: socket.socket, io: WorkerIO) -> NoReturn:
    reader = FrameReader()
    waiting: list[Message] = []
    state: Any = None
    while True:
        _receive(sock, reader, waiting)
        message = waiting.pop(0)
        kind = message["t"]
        if kind == "setup":
            state = _setup(evaluate, message, io)
        elif kind == "batch":
            _batch(evaluate, state, message, io)
        elif kind == "view":
            _view(evaluate, message, io)


def _receive(sock: socket.socket, reader: FrameReader, waiting: list[Message]) -> None:
    """Wait for a message, take all that have come, and leave out batches that were dropped."""
    flags = 0 if not waiting else socket.MSG_DONTWAIT
    while True:
        try:
            data = sock.recv(1 << 18, flags)
        except BlockingIOError:
            break
        except OSError:
            os._exit(CRASH_EXIT)
        if not data:
            os._exit(0)
        waiting.extend(reader.feed(data))
        flags = socket.MSG_DONTWAIT if waiting else 0
    dropped = {message["id"] for message in waiting if message["t"] == "drop"}
    waiting[:] = [
        message
        for message in waiting
        if message["t"] != "drop" and not (message["t"] == "batch" and message["id"] in dropped)
    ]
    if not waiting:
        _receive(sock, reader, waiting)


def _setup(evaluate: Evaluate, message: Message, io: WorkerIO) -> Any:
    try:
        state = evaluate.setup(message)
    except BaseException:
        _crash(io, None)
    io.accept()
    io.emit({"t": "set"})
    return state


def _batch(evaluate: Evaluate, state: Any, message: Message, io: WorkerIO) -> None:
    batch: int = message["id"]
    io.batch, io.careful = batch, bool(message.get("careful"))
    try:
        evaluate.run_batch(state, message, io)
    except BaseException:
        io.leave_if_copy()
        _crash(io, batch)
    if io.spoiled:
        io.emit({"t": "recycle", "id": batch})
        os._exit(0)
    io.emit({"t": "done", "id": batch})


def _crash(io: WorkerIO, batch: int | None) -> NoReturn:
    try:
        text = traceback.format_exc()
    except BaseException:  # reading the source lines failed as well
        text = repr(sys.exc_info()[0])
    io.emit({"t": "crashed", "id": batch, "traceback": text})
    os._exit(CRASH_EXIT)


def _view(evaluate: Evaluate, message: Message, io: WorkerIO) -> None:
    request: int = message["id"]
    try:
        answer = evaluate.view(message["request"])
        for piece in answer.pop("pieces", ()):
            io.send(encode({"t": "piece", "id": request, "piece": piece}))
        reply = encode({"t": "viewed", "id": request, "reply": answer})
    except Exception as error:
        io.emit({"t": "view_failed", "id": request, "text": f"{type(error).__name__}: {error}"})
    else:
        io.send(reply)
