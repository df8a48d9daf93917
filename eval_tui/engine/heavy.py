"""Imports of other people's modules that take long: which they are, and whether they may be done
beforehand.

A worker may be born with such modules (see `template`). That makes no difference as long as a
judge imports them in the surroundings in which they were imported for it; where it first sets a
variable or adds to the path, that import is its own business.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

HEAVY_S = 0.02
"""An import that takes longer is worth having been done before the worker is born."""

Surroundings = tuple[dict[Any, Any], list[str], str]


def surroundings() -> Surroundings:
    """What an import may depend on besides files: environment, path, current folder."""
    variables: Any = getattr(os.environ, "_data", os.environ)
    try:
        folder = os.getcwd()
    except OSError:  # it was deleted
        folder = ""
    return dict(variables), list(sys.path), folder


class HeavyImports:
    """Watches the imports of one process from its birth on."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}
        """Modules whose import took long and might have been done beforehand, in order."""
        self.outermost = ""
        """The import under way that is in no other one, unless it is of a project's module."""
        self.born_with: set[str] = set()
        """Modules that were there at birth and that no judge has imported yet."""
        self.unfit: Callable[[str], None] = _nobody_minds
        """Called when one of those is imported in surroundings that are not those of the birth."""
        self._at_birth: Surroundings = ({}, [], "")
        self._clean: bool | None = None
        """Whether the import under way began in the surroundings of the birth; None: not known."""

    def begin(self) -> None:
        """The process is as it was born; what changes from here on is user code's doing."""
        self._at_birth = surroundings()

    @property
    def as_born(self) -> bool:
        """Whether the surroundings are still the same."""
        return surroundings() == self._at_birth

    def carry_out(self, name: str, items: Iterable[str], load: Callable[[], Any]) -> Any:
        """Import by `load` what `import name` or `from name import items` asks for."""
        if self.outermost:
            return load()
        self.outermost, self._clean = name, None
        began = time.perf_counter()
        try:
            return load()
        finally:
            if self.outermost and self._clean and time.perf_counter() - began > HEAVY_S:
                names = (name, *(f"{name}.{item}" for item in items))
                self.found.update((part, None) for part in names if part in sys.modules)
            self.outermost = ""

    def of_project(self) -> None:
        """The module that is being imported is the project's own: it must be read anew each time."""
        self.outermost = ""

    def of_others(self) -> None:
        """Another module is about to be loaded."""
        if self.outermost and self._clean is None:
            self._clean = self.as_born

    def use(self, name: str, items: Iterable[str], reach: Callable[[str], set[str]]) -> None:
        """A module is asked for; `reach` tells which ones are imported by importing one."""
        parts = name.split(".")
        asked = {".".join(parts[: i + 1]) for i in range(len(parts))}
        asked.update(f"{name}.{item}" for item in items)
        asked &= self.born_with
        if asked:
            if not self.as_born:
                self.unfit(name)
            self.born_with.difference_update(asked, *map(reach, asked))


def _nobody_minds(name: str) -> None:
    """Nothing to do."""
