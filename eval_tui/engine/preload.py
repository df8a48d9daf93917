"""Other people's modules in a process in which no judge has run yet, and what they rest on.

Runs in the template (see `template`): each worker that is forked from it has these modules without
importing them. What their imports looked at is noted as it is for a judge that imports them, and
becomes an input of every judge that does. They stand for a fresh import only as long as every file
and folder on which they rest is as it was. Standard library only, Python 3.10.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from eval_tui.engine.hygiene import StateCheck
from eval_tui.engine.observe import Observer, Watch, settle
from eval_tui.engine.versions import Observation, path_version, python_version
from eval_tui.judges.base import JudgeEnv, prepare_path

IMPORT_S = 60
"""How long an import may take; it is ended together with its process."""

_CLOCK_S = 0.05
"""More than the granularity of file times."""

_ALIVE = ("/proc/", "/dev/", "/sys/")
"""Folders of the system's own, whose files change all the time."""

_real_stat = os.stat
"""As it is before anything is wrapped around it."""


class Preload:
    """Imports into this process. There is one in a process, as its hooks stay for ever."""

    def __init__(self, plain: dict[str, Any]) -> None:
        """`plain`: `root`, `config`, `folders` (of run and dataset) and `unfit`, names of modules
        that must not be imported beforehand.
        """
        self.observer = Observer(plain["root"], plain["folders"])
        self.reads: dict[str, dict[Observation, None]] = {}
        """Name of a module -> what its import looked at."""
        self._unfit: list[str] = plain["unfit"]
        self._own = frozenset(sys.modules)
        self._signatures: dict[str, tuple[int, ...]] = {}
        """Every file and folder that the imports rest on, and how it was before that."""
        self._began = time.time() - _CLOCK_S
        self._young = False
        """Something has changed since the process began: who knows what was imported."""
        self.observer.install()
        prepare_path(JudgeEnv(plain["root"], plain["config"]))
        self._heavy = self.observer.modules.heavy
        self._heavy.begin()
        self._state = StateCheck(os.getcwd())
        self.observer.looked_at = self._rests_on
        inside = plain["root"] + os.sep  # there the observer notes what was looked for
        for folder in sys.path:
            if not os.path.join(os.path.abspath(folder), "").startswith(inside):
                self._rests_on(folder)
        self._open, self._shared = _open_files(), _shared_memory()

    def bring(self, name: str) -> str:
        """Import a module. Returns why the process cannot be used after that, or nothing."""
        watch = Watch(())
        tracker = self.observer.modules
        tracker.current, self.observer.watch = name, watch
        signal.alarm(IMPORT_S)
        try:
            importlib.import_module(name)
        except BaseException as error:  # whatever it does, it does it to this process alone
            return f"it cannot be imported: {type(error).__name__}: {error}"
        finally:
            signal.alarm(0)
            tracker.current, self.observer.watch = "", None
        why_not = next((words for check in self._checks(watch) if (words := check())), "")
        if not why_not:
            self._note(name, watch)
        return why_not

    def _checks(self, watch: Watch) -> Iterable[Callable[[], str]]:
        """Each tells what an import did that other workers must not share."""
        yield lambda: "it loads modules of the project" if self.observer.modules.files else ""
        yield lambda: "; ".join(watch.opaque)
        yield lambda: ", ".join(name for name in self._unfit if name in sys.modules)
        yield lambda: "; ".join(self._state.run()[0])
        yield lambda: "" if self._heavy.as_born else "it changes the surroundings of others"
        yield lambda: "it leaves files open" if _open_files() != self._open else ""
        yield lambda: "it shares memory" if _shared_memory() != self._shared else ""
        yield lambda: "" if _is_alone() else "it starts threads"

    def _note(self, name: str, watch: Watch) -> None:
        for observation, through in settle(watch):
            for module in through or (name,):
                self.reads.setdefault(module, {})[observation] = None
            self._young |= observation[2] == "moved"
        for name in sys.modules.keys() - self._own:
            for path in _places(sys.modules[name]):
                if path not in self._signatures:
                    # It was read before: it must not have changed since the process began.
                    self._signatures[path] = signature = _signature(path)
                    self._young |= max(signature[1:3], default=0) > self._began * 1e9

    def _rests_on(self, path: str) -> None:
        """An import is about to look at a path."""
        if path not in self._signatures and not path.startswith(_ALIVE):
            self._signatures[path] = _signature(path)

    def holds(self) -> bool:
        """Whether an import would bring the same now."""
        return (
            not self._young
            and python_version.__wrapped__() == python_version()
            and all(_signature(path) == known for path, known in self._signatures.items())
            and all(
                kind in ("env", "open") or path_version(kind, key) == version
                for seen in self.reads.values()
                for kind, key, version in seen
            )
        )

    def hand_over(self) -> None:
        """This process is a worker now: from here on its modules are those of a judge to come."""
        self.observer.looked_at = None
        self._heavy.found.clear()
        self._heavy.born_with = set(sys.modules) - self._own
        numpy: Any = sys.modules.get("numpy.random")
        if numpy is not None:  # else all workers would draw the same numbers
            numpy.seed()


def _signature(path: str) -> tuple[int, ...]:
    """Size, times and identity of a file or folder; empty where there is none."""
    try:
        info = _real_stat(path)
    except (OSError, ValueError):
        return ()
    return (info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def _places(module: object) -> set[str]:
    """The file of a module and the folders in which its parts were looked for."""
    file, folders = getattr(module, "__file__", None), getattr(module, "__path__", ())
    try:
        found = {os.path.abspath(folder) for folder in folders if isinstance(folder, str)}
    except Exception:  # a path that is worked out may fail like any other code
        found = set[str]()
    return found | {os.path.abspath(file)} if isinstance(file, str) else found


def _open_files() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


def _shared_memory() -> int:
    """How many pieces of writable memory the process would share with its children."""
    with open("/proc/self/maps", "rb") as maps:
        return sum(line.split(b" ", 2)[1] == b"rw-s" for line in maps)


def _is_alone() -> bool:
    """Whether this process has one thread, at least when it forks.

    Some libraries (OpenBLAS) end their threads before a fork and start them again when needed:
    whether that is so is tried out.
    """
    if len(os.listdir("/proc/self/task")) == 1:
        return True
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    return len(os.listdir("/proc/self/task")) == 1


_here: list[Preload] = []
"""The preload of this process, if it has one."""


def begin(plain: dict[str, Any]) -> Preload:
    """The preload of this process, which has none yet."""
    _here.append(Preload(plain))
    return _here[0]


def inherited() -> Preload | None:
    """What this worker was born with, or None."""
    for preload in _here:
        preload.hand_over()
        return preload
    return None
