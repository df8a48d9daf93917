"""Files that the app writes itself when asked to: no reason to judge anything again (S14)."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Set
from contextlib import contextmanager

from eval_tui.atomic import aside_of
from eval_tui.engine.folders import files_signature


class OwnFiles:
    """What was written, as it was left."""

    def __init__(self) -> None:
        self._left: dict[str, str] = {}
        """Path -> signature; empty while it is being written."""

    @contextmanager
    def writing(self, path: str) -> Generator[None]:
        """The file is written meanwhile."""
        paths = {path, os.path.realpath(path)}
        self._left |= dict.fromkeys(paths, "")
        try:
            yield
        finally:
            self._left |= {one: files_signature([one])[0] for one in paths}

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
