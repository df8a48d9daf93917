"""What the loaders of the parts of one record share: paths, the disk, and what was made already."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from typing import TypeVar, cast

from eval_tui.record.disk import Disk
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.spec import RecordSpec

T = TypeVar("T")

_NOT_MADE = object()

_resolved: dict[str, tuple[tuple[int, int], str]] = {}
"""Folders resolved lately: (device, inode) and real path. All cases of a run share a few."""


def resolved(folder: str) -> str:
    """`os.path.realpath` of a folder, remembered while both names still mean the same folder."""
    try:
        identity = _identity(folder)
        kept = _resolved.get(folder)
        if kept is not None and kept[0] == identity == _identity(kept[1]):
            return kept[1]
    except OSError:
        return os.path.realpath(folder)
    real = os.path.realpath(folder)
    if len(_resolved) > 100:
        _resolved.clear()
    _resolved[folder] = (identity, real)
    return real


def stays_inside(path: str, folder: str) -> bool:
    """Whether a path named below `folder` lies in it with links resolved."""
    names = path[len(folder) + 1 :].split(os.sep) if path.startswith(folder + os.sep) else [".."]
    ends = [folder, *itertools.accumulate([folder, *names], os.path.join)][2:]
    if os.pardir not in names and not any(map(os.path.islink, ends)):
        return True
    real, base = os.path.realpath(path), resolved(folder)
    return real == base or real.startswith(base.rstrip(os.sep) + os.sep)


def _identity(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


class Context:
    """One case of one run. Each part is made once; looks at the disk are noted per part."""

    def __init__(self, spec: RecordSpec, case_id: str) -> None:
        self.spec = spec
        self.case_id = case_id
        self.folder = os.path.join(spec.run_dir, "cases", case_id)
        """The case's folder in the run, as named."""
        self.dataset_folder = os.path.join(spec.dataset_dir, case_id) if spec.dataset_dir else ""
        self.disk = Disk()
        self.notes: list[str] = []
        self._made: dict[str, object] = {}
        self._lock = threading.RLock()

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What `make` returns, made at the first call only; PartUnreadable is remembered too.

        `name` is the part's name; names that begin with a NUL are internal steps,
        which no key or file can be called.
        """
        with self._lock:
            made = self._made.get(name, _NOT_MADE)
            if made is _NOT_MADE:
                made = self._made[name] = self._make(name, make)
            else:
                self.disk.use(name)
        if isinstance(made, PartUnreadable):
            raise made.again()
        return cast(T, made)

    def _make(self, name: str, make: Callable[[], object]) -> object:
        self.disk.enter(name)
        try:
            return make()
        except PartUnreadable as error:
            return error
        finally:
            self.disk.leave()

    def note(self, text: str) -> None:
        """Something that could not be read as it should be, in words; said once."""
        if text not in self.notes:
            self.notes.append(text)

    def case_dir(self) -> str:
        """The case's folder, absolute and with links resolved."""
        return self.once("\0case_dir", self._resolve)

    def inside_case(self, path: str) -> bool:
        """Whether a path below the case's folder lies in it with links resolved."""
        return stays_inside(path, self.folder)

    def _resolve(self) -> str:
        self.disk.look(self.folder)
        if os.path.islink(self.folder):
            return os.path.realpath(self.folder)
        return os.path.join(resolved(os.path.dirname(self.folder)), self.case_id)

    def shown(self, path: str) -> str:
        """A path as it is named to people: relative to the run or the dataset where it lies in it."""
        for base in (self.spec.run_dir, self.spec.dataset_dir):
            if base and path.startswith(base + os.sep):
                return path[len(base) + 1 :]
        return path
