"""What keeps one judge's doings from the next one's: the state of the process, before and after.

What can be put back exactly (current folder, environment, streams, signal handlers, tracing,
settings) is put back and noted. What cannot (threads, child processes, copies of the process,
limits, heaps of memory and open files) is noted and costs the worker its life once the cell is
finished.
"""

from __future__ import annotations

import _thread
import contextlib
import fcntl
import importlib
import os
import resource
import signal
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, cast

from eval_tui.engine.processes import kill_tree
from eval_tui.engine.python_state import PythonState

COPY_EXIT = 86
"""Exit code of a copy of the worker that a judge made with `os.fork` and let return."""

THREAD_GRACE_S = 0.02
"""How long a thread that is about to end may take, before it counts as left behind."""

HOARD_FILES = 128
"""Open files that judges may leave behind before the worker is replaced."""

HOARD_SHARE = 0.5
"""Share of the memory within their limit that judges may leave in use before the worker is
replaced."""

_BRIEF_S = 0.0005
_EVERY = 16
_PAGE = resource.getpagesize()
"""Memory and files are counted after judges that took longer than `_BRIEF_S`, else every 16th time:
a brief one cannot have hoarded much."""

_raw: Any = importlib.import_module("_signal")
"""The functions below `signal`, which wraps each answer in an enum: ten times slower."""

_SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGALRM,
    signal.SIGVTALRM,
    signal.SIGPROF,
    signal.SIGCHLD,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGPIPE,
    signal.SIGQUIT,
)
_NUMBERS = tuple(int(number) for number in _SIGNALS)
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


def ignore_interrupts() -> None:
    """While no judge runs, ctrl+c is not this process's business."""
    _raw.signal(_NUMBERS[0], _raw.SIG_IGN)


def allow_interrupts() -> None:
    """A judge finds the handler of SIGINT that it expects."""
    _raw.signal(_NUMBERS[0], _raw.default_int_handler)


def _handlers() -> tuple[Any, ...]:
    return tuple([_raw.getsignal(number) for number in _NUMBERS])


def limit_process(memory_mb: int) -> None:
    """No core files, a bound on memory (0: none), first in line when the system runs out of it."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_mb > 0:
        size = memory_mb * 1024 * 1024
        # Elsewhere than on Linux the data segment leaves out what is mapped.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        with contextlib.suppress(OSError, ValueError):
            hard = resource.getrlimit(kind)[1]
            size = size if hard == resource.RLIM_INFINITY else min(size, hard)
            resource.setrlimit(kind, (size, size))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def _flags(fd: int) -> int | None:
    """How a file is open; None when it is closed.

    Judges' own files are practically never open for reading, writing and appending at once, as
    the worker's are; to ask for the file's identity takes five times as long.
    """
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFL)
    except OSError:
        return None


def _environment() -> dict[Any, Any]:
    """The mapping inside `os.environ`, which may be one that notes who asks for what."""
    return cast("dict[Any, Any]", os.environ._data)  # type: ignore[attr-defined]


def _lowest_free_file() -> int:
    """The number that the next file gets; when all are taken, a very large one."""
    try:
        fd = os.dup(0)
    except OSError:
        return 1 << 20
    os.close(fd)
    return fd


def _memory_limit() -> int:
    """Bytes of private memory that the process may use; 0 for no limit."""
    size = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return 0 if size == resource.RLIM_INFINITY else size


def _open_statm() -> int:
    try:
        return os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return -1


def _memory_in_use(statm: int) -> int:
    """Bytes of private memory that the process uses; 0 where it cannot be known.

    `statm` is the open file that tells, as far as judges have left it open.
    """
    try:
        return int(os.pread(statm, 100, 0).split()[5]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


@dataclass
class _Baseline:
    environ: Any
    variables: dict[Any, Any]
    path: list[str]
    streams: tuple[Any, Any, Any]
    files: tuple[int | None, ...]
    handlers: tuple[Any, ...]
    recursion: int
    threads: int
    lowest: int
    memory: int


class StateCheck:
    """Compares the process with a baseline, and puts back what can be put back."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._spare = [os.dup(0), os.dup(1)]
        self._python = PythonState()
        self._mended: list[str] = []
        self._runs = 0
        self._looked = False
        self._statm = _open_statm()
        self._limit = _memory_limit()
        self._baseline = self._take()

    def _take(self) -> _Baseline:
        return _Baseline(
            environ=os.environ,
            variables=dict(_environment()),
            path=list(sys.path),
            streams=(sys.stdin, sys.stdout, sys.stderr),
            files=(_flags(0), _flags(1), _flags(2)),
            handlers=_handlers(),
            recursion=sys.getrecursionlimit(),
            threads=_thread._count(),
            lowest=_lowest_free_file(),
            memory=_memory_in_use(self._statm),
        )

    def accept(self) -> None:
        """Take the process as it is for the baseline."""
        self._baseline = self._take()
        self._python.accept()

    @property
    def mended(self) -> bool:
        """`mend` has been called since the last `run`."""
        return self._looked

    def mend(self) -> None:
        """Put back what everything else rests on. `run` tells what was off."""
        self._mended += self._python.mend()
        self._looked = True

    def run(self, *, took_s: float = 1.0) -> tuple[list[str], bool]:
        """Notes on what was off, in plain words, and whether the worker must be replaced.

        `took_s` is how long the judge ran.
        """
        if not self._looked:
            self.mend()
        notes, self._mended, self._looked = self._mended, [], False
        spoiled = bool(notes)
        # Tracing and timers first: they could act on the check itself.
        self._restore_tracing(notes)
        self._restore_signals(notes)
        if self._hooks(notes):  # nothing else can be relied upon
            return notes, True
        spoiled |= self._children(notes)
        spoiled |= self._threads(notes)
        spoiled |= self._folder(notes)
        spoiled |= self._streams(notes)
        self._restore_environment(notes)
        self._restore_path(notes)
        spoiled |= self._python.reset(notes)
        self._runs += 1
        if took_s > _BRIEF_S or not self._runs % _EVERY:
            spoiled |= self._hoards(notes)
        if sys.getrecursionlimit() != self._baseline.recursion:
            sys.setrecursionlimit(self._baseline.recursion)
            notes.append("changed the recursion limit")
        return notes, spoiled

    def _restore_tracing(self, notes: list[str]) -> None:
        if sys.gettrace() is not None or sys.getprofile() is not None:
            sys.settrace(None)
            sys.setprofile(None)
            notes.append("left a trace function in place")

    def _restore_signals(self, notes: list[str]) -> None:
        for timer in _TIMERS:
            if _raw.getitimer(timer)[0]:
                _raw.setitimer(timer, 0)
                notes.append("left a timer running")
        if _handlers() == self._baseline.handlers:
            return
        for number, handler in zip(_SIGNALS, self._baseline.handlers, strict=True):
            if _raw.getsignal(number) != handler:
                _raw.signal(number, _raw.SIG_DFL if handler is None else handler)
                notes.append(f"changed the handler of {number.name}")

    def _hooks(self, notes: list[str]) -> bool:
        """Audit hooks cannot be taken out again; one that raises would spoil everything."""
        try:
            sys.audit("eval_tui.check")
        except BaseException:
            notes.append("left an audit hook that raises")
            return True
        return False

    def _children(self, notes: list[str]) -> bool:
        copies = 0
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                notes.append("left a process running, which was ended")
                kill_tree(os.getpid(), itself=False)
                return True
            copies += os.WIFEXITED(status) and os.WEXITSTATUS(status) == COPY_EXIT
        if copies:
            notes.append("made a copy of the worker with os.fork, which was ended")
        return bool(copies)

    def _threads(self, notes: list[str]) -> bool:
        if _thread._count() <= self._baseline.threads:
            return False
        give_up = time.monotonic() + THREAD_GRACE_S
        for thread in threading.enumerate():
            if thread is not threading.current_thread():
                thread.join(max(0.0, give_up - time.monotonic()))
        if _thread._count() <= self._baseline.threads:
            return False
        names = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
        notes.append(f"left a thread running ({', '.join(names[:5]) or 'unnamed'})")
        return True

    def _hoards(self, notes: list[str]) -> bool:
        """What judges kept would be missing to the next ones, whose errors it would become."""
        files = _lowest_free_file() - self._baseline.lowest
        if files > HOARD_FILES:
            notes.append(f"left about {files} files open")
        used = _memory_in_use(self._statm) - self._baseline.memory
        much = self._limit > 0 and used > (self._limit - self._baseline.memory) * HOARD_SHARE
        if much:
            notes.append(f"left {used >> 20:,} MB of memory in use")
        return files > HOARD_FILES or much

    def _folder(self, notes: list[str]) -> bool:
        try:
            here = os.getcwd()
        except OSError:  # it was deleted
            here = ""
        if here == self._root:
            return False
        notes.append("changed the current folder")
        try:
            os.chdir(self._root)
        except OSError:
            return True
        return False

    def _streams(self, notes: list[str]) -> bool:
        stdin, stdout, stderr = self._baseline.streams
        if sys.stdin is not stdin or sys.stdout is not stdout or sys.stderr is not stderr:
            sys.stdin, sys.stdout, sys.stderr = stdin, stdout, stderr
            notes.append("replaced a standard stream")
        files = (_flags(0), _flags(1), _flags(2))
        if files == self._baseline.files:
            return False
        notes.append("closed or redirected a standard file")
        try:
            os.dup2(self._spare[0], 0)
            os.dup2(self._spare[1], 1)
            os.dup2(self._spare[1], 2)
        except OSError:
            return True
        return (_flags(0), _flags(1), _flags(2)) != self._baseline.files

    def _restore_environment(self, notes: list[str]) -> None:
        before = self._baseline
        if os.environ is not before.environ:
            os.environ = before.environ  # noqa: B003
            notes.append("replaced os.environ")
        now = _environment()
        if now == before.variables:
            return
        names = [
            key for key in {*now, *before.variables} if now.get(key) != before.variables.get(key)
        ]
        for key in names:
            name = os.fsdecode(key)
            if key in before.variables:
                os.environ[name] = os.fsdecode(before.variables[key])
            else:
                del os.environ[name]
        if b"TZ" in names:
            time.tzset()
        shown = ", ".join(sorted(os.fsdecode(key) for key in names)[:5])
        notes.append(f"changed the environment ({shown})")

    def _restore_path(self, notes: list[str]) -> None:
        """Folders that user code adds stay, once each: its later imports rest on them."""
        if sys.path == self._baseline.path:
            return
        if missing := [entry for entry in self._baseline.path if entry not in sys.path]:
            sys.path[:0] = missing
            notes.append("removed folders from sys.path")
        sys.path[:] = dict.fromkeys(sys.path)
        self._baseline.path = list(sys.path)


def quiet_stdin() -> None:
    """Python's standard input: file 0, which holds nothing."""
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
