"""The supervisor process: forks workers, tells how they ended, and leaves none behind.

Two processes: the *supervisor* loads the engine's code once and forks workers from it on request;
its parent, the *guard*, does nothing but end everything when the supervisor or the app is gone.
Whichever of app, guard and supervisor is killed, one of the others sees it and ends the workers
and everything they started. Neither runs user code. Standard library only, Python 3.10.

Frames in: `fork` (with three files: socket, slot, output), `kill`, `template`. Frames out: `ready`, `failed`,
`forked`, `exit`, `template`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import sys
import traceback
from collections import deque
from typing import NoReturn, cast

from eval_tui.engine import scratch
from eval_tui.engine.frames import FrameReader, Message, send
from eval_tui.engine.processes import adopt_orphans, children, kill_strangers, kill_tree, reap
from eval_tui.engine.slot import CRASH_EXIT
from eval_tui.engine.template import Template
from eval_tui.engine.worker import Birth, Evaluate, become_worker

_POLLHUP = select.POLLHUP | select.POLLERR | select.POLLNVAL
_FILES_PER_FORK = 3
_PATIENCE_S = 0.2
"""How long to insist on ending a process that does not end; it is tried again later."""

_RETRY_MS = 200


def main(control_fd: int, evaluate_module: str, root: str) -> NoReturn:
    """Become guard and supervisor. Returns in neither of them."""
    control = socket.socket(fileno=control_fd)
    control.set_inheritable(False)
    adopt_orphans()
    wake = _wake_on_child_exit()
    alive_read, alive_write = os.pipe()
    supervisor = os.fork()
    if supervisor:
        os.close(alive_read)
        _guard(control, supervisor, wake)
    os.close(alive_write)
    os.setpgid(0, 0)  # so that a signal to the guard's group leaves one of the two
    adopt_orphans()
    _Supervisor(control, alive_read, root).run(evaluate_module)


def _wake_on_child_exit() -> socket.socket:
    """A socket that becomes readable when a child process ends."""
    read, write = socket.socketpair()
    read.setblocking(False)
    write.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(write.detach(), warn_on_full_buffer=False)
    return read


def _drain(wake: socket.socket) -> None:
    with contextlib.suppress(BlockingIOError):
        while wake.recv(4096):
            pass


def _guard(control: socket.socket, supervisor: int, wake: socket.socket) -> NoReturn:
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.register(control, 0)  # hang-ups are always told, and nothing else concerns the guard
    while True:
        for fd, event in poll.poll():
            if fd == control.fileno() and event & _POLLHUP:
                poll.unregister(control)
                kill_tree(supervisor)
        _drain(wake)
        if supervisor in reap():
            break
    kill_strangers((), patience_s=5)
    scratch.forget_supervisor(supervisor)
    os._exit(0)


class _Supervisor:
    def __init__(self, control: socket.socket, alive: int, root: str) -> None:
        self._control = control
        self._alive = alive
        self._root = root
        self._wake = _wake_on_child_exit()
        self._reader = FrameReader()
        self._files: deque[int] = deque()
        self._workers: dict[int, int] = {}
        """Process id -> the app's number of the worker."""
        self._exits: dict[int, int] = {}
        """Process id -> wait status, not told yet."""
        self._template: Template
        self._left_behind = False
        """Something that a worker started did not end when it was killed."""

    def run(self, evaluate_module: str) -> NoReturn:
        gc.disable()  # nothing of what is loaded is garbage
        try:
            evaluate = cast(Evaluate, importlib.import_module(evaluate_module))
        except BaseException:
            self._tell({"t": "failed", "text": traceback.format_exc()})
            os._exit(1)
        gc.collect()
        gc.freeze()  # what is loaded stays shared between all workers
        gc.enable()
        version = ".".join(str(part) for part in sys.version_info[:3])
        self._tell({"t": "ready", "pid": os.getpid(), "python": sys.executable, "version": version})
        self._template = template = Template(evaluate, self._root, self._let_go, self._tell)
        while True:
            poll = select.poll()
            for fd in (self._control.fileno(), self._wake.fileno(), self._alive):
                poll.register(fd, select.POLLIN)
            if template.sock is not None:
                poll.register(template.sock, select.POLLIN)
            ready = {fd for fd, _ in poll.poll(_RETRY_MS if self._left_behind else None)}
            _drain(self._wake)
            if self._alive in ready:
                self._end()
            if self._control.fileno() in ready:
                self._receive(evaluate)
            template.listen()
            self._bury()

    def _tell(self, message: Message) -> None:
        try:
            send(self._control, message)
        except OSError:
            self._end()

    def _end(self) -> NoReturn:
        """The app or the guard is gone: end everything."""
        for pid in self._workers:
            kill_tree(pid)
        kill_strangers((), patience_s=5)
        scratch.forget_supervisor(os.getpid())
        os._exit(0)

    def _receive(self, evaluate: Evaluate) -> None:
        try:
            data, files, _, _ = socket.recv_fds(self._control, 1 << 16, 64)
        except OSError:
            self._end()
        self._files.extend(files)
        if not data:
            self._end()
        for message in self._reader.feed(data):
            if message["t"] == "fork":
                self._fork(message, evaluate)
            elif message["t"] == "kill":
                self._kill(message["workers"])
            elif message["t"] == "template":
                self._template.order(message)

    def _fork(self, message: Message, evaluate: Evaluate) -> None:
        worker: int = message["worker"]
        sock, slot, output = (self._files.popleft() for _ in range(_FILES_PER_FORK))
        (like, generation), memory_mb = message["born_like"], message["memory_mb"]
        birth = Birth(sock, slot, output, memory_mb, self._root, os.getpid())
        pid = self._template.fork(like, generation, memory_mb, (sock, slot, output))
        try:
            pid = pid or os.fork()
        except OSError as error:
            self._tell({"t": "exit", "worker": worker, "error": str(error)})
        else:
            if pid == 0:
                self._be_worker(evaluate, birth)
            self._workers[pid] = worker
            self._tell({"t": "forked", "worker": worker, "pid": pid})
        for fd in (sock, slot, output):
            os.close(fd)

    def _be_worker(self, evaluate: Evaluate, birth: Birth) -> NoReturn:
        try:
            self._let_go()
            become_worker(evaluate, birth)
        except BaseException:
            with contextlib.suppress(OSError):  # the log is closed: nobody is left to be told
                os.write(2, traceback.format_exc().encode("utf-8", "replace"))
        finally:
            os._exit(CRASH_EXIT)

    def _let_go(self) -> None:
        """In a child: nothing of the supervisor is its business."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.detach()  # closed by number; the object must not close a later file
        self._wake.detach()

    def _kill(self, workers: list[int]) -> None:
        wanted = set(workers)
        for pid, worker in self._workers.items():
            if worker in wanted and pid not in self._exits:
                kill_tree(pid)

    def _bury(self) -> None:
        """Reap what ended, end what dead workers left behind, then tell the app."""
        self._exits.update(reap())
        if not self._exits and not self._left_behind:
            return
        for pid in self._exits:
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
        living = (self._workers.keys() | {self._template.pid}) - self._exits.keys()
        self._exits.update(kill_strangers(living, _PATIENCE_S))
        self._left_behind = any(pid not in living for pid in children(os.getpid()))
        for pid, status in self._exits.items():
            worker = self._workers.pop(pid, None)
            if worker is None:
                continue
            scratch.forget_worker(pid)
            code = os.waitstatus_to_exitcode(status)
            how = {"code": code} if code >= 0 else {"signal": -code}
            self._tell({"t": "exit", "worker": worker, **how})
        self._exits.clear()
