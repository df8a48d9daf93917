"""What is to be watched: roots of four kinds, and which kind a folder below them is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from eval_tui.watch.names import NOT_CODE


class Kind(Enum):
    """How a folder is watched."""

    CODE = "code"
    """It and everything below it, without `NOT_CODE`."""
    WHOLE = "whole"
    """It and everything below it."""
    FLAT = "flat"
    """Its listing, and the listings of its direct subfolders."""
    LEAF = "leaf"
    """Its listing only."""


@dataclass(frozen=True)
class Scope:
    """All that is asked to be watched. Paths are absolute and normalised, links kept.

    The nearest root above a folder (or the folder itself, when it is a root) decides. So a flat
    runs folder inside a watched project is not descended into, while one run inside it may be.
    """

    roots: dict[str, Kind] = field(default_factory=dict[str, Kind])
    files: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()

    def kind(self, path: str, memo: dict[str, Kind | None]) -> Kind | None:
        """How the folder `path` is watched; None: not at all. `memo` is for many questions."""
        if path in memo:
            return memo[path]
        if (found := self.roots.get(path)) is None and path not in self.ignored:
            parent, name = os.path.split(path)
            if name:
                found = below(self.kind(parent, memo), name)
        memo[path] = found
        return found

    def child(self, path: str, parent: Kind) -> Kind | None:
        """As `kind`, for a folder whose parent's kind is known."""
        if (found := self.roots.get(path)) is not None:
            return found
        return None if path in self.ignored else below(parent, os.path.basename(path))


def below(parent: Kind | None, name: str) -> Kind | None:
    """The kind of a subfolder that is no root itself."""
    if parent is Kind.CODE:
        return None if name in NOT_CODE else Kind.CODE
    if parent is Kind.FLAT:
        return Kind.LEAF
    return Kind.WHOLE if parent is Kind.WHOLE else None


def make_roots(
    code: Iterable[os.PathLike[str] | str],
    whole: Iterable[os.PathLike[str] | str],
    flat: Iterable[os.PathLike[str] | str],
) -> dict[str, Kind]:
    """Roots from paths of any form. A folder named twice gets the more thorough kind."""
    roots: dict[str, Kind] = {}
    for kind, paths in ((Kind.FLAT, flat), (Kind.CODE, code), (Kind.WHOLE, whole)):
        roots.update((os.path.abspath(path), kind) for path in paths)
    return roots
