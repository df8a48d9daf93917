"""Files that the app writes itself when asked to: no reason to judge anything again (S14)."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterable, Set
from contextlib import contextmanager
from typing import Final

from eval_tui.atomic import aside_of, write_whole
from eval_tui.engine.folders import files_signature
from eval_tui.engine.lenses import read_object

KEPT: Final = "written.json"
KEPT_MOST: Final = 200
"""Files whose signatures are kept; the ones written first go first."""


class OwnFiles:
    """What was written, as it was left."""

    def __init__(self, folder: str | None = None) -> None:
        """`folder`: the store's, where it is kept for later sessions; None for nowhere."""
        self._left: dict[str, str] = {}
        """Path -> signature; empty while it is being written."""
        self._kept = os.path.join(folder, KEPT) if folder else ""

    @contextmanager
    def writing(self, path: str) -> Generator[None]:
        """The file is written meanwhile. One that could not be written is no more our own by it."""
        paths = {path, os.path.realpath(path)}
        before = {one: self._left[one] for one in paths if one in self._left}
        self._left |= dict.fromkeys(paths, "")
        try:
            yield
        except BaseException:
            for one in paths:
                del self._left[one]
            self._left |= before
            raise
        self._left |= {one: files_signature([one])[0] for one in paths}
        self._keep(os.path.realpath(path))

    def as_left(self, path: str) -> bool:
        """Whether a file is there as it was left here, in this session or an earlier one."""
        path = os.path.realpath(path)
        known = read_object(self._kept).get(path) if self._kept else self._left.get(path)
        return os.path.exists(path) and known == files_signature([path])[0]

    def _keep(self, path: str) -> None:
        """It is a convenience: where it cannot be written, people are asked once more."""
        if self._kept:
            others = {one: sign for one, sign in read_object(self._kept).items() if one != path}
            kept = dict([*others.items(), (path, self._left[path])][-KEPT_MOST:])
            with contextlib.suppress(OSError):
                write_whole(self._kept, json.dumps(kept, indent=1))

    def foreign(self, paths: Iterable[str]) -> frozenset[str]:
        """The paths without those that only say what was written here, and without their folders."""
        paths = frozenset(paths)
        asides = {aside_of(path) for path in self._left}
        own = {path for path in paths if self._as_left(path) or path in asides}
        return without(paths, own)

    def _as_left(self, path: str) -> bool:
        signature = self._left.get(path)
        return signature is not None and signature in ("", files_signature([path])[0])


def without(paths: frozenset[str], own: Set[str]) -> frozenset[str]:
    """The paths without those that are our own, and without folders in which only those appeared."""
    if not own:
        return paths
    others = paths - own
    quiet = {os.path.dirname(path) for path in own} - {os.path.dirname(path) for path in others}
    return others - quiet
