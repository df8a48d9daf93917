"""Hints from watchfiles, for systems without inotify."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Container

from eval_tui.watch.hints import Hint, NoEvents

SETTLE_S = 0.05
"""Folders are added one after the other: wait this long before the watches are made. Seconds."""


class Watchfiles:
    """One recursive and one plain watch, made anew when another top folder is added."""

    def __init__(
        self, hint: Hint, broken: Callable[[str], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        try:
            import watchfiles as _  # noqa: F401 (only whether it is there)
        except ImportError as error:
            raise NoEvents("the package watchfiles is missing") from error
        self._hint, self._broken, self._loop = hint, broken, loop
        self._deep: set[str] = set()
        self._plain: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, folder: str, deep: bool) -> None:
        if folder in self._plain or folder in self._deep or _top(folder, self._deep):
            return
        if not os.path.isdir(folder):
            return
        (self._deep if deep else self._plain).add(folder)
        self._restart_soon()

    def remove(self, folder: str) -> None:
        if folder in self._deep or folder in self._plain:
            self._deep.discard(folder)
            self._plain.discard(folder)
            self._restart_soon()

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()

    def _restart_soon(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(SETTLE_S, self._restart)

    def _restart(self) -> None:
        self._timer = None
        for task in self._tasks:
            task.cancel()
        self._deep = {path for path in self._deep if os.path.isdir(path)}
        self._plain = {path for path in self._plain if os.path.isdir(path)}
        tops = ((self._deep, True), (self._plain, False))
        self._tasks = [
            self._loop.create_task(self._watch(set(folders), deep))
            for folders, deep in tops
            if folders
        ]
        # Whatever happened while no watch was set is found by comparing.
        self._hint("", "")

    async def _watch(self, folders: set[str], deep: bool) -> None:
        from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]

        # Events come under the real path, the rest of the program knows the one that was given.
        given = {os.path.realpath(folder): folder for folder in folders}
        try:
            async for batch in awatch(
                *given, watch_filter=None, step=20, debounce=200, rust_timeout=0, recursive=deep
            ):
                for _, path in batch:
                    if top := _top(path, given):
                        self._report(given[top] + path[len(top) :])
        except FileNotFoundError:
            self._restart_soon()
        except (OSError, RuntimeError) as error:
            self._broken(f"watching failed: {error}")

    def _report(self, path: str) -> None:
        if path in self._deep or path in self._plain:
            self._hint(path, "")
        else:
            self._hint(*os.path.split(path))


def _top(path: str, tops: Container[object]) -> str:
    """The nearest of `tops` that is `path` or lies above it, or an empty text."""
    here: str = path
    while here not in tops:
        parent: str = os.path.dirname(here)
        if parent == here:
            return ""
        here = parent
    return here
