"""The template: a process that knows heavy imports, from which workers are forked.

Every plan gets fresh workers, and each of them would import what its judges need anew. What took
long and is not the project's own is therefore imported once, in a process that runs no code of the
project; workers forked from it have it at once. An import that does more than define things
(threads, child processes, open files, changed settings) is left to the workers, as is everything
when a file of the imported packages has changed.

The template is a child of the supervisor, and so are the workers that it forks: a process in
between ends at once, which makes orphans of them, and the supervisor adopts orphans. That needs
Linux; elsewhere there is no template. Standard library only, Python 3.10.
"""

from __future__ import annotations

import contextlib
import gc
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from eval_tui.engine.frames import FrameError, FrameReader, Message, encode, send
from eval_tui.engine.processes import die_with_parent, kill_tree
from eval_tui.engine.slot import CRASH_EXIT
from eval_tui.engine.worker import Birth, Evaluate, become_worker, close_others, take_streams

_ANSWER_S = 2.0
"""How long a fork may take; it takes milliseconds."""

_ATTEMPTS = 3
"""How many templates may be of no use, one after the other."""

_FILES = 3


class Template:
    """The supervisor's hold on its template."""

    def __init__(
        self,
        evaluate: Evaluate,
        root: str,
        let_go: Callable[[], None],
        tell: Callable[[Message], None],
    ) -> None:
        """`let_go`, called in a child, lets go of what belongs to the supervisor; `tell` tells the
        app when workers can be had.
        """
        self._evaluate, self._root, self._let_go, self._tell = evaluate, root, let_go, tell
        self._order: Message = {}
        self._refused: set[str] = set()
        self._attempts = 0
        self._importing = ""
        self._ready = False
        self._reader = FrameReader()
        self.pid = 0
        """Process id, or 0."""
        self.sock: socket.socket | None = None

    def order(self, message: Message) -> None:
        """Make one that knows `names`; see `Preload` for the rest."""
        self._order, self._attempts = message, 0
        self._refused.clear()
        self._start()

    def drop(self) -> None:
        """End it."""
        if self.sock is not None:
            self.sock.close()
            kill_tree(self.pid)
        self.sock, self.pid, self._ready, self._importing = None, 0, False, ""

    def _start(self) -> None:
        self.drop()
        names = [name for name in self._order["names"] if name not in self._refused]
        if not names or self._attempts >= _ATTEMPTS:
            return
        ours, theirs = socket.socketpair()
        supervisor = os.getpid()
        try:
            self.pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            return
        if self.pid == 0:
            try:
                self._let_go()
                ours.detach()
                become_template(
                    self._evaluate, theirs, {**self._order, "names": names}, self._root, supervisor
                )
            finally:
                os._exit(CRASH_EXIT)
        theirs.close()
        self.sock, self._reader = ours, FrameReader()

    def listen(self) -> None:
        """It has something to say."""
        if self.sock is None:
            return
        try:
            data = self.sock.recv(1 << 16, socket.MSG_DONTWAIT)
            messages = self._reader.feed(data)
        except BlockingIOError:
            return
        except (OSError, FrameError):
            data, messages = b"", []
        for message in messages:
            if message["t"] == "importing":
                self._importing = message["name"]
            elif message["t"] == "ready":
                self._importing, self._ready = "", True
                self._tell({"t": "template", "key": self._order["key"]})
            elif message["t"] == "refused":
                self._refuse(self._importing)
                return
        if not data:
            self._refuse(self._importing)

    def _refuse(self, name: str) -> None:
        """It cannot be used: try without that import, or once more."""
        if name:
            self._refused.add(name)
        else:
            self._attempts += 1
        self._start()

    def fork(self, like: str, generation: int, memory_mb: int, files: Sequence[int]) -> int:
        """A worker that knows what was ordered under the key `like`: its process id, or 0."""
        if not self._ready or self.sock is None or self._order["key"] != like:
            return 0
        request = {"t": "fork", "generation": generation, "memory_mb": memory_mb}
        self.sock.settimeout(_ANSWER_S)
        try:
            socket.send_fds(self.sock, [encode(request)], files)
            messages: list[Message] = []
            while not messages:
                data = self.sock.recv(1 << 16)
                if not data:
                    raise OSError("it has ended")
                messages = self._reader.feed(data)
        except (OSError, FrameError):  # a timeout is an OSError
            self._refuse("")
            return 0
        self.sock.settimeout(None)
        pid: int = messages[0]["pid"]
        if pid:
            self._attempts = 0
        else:  # something it rests on has changed, so what was refused may do now
            self._refused.clear()
            self._attempts += 1
            self._start()
        return pid


def become_template(
    evaluate: Evaluate, sock: socket.socket, order: dict[str, Any], root: str, supervisor: int
) -> NoReturn:
    """Turn a fork of the supervisor into the template, and fork workers until told to end."""
    os.setsid()
    die_with_parent(supervisor)
    close_others({sock.fileno()})
    os.chdir(root)
    output = os.memfd_create("eval-tui-template")
    streams = take_streams(output, order["memory_mb"])
    loaded = evaluate.preload(order)
    for name in order["names"]:
        send(sock, {"t": "importing", "name": name})
        if why_not := loaded.bring(name):
            send(sock, {"t": "refused", "why": why_not})
            os._exit(0)
    gc.collect()
    gc.freeze()  # what is loaded stays shared between all workers
    send(sock, {"t": "ready"})
    reader, held_for = FrameReader(), -1
    while True:
        data, files, _, _ = socket.recv_fds(sock, 1 << 16, _FILES)
        if not data:
            os._exit(0)
        for message in reader.feed(data):
            if held_for != message["generation"] and loaded.holds():
                held_for = message["generation"]
            pid = 0
            if held_for == message["generation"]:
                worker, slot, printed = files
                birth = Birth(worker, slot, printed, message["memory_mb"], root, supervisor)
                pid = _orphan(lambda birth=birth: become_worker(evaluate, birth, streams))
            for fd in files:
                os.close(fd)
            send(sock, {"t": "forked", "pid": pid})


def _orphan(life: Callable[[], NoReturn]) -> int:
    """Fork a process whose parent is the next one above this that adopts orphans; its id, or 0."""
    told, tell = os.pipe()
    gate, open_gate = os.pipe()
    between = os.fork()
    if not between:
        child = os.fork()
        if child:
            os.write(tell, str(child).encode())
            os._exit(0)
        os.close(open_gate)
        if os.read(gate, 1):  # else the template has ended, and nobody knows of this process
            with contextlib.suppress(BaseException):  # the exit code tells: no worker came of it
                life()
        os._exit(CRASH_EXIT)
    os.close(tell)
    os.close(gate)
    os.waitpid(between, 0)  # now the orphan has its new parent
    pid = int(os.read(told, 32) or 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(open_gate, b"\0")
    os.close(told)
    os.close(open_gate)
    return pid
