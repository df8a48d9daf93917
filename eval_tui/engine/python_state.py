"""What the judges of a worker share inside Python itself: before and after each of them.

Functions of the standard library that a judge has replaced, modules that it has removed, and the
settings of the interpreter. What was changed is put back and noted. A judge that replaced or
removed something costs the worker its life as well, as nobody knows who still holds it.

What a *module* of the project does while it is imported is meant to last (`os.environ`, a larger
recursion limit, a patch): it is noted, and taken for the state to come back to.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import io
import json
import os
import posixpath
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from operator import itemgetter
from types import ModuleType
from typing import Any, cast

_locale: Any = importlib.import_module("_locale")
_signal: Any = importlib.import_module("_signal")
_socket: Any = importlib.import_module("_socket")

_OF_OS = (
    "_exit access chdir close cpu_count dup dup2 fork fsdecode fsencode fspath fstat"
    " ftruncate getcwd getenv getpid getppid kill killpg listdir lseek lstat makedirs mkdir open"
    " path pread putenv read readlink remove rename replace rmdir scandir sep stat system umask"
    " unlink urandom waitpid walk write"
)
"""The part of `os` that is looked at: it has hundreds of names."""


def _functions(owner: ModuleType | type) -> list[str]:
    everything: dict[str, object] = dict(vars(owner))
    return [
        name
        for name, value in everything.items()
        if callable(value)
        and not (isinstance(value, type) and issubclass(value, BaseException))
        and not (name.startswith("_") and owner is not builtins)
    ]


_MODULES = "sys.modules"


class _Names:
    """Some names of a module, a class or a mapping, and what they stood for."""

    def __init__(self, title: str, owner: Any, names: Sequence[str]) -> None:
        self.title = title
        self._owner = owner
        self._namespace: dict[str, Any] = owner if title == _MODULES else cast(Any, vars(owner))
        self._names = [name for name in names if name in self._namespace]
        self._get = itemgetter(*self._names)
        self.accept()

    def accept(self) -> None:
        namespace = self._namespace
        self._values: tuple[Any, ...] = tuple(namespace.get(name) for name in self._names)

    def intact(self) -> bool:
        try:  # compares identities first, at the speed of C
            return self._get(self._namespace) == self._values
        except BaseException:  # removed; or what stands there cannot be compared
            return False

    def mend(self) -> list[str]:
        """Put everything back; returns the names that were changed."""
        changed: list[str] = []
        for name, value in zip(self._names, self._values, strict=True):
            if self._namespace.get(name) is not value:
                changed.append(name)
                if self._namespace is self._owner:
                    self._namespace[name] = value
                else:
                    setattr(self._owner, name, value)
        return changed


class PythonState:
    """The interpreter as it was, and how to get back there."""

    def __init__(self) -> None:
        owners: list[ModuleType | type] = [builtins, posixpath, io, time, signal]
        owners += [json, json.encoder, json.decoder, json.JSONEncoder, json.JSONDecoder]
        self._guards = [_Names(owner.__name__, owner, _functions(owner)) for owner in owners]
        self._guards.append(_Names("os", os, _OF_OS.split()))
        ours = [name for name in sys.modules if name.partition(".")[0] == "eval_tui"]
        kept = [*ours, "builtins", "io", "json", "os", "posixpath", "re", "signal", "sys", "time"]
        self._modules = sys.modules
        self._guards.append(_Names(_MODULES, sys.modules, kept))
        self._importers: tuple[list[Any], list[Any]] = (sys.meta_path, sys.path_hooks)
        self._limits = False
        sys.addaudithook(self._audit)
        self.accept()

    def _audit(self, event: str, args: Any) -> None:
        if event in ("resource.setrlimit", "resource.prlimit"):
            self._limits = True

    # The library

    def accept(self) -> None:
        """Take everything as it is now for the state to come back to."""
        for guard in self._guards:
            guard.accept()
        self._importing = tuple(list(hooks) for hooks in self._importers)
        self._collects = gc.isenabled()
        self._switch = sys.getswitchinterval()
        self._language = _locale.setlocale(_locale.LC_ALL)
        self._parts = (_locale.setlocale(_locale.LC_CTYPE), _locale.setlocale(_locale.LC_NUMERIC))
        self._patience = _socket.getdefaulttimeout()
        self._filters = list(warnings.filters)
        self._mask = os.umask(0o77)
        os.umask(self._mask)
        self._priority = os.getpriority(os.PRIO_PROCESS, 0)
        self._blocked = _signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._limits = False

    def mend(self) -> list[str]:
        """Put the library back; returns notes. With any of them, the worker must be replaced.

        Comes first after a judge: all else needs the library.
        """
        notes: list[str] = []
        if sys.modules is not self._modules:
            sys.modules = self._modules
            notes.append("replaced sys.modules")
        for guard in self._guards:
            changed = [] if guard.intact() else guard.mend()
            notes += [f"replaced {guard.title}: {', '.join(changed[:5])}"] if changed else []
        self._mend_imports(notes)
        return notes

    def _mend_imports(self, notes: list[str]) -> None:
        """What was added to the import system stays, what was taken out comes back."""
        if (sys.meta_path, sys.path_hooks) == self._importing and (
            sys.meta_path is self._importers[0] and sys.path_hooks is self._importers[1]
        ):
            return
        present: tuple[list[Any], list[Any]] = (sys.meta_path, sys.path_hooks)
        for hooks, now, before in zip(self._importers, present, self._importing, strict=True):
            if now is not hooks or any(hook not in now for hook in before):
                hooks[:] = before
                notes.append("took parts of the import system out")
            else:
                before[:] = now
        sys.meta_path, sys.path_hooks = self._importers

    # Settings

    def reset(self, notes: list[str]) -> bool:
        """Put settings back and note what was off; True when that cannot be done."""
        if gc.isenabled() != self._collects:
            (gc.enable if self._collects else gc.disable)()
            notes.append("switched the garbage collector " + ("off" if self._collects else "on"))
        if sys.getswitchinterval() != self._switch:
            sys.setswitchinterval(self._switch)
            notes.append("changed the switch interval of threads")
        if _socket.getdefaulttimeout() != self._patience:
            _socket.setdefaulttimeout(self._patience)
            notes.append("changed the default timeout of sockets")
        if warnings.filters != self._filters:
            self._reset_warnings(notes)
        parts = (_locale.setlocale(_locale.LC_CTYPE), _locale.setlocale(_locale.LC_NUMERIC))
        if parts != self._parts:
            _locale.setlocale(_locale.LC_ALL, self._language)
            notes.append("changed the locale")
        if os.umask(self._mask) != self._mask:
            notes.append("changed the umask")
        blocked = _signal.pthread_sigmask(signal.SIG_BLOCK, ())
        if blocked != self._blocked:
            _signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)
            notes.append("blocked signals")
        return self._beyond_repair(notes)

    def _reset_warnings(self, notes: list[str]) -> None:
        """Only filters that would make an error of a warning are another judge's business."""
        if any(entry[0] == "error" and entry not in self._filters for entry in warnings.filters):
            mutable: Any = warnings.filters
            mutable[:] = self._filters
            notes.append("made errors of warnings")
            renew: Callable[[], None] | None = getattr(warnings, "_filters_mutated", None)
            if renew is not None:
                renew()
        else:
            self._filters = list(warnings.filters)

    def _beyond_repair(self, notes: list[str]) -> bool:
        """What an ordinary process cannot take back."""
        spoiled = self._limits
        if spoiled:
            notes.append("changed the limits of the process")
        if os.getpriority(os.PRIO_PROCESS, 0) != self._priority:
            notes.append("changed the priority of the process")
            spoiled = True
        if "faulthandler" in sys.modules:  # it may have been told to end the process later
            sys.modules["faulthandler"].cancel_dump_traceback_later()
        return spoiled
