"""What user code looks at besides its record: files, folders, environment, modules, processes.

Lives in a worker process. Python's audit events show opens, listings, processes and sockets;
wrappers show what raises no event (`stat`, imports that are cached). Everything seen becomes an
*observation* `(kind, key, version)`: what was looked at and the version of it that was seen.

| kind | key | version |
| --- | --- | --- |
| open | absolute path | digest of the content, or `missing` |
| list | absolute path | digest of names and kinds, or `missing` |
| list+ | absolute path | the same with sizes and mtimes: `DirEntry.stat` raises no event |
| exists | absolute path | `f`, `d`, `o`, or `-` |
| stat | absolute path | size and mtime, or `-` |
| link | absolute path | what the link holds, or `-` |
| module | absolute path | digest of the source that was compiled |
| env | name | digest of the value, or `-` |
| given | name | of a variable that a grader asks for: the same; of a credential `set` or `-` |
| python | | versions of interpreter and engine, digest of the names of installed packages |
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from eval_tui.engine import modules
from eval_tui.engine.modules import ModuleTracker
from eval_tui.engine.versions import (
    PACKAGE_FOLDERS,
    Observation,
    digest,
    path_version,
    python_version,
)

OPAQUE_EVENTS = {
    "subprocess.Popen": "started a process",
    "os.system": "started a process",
    "os.posix_spawn": "started a process",
    "os.fork": "forked",
    "os.forkpty": "forked",
    "os.exec": "started a process",
    "socket.__new__": "opened a socket",
    "socket.getaddrinfo": "looked up a host",
    "ctypes.dlopen": "called a C library",
    "sqlite3.connect": "opened a database",
}
"""Audit events after which a judge's inputs cannot be known any more (D26)."""

_EXISTENCE_CALLS = frozenset(
    {"exists", "lexists", "isfile", "isdir", "islink", "ismount", "is_file", "is_dir", "is_symlink"}
)
_LOADING = frozenset(
    {
        "get_data",
        "get_code",
        "exec_module",
        "load_module",
        "_check_name_wrapper",
        "_load_module_shim",
        "_load",
        "_load_unlocked",
        "_call_with_frames_removed",
    }
)
"""Functions of the import system that judges call to load a file themselves: theirs if nothing
else of the import system called them."""
_SYSTEM_PREFIXES = ("/proc/", "/dev/", "/sys/", "/usr/", "/lib/", "/lib64/", "/bin/", "/etc/")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STDLIB = os.path.dirname(os.__file__) + os.sep
_MAX_FRAMES = 80

_real_stat = os.stat
_real_lstat = os.lstat
_real_access = os.access
_real_readlink = os.readlink


class Watch:
    """What one judge's call looked at."""

    def __init__(self, case_dirs: tuple[str, ...]) -> None:
        self.case_dirs = case_dirs
        self.looks: dict[tuple[str, str], tuple[str, frozenset[str]]] = {}
        """(kind, key) -> the signature or version at that moment, and the modules on the stack."""
        self.written: set[str] = set()
        self.opaque: dict[str, None] = {}

    def note_file(self, path: str) -> None:
        """Code of ours opened a file for the judge, or looked for it in vain."""
        self.looks.setdefault(("open", path), (_signature(path), frozenset()))

    def note(self, kind: str, key: str, version: str) -> None:
        """Code of ours looked at something else for the judge."""
        self.looks.setdefault((kind, key), (version, frozenset()))

    def inside_case(self, path: str) -> bool:
        return any(path == folder or path.startswith(folder + os.sep) for folder in self.case_dirs)


class Observer:
    """The hooks of one worker process. They cannot be removed, so there is one for its life."""

    def __init__(self, root: str, extra_roots: Iterable[str]) -> None:
        self.root = root
        self.roots = (root, *extra_roots)
        """Where existence and stat are tracked: project, dataset and run folders."""
        self.watch: Watch | None = None
        self.modules = ModuleTracker(root, self._note_places)
        self.looked_at: Callable[[str], None] | None = None
        """Told of every path that is read, listed or asked about, those that are no inputs too."""
        self._outside = _ignored_prefixes()
        self._busy = threading.local()

    def install(self) -> None:
        """Put the hooks in place; before any user code is imported."""
        python_version()  # kept, since user code may change the path that it looks at
        sys.dont_write_bytecode = True
        sys.addaudithook(self._audit)
        os.stat = self._wrap_stat(_real_stat)  # type: ignore[assignment]
        os.lstat = self._wrap_stat(_real_lstat)  # type: ignore[assignment]
        os.access = self._wrap_stat(_real_access)  # type: ignore[assignment]
        os.readlink = self._wrap_stat(_real_readlink)  # type: ignore[assignment]
        os.environ = _TrackedEnviron(os.environ, self._note_env)  # type: ignore[assignment]  # noqa: B003
        self.modules.install()

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        watch = self.watch
        if watch is None or getattr(self._busy, "on", False):
            return
        self._busy.on = True  # what noting itself looks at is nobody's input
        try:
            if event == "open":
                self._opened(watch, args[0], args[1], args[2])
            elif event == "os.listdir" or event == "os.scandir":
                # Who calls `scandir` himself may ask its entries for sizes and times.
                stats = event == "os.scandir" and not _is_library(sys._getframe(1))
                kind = "list+" if stats else "list"
                self._looked(watch, kind, "." if args[0] is None else args[0])
            elif event in OPAQUE_EVENTS and not self._ours():
                watch.opaque[OPAQUE_EVENTS[event]] = None
        finally:
            self._busy.on = False

    def _opened(self, watch: Watch, path: Any, mode: Any, flags: Any) -> None:
        if _writes(mode, flags):
            absolute = self._absolute(path)
            if absolute and not self._ours():
                watch.written.add(absolute)
            return
        self._looked(watch, "open", path)

    def _looked(self, watch: Watch, kind: str, path: Any) -> None:
        absolute = self._absolute(path)
        if absolute and self.looked_at is not None:
            self.looked_at(absolute)
        if not absolute or absolute in watch.written or self._ignored(absolute):
            return
        if kind == "open" and f"{os.sep}__pycache__{os.sep}" in absolute:
            return
        if (kind, absolute) in watch.looks or self._ours():
            return
        seen = _signature(absolute) if kind == "open" else path_version(kind, absolute)
        watch.looks[(kind, absolute)] = (seen, self._modules_on_stack())

    def _wrap_stat(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(path: Any, *args: Any, **kwargs: Any) -> Any:
            watch = self.watch
            if watch is None or getattr(self._busy, "on", False):
                return real(path, *args, **kwargs)
            self._busy.on = True
            try:
                absolute = self._absolute(path)
                if absolute and self.looked_at is not None:
                    self.looked_at(absolute)
                if (
                    absolute
                    and absolute not in watch.written
                    and self._tracked(absolute)
                    and not self._ours()
                ):
                    kind = _kind_of_look(real)
                    if (kind, absolute) not in watch.looks:
                        seen = path_version(kind, absolute)
                        watch.looks[(kind, absolute)] = (seen, self._modules_on_stack())
            finally:
                self._busy.on = False
            return real(path, *args, **kwargs)

        wrapped.__name__ = real.__name__
        return wrapped

    def _note_env(self, name: str, value: str | None) -> None:
        watch = self.watch
        if watch is not None and ("env", name) not in watch.looks and not self._ours():
            seen = "-" if value is None else digest(value.encode("utf-8", "surrogateescape"))
            watch.looks[("env", name)] = (seen, self._modules_on_stack())

    def _note_places(self, candidates: tuple[str, ...]) -> tuple[str, ...]:
        """A module was looked for in these places; returns those where there is nothing."""
        found = {path: path_version("exists", path) for path in candidates}
        watch = self.watch
        if watch is not None:
            for path, version in found.items():
                watch.looks.setdefault(("exists", path), (version, self._modules_on_stack()))
        return tuple(path for path, version in found.items() if version == "-")

    def _absolute(self, path: Any) -> str:
        if isinstance(path, int) or path is None:
            return ""
        try:
            text = os.fsdecode(path)
            return os.path.normpath(os.path.join(os.getcwd(), text))
        except (TypeError, ValueError, OSError):
            return ""

    def _tracked(self, path: str) -> bool:
        return not self._ignored(path) and any(
            path == root or path.startswith(root + os.sep) for root in self.roots
        )

    def _ignored(self, path: str) -> bool:
        if any(path.startswith(prefix) for prefix in self._outside):
            return True
        if path.startswith(self.root + os.sep):
            return modules.foreign_below(self.root, path)
        return path.startswith(_SYSTEM_PREFIXES)

    def _ours(self) -> bool:
        """Whether the product or the import system does this, not the judge's code.

        The innermost frame outside of the standard library decides.
        """
        frame: FrameType | None = sys._getframe(2)
        for _ in range(_MAX_FRAMES):
            if frame is None:
                return False
            name = frame.f_code.co_filename
            if name.startswith("<frozen importlib"):
                if frame.f_code.co_name not in _LOADING:
                    return True
            elif name.startswith(_PACKAGE):
                if not name.endswith("observe.py"):
                    return True
            elif not _is_library(frame):
                return False
            frame = frame.f_back
        return False

    def _modules_on_stack(self) -> frozenset[str]:
        """Files of the project's modules whose code is running now, and names of those of others
        that are being imported.
        """
        importing = self.modules.heavy.outermost
        if not (self.modules.files or importing):
            return frozenset()
        found: set[str] = set()
        frame: FrameType | None = sys._getframe(2)
        for _ in range(_MAX_FRAMES):
            if frame is None:
                break
            if frame.f_code.co_filename in self.modules.files:
                found.add(frame.f_code.co_filename)
            elif importing and frame.f_code.co_name == "<module>":
                found.add(str(frame.f_globals.get("__name__")))
            frame = frame.f_back
        return frozenset(found)


def _writes(mode: object, flags: object) -> bool:
    """Whether a file is opened, as its audit event tells, to be written to."""
    if isinstance(mode, str) and any(letter in mode for letter in "wax+"):
        return True
    return isinstance(flags, int) and bool(
        flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    )


def _is_library(frame: FrameType) -> bool:
    """Whether the frame's code is of the standard library."""
    name = frame.f_code.co_filename
    return name.startswith(("<frozen", _STDLIB)) and "site-packages" not in name


def _kind_of_look(real: Callable[..., Any]) -> str:
    """The kind of the observation that a call of a wrapped function makes."""
    if real is _real_readlink:
        return "link"
    return "exists" if real is _real_access or _asks_existence() else "stat"


def _asks_existence() -> bool:
    """Whether the wrapped `stat` was called by `exists`, `is_file` and the like."""
    frame: FrameType | None = sys._getframe(3)
    for _ in range(3):
        if frame is None or not frame.f_code.co_filename.startswith(("<frozen", _STDLIB)):
            return False
        if frame.f_code.co_name in _EXISTENCE_CALLS:
            return True
        frame = frame.f_back
    return False


def settle(watch: Watch) -> list[tuple[Observation, frozenset[str]]]:
    """The observations of a finished call, with the modules through which each was made.

    A file that changed between the moment it was opened and now has the version `moved`,
    which never equals anything: such a cell is stale at once.
    """
    settled: list[tuple[Observation, frozenset[str]]] = []
    for (kind, key), (seen, through) in watch.looks.items():
        version = seen
        if kind == "open":
            version = path_version("open", key)
            if _signature(key) != seen:
                version = "moved"
        settled.append(((kind, key, version), through))
    return settled


def _signature(path: str) -> str:
    try:
        info = _real_stat(path)
    except (OSError, ValueError):
        return "-"
    return f"{info.st_size}:{info.st_mtime_ns}:{info.st_ctime_ns}:{info.st_ino}"


def _ignored_prefixes() -> tuple[str, ...]:
    """Folders whose files are never inputs: the interpreter, its packages and our own code."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.__file__)}
    prefixes.update(p for p in sys.path if p.endswith(PACKAGE_FOLDERS))
    prefixes.add(_PACKAGE)
    return tuple(p.rstrip(os.sep) + os.sep for p in prefixes if p and p != os.sep)


class _TrackedEnviron(type(os.environ)):  # type: ignore[misc]
    """`os.environ` that tells which names were asked for."""

    def __init__(self, source: Any, note: Callable[[str, str | None], None]) -> None:
        super().__init__(
            source._data, source.encodekey, source.decodekey, source.encodevalue, source.decodevalue
        )
        self._note = note

    def __getitem__(self, key: Any) -> str:
        try:
            value = super().__getitem__(key)
        except KeyError:
            self._note(str(key), None)
            raise
        self._note(str(key), value)
        return value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None  # noting is what `get` does
