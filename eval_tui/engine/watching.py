"""The watcher as the engine needs it (see `eval_tui.watch`), and what it is told to watch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from eval_tui.engine.ambients import Dependencies
from eval_tui.engine.concerns import Roots, roots
from eval_tui.engine.reader import Reader


class ChangeLike(Protocol):
    """What the watcher tells."""

    @property
    def paths(self) -> frozenset[str]: ...


class WatcherLike(Protocol):
    """Tells what changes below the roots that it is given."""

    @property
    def mode(self) -> str: ...
    def set_roots(
        self,
        folders: Iterable[str],
        files: Iterable[str] = (),
        *,
        whole: Iterable[str] = (),
        flat: Iterable[str] = (),
    ) -> None: ...
    def ignore(self, path: str) -> None: ...
    async def run(self) -> None: ...


WatcherFactory = Callable[[Callable[[ChangeLike], None]], WatcherLike]


class Watching:
    """Has what concerns the eval and the run on screen watched, if there is a watcher."""

    def __init__(
        self, watcher: WatcherLike | None, reader: Reader, dependencies: Dependencies
    ) -> None:
        self.watcher = watcher
        self._reader, self._dependencies = reader, dependencies
        self._roots: Roots | None = None

    @property
    def mode(self) -> str:
        """How changes are seen; empty where nobody watches."""
        return self.watcher.mode if self.watcher is not None else ""

    def set_roots(self) -> None:
        """Tell the watcher if what concerns them is something else by now."""
        if self.watcher is None:
            return
        found = roots(self._reader, self._dependencies.index.paths())
        if found != self._roots:
            self._roots = found
            self.watcher.set_roots(found.folders, found.files, whole=found.whole, flat=found.flat)
