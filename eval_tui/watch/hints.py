"""Where hints of changes come from: inotify on Linux, watchfiles elsewhere.

A hint says that an entry of a folder *may* have changed. Hints may be late, doubled or lost; what
really changed is found out by comparing signatures.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable
from typing import Protocol

Hint = Callable[[str, str], None]
"""Called with a folder and the name of an entry; an empty name means the folder itself is gone or
was replaced; an empty folder means that hints were lost."""


class NoEvents(Exception):
    """Changes cannot be reported here (a limit of the system, a missing library); says why."""


class Source(Protocol):
    """Something that gives hints for the folders added to it."""

    def add(self, folder: str, deep: bool) -> None:
        """Watch `folder`'s entries; again is cheap. `deep`: all below it will be wanted too.

        A folder that does not exist is no error. Raises NoEvents.
        """
        ...

    def remove(self, folder: str) -> None: ...
    def close(self) -> None: ...


def open_source(
    hint: Hint, broken: Callable[[str], None], loop: asyncio.AbstractEventLoop
) -> Source:
    """The source for this machine. Raises NoEvents where there is none.

    `broken` is called with the reason when a source that worked can give no more hints.
    """
    if sys.platform == "linux":
        return Inotify(hint, loop)
    from eval_tui.watch.fallback import Watchfiles

    return Watchfiles(hint, broken, loop)


_IN_IGNORED, _IN_OVERFLOW, _IN_GONE = 0x8000, 0x4000, 0x0C00
_MASK = 0x0002 | 0x0004 | 0x0008 | 0x00C0 | 0x0100 | 0x0200 | _IN_GONE
"""Modified, attributes, written and closed, moved in and out, created, deleted, self gone."""
_ONLY_FOLDERS, _UNLINKED = 0x01000000, 0x04000000
_EVENT = struct.Struct("iIII")
STEP_S = 0.02
"""Pause between two readings, so that a chatty writer costs few wake-ups. Seconds."""


class Inotify:
    """Linux: one watch for each folder, added one by one.

    Not through watchfiles, which holds up the whole process while it adds its watches (0.45 s for
    30,000 folders), cannot leave folders out or take new ones in, and hides lost events.
    """

    def __init__(self, hint: Hint, loop: asyncio.AbstractEventLoop) -> None:
        self._hint, self._loop = hint, loop
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._fd: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, AttributeError) as error:
            raise NoEvents("the system has no inotify") from error
        if self._fd < 0:
            raise NoEvents(f"inotify cannot be used ({os.strerror(ctypes.get_errno())})")
        self._folders: dict[int, set[str]] = {}
        self._watches: dict[str, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        loop.add_reader(self._fd, self._on_readable)

    def add(self, folder: str, deep: bool) -> None:
        watch: int = self._libc.inotify_add_watch(
            self._fd, os.fsencode(folder), _MASK | _ONLY_FOLDERS | _UNLINKED
        )
        if watch < 0:
            code = ctypes.get_errno()
            if code == errno.ENOSPC:
                raise NoEvents("the limit fs.inotify.max_user_watches is reached")
            self.remove(folder)
            return
        if self._watches.get(folder) != watch:
            self.remove(folder)
            self._watches[folder] = watch
            self._folders.setdefault(watch, set()).add(folder)

    def remove(self, folder: str) -> None:
        watch = self._watches.pop(folder, None)
        if watch is None:
            return
        folders = self._folders.get(watch, set())
        folders.discard(folder)
        if not folders and self._folders.pop(watch, None) is not None:
            self._libc.inotify_rm_watch(self._fd, watch)

    def close(self) -> None:
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            if self._timer:
                self._timer.cancel()
            os.close(self._fd)
            self._fd = -1

    def _on_readable(self) -> None:
        self._loop.remove_reader(self._fd)
        self._timer = self._loop.call_later(STEP_S, self._listen_again)
        try:
            data = os.read(self._fd, 1 << 20)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            watch, mask, _, length = _EVENT.unpack_from(data, at)
            name = data[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
            at += _EVENT.size + length
            self._on_event(watch, mask, os.fsdecode(name))

    def _listen_again(self) -> None:
        self._timer = None
        self._loop.add_reader(self._fd, self._on_readable)

    def _on_event(self, watch: int, mask: int, name: str) -> None:
        if mask & _IN_OVERFLOW:
            self._hint("", "")
            return
        for folder in tuple(self._folders.get(watch, ())):
            if name:
                self._hint(folder, name)
            elif mask & (_IN_GONE | _IN_IGNORED):
                self._hint(folder, "")
        if mask & _IN_IGNORED:
            for folder in self._folders.pop(watch, set()):
                self._watches.pop(folder, None)
