"""Which folder entries decide what a path leads to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

MOST_LINKS = 40
"""Like the system's own limit for the links on one path."""


def link_steps(path: str) -> Iterator[tuple[str, str]]:
    """(folder, name) of `path`, of each link on the way and of what they end at or miss first.

    A change of any of these entries can make the absolute `path` lead to something else.
    """
    yield os.path.split(path)
    links = 0
    here = os.sep
    parts = _parts(path)
    while parts:
        name = parts.pop()
        if name == "..":
            here = os.path.dirname(here)
            continue
        full = os.path.join(here, name)
        try:
            target = os.readlink(full)
        except OSError:
            if not parts or not os.path.lexists(full):
                yield here, name
                return
            here = full
            continue
        yield here, name
        links += 1
        if links > MOST_LINKS:
            return
        if target.startswith(os.sep):
            here = os.sep
        parts.extend(_parts(target))


def _parts(path: str) -> list[str]:
    """The parts of a path, last first."""
    return [part for part in reversed(path.split(os.sep)) if part not in ("", ".")]


class Places:
    """For paths that hang on other entries: where those entries are. Their folders are watched."""

    def __init__(self, watch: Callable[[str, bool], None], release: Callable[[str], None]) -> None:
        self._watch, self._release = watch, release
        self._paths: dict[str, dict[str, set[str]]] = {}
        self._steps: dict[str, tuple[tuple[str, str], ...]] = {}

    def __contains__(self, folder: str) -> bool:
        return folder in self._paths

    def at(self, folder: str, name: str) -> set[str]:
        """The paths that hang on an entry of `folder`; on any of them if `name` is empty."""
        names = self._paths.get(folder)
        if not names:
            return set()
        return set(names.get(name, ())) if name else set[str]().union(*names.values())

    def put(self, path: str) -> None:
        """Note what `path` hangs on as things are now."""
        steps = tuple(dict.fromkeys(link_steps(path)))
        for folder, _ in steps:
            self._watch(folder, False)
        if steps == self._steps.get(path):
            return
        for folder, name in steps:
            self._paths.setdefault(folder, {}).setdefault(name, set()).add(path)
        self._remove(path, self._steps.get(path, ()), keep=steps)
        self._steps[path] = steps

    def remove(self, path: str) -> None:
        self._remove(path, self._steps.pop(path, ()))

    def _remove(
        self,
        path: str,
        steps: tuple[tuple[str, str], ...],
        keep: tuple[tuple[str, str], ...] = (),
    ) -> None:
        for folder, name in steps:
            if (folder, name) in keep:
                continue
            names = self._paths[folder]
            names[name].discard(path)
            if not names[name]:
                del names[name]
            if not names:
                del self._paths[folder]
                self._release(folder)
