"""Which of the project's modules a judge rests on, each with a digest of the source that ran.

Modules under the project root are compiled from the bytes that are hashed, never from bytecode:
a `.pyc` can be older than an edit of equal size within the same second. Edges importer ->
imported come from wrapping `__import__` and `importlib.import_module`, since a module that is
loaded already raises no event.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from types import ModuleType
from typing import Any

from eval_tui.engine.heavy import HeavyImports

FOREIGN_PARTS = frozenset({"site-packages", "dist-packages", ".venv", "venv", "node_modules"})
"""Folders below a project that hold other people's code."""


def foreign_below(root: str, path: str) -> bool:
    """Whether `path`, below `root`, belongs to an environment inside the project."""
    return not FOREIGN_PARTS.isdisjoint(path[len(root) + 1 :].split(os.sep))


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Compiles what it reads and tells the digest of exactly those bytes."""

    def __init__(self, name: str, path: str, loaded: Callable[[str, str, str], None]) -> None:
        super().__init__(name, path)
        self._loaded = loaded

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        self._loaded(fullname, path, blake2b(data, digest_size=16).hexdigest())
        return self.source_to_code(data, path)


class ModuleTracker:
    """Loaded project modules, who imports whom, and where a module was looked for in vain."""

    def __init__(self, root: str, looked: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
        """`looked` takes note of places where a module was looked for; returns the empty ones."""
        self.root = root
        self.files: dict[str, str] = {}
        """Path of each project module that was loaded -> digest of its source."""
        self.names: dict[str, str] = {}
        """Module name -> path."""
        self.absent: dict[str, dict[str, None]] = {}
        """Name -> places of the project where a module of that name was looked for in vain.

        A module that is loaded is not looked for again: whoever imports it rests on these too.
        """
        self.edges: dict[str, set[str]] = {}
        """Importer -> names it imported; importers are module names or `judge:<name>`."""
        self.current = ""
        """The importer to blame when the importing code is no project module: a judge."""
        self.heavy = HeavyImports()
        self._looked = looked
        self._reached: dict[str, tuple[set[str], frozenset[str], list[str]]] = {}
        """Importer -> all that it rests on, the project's modules in it, and where others of it were
        looked for in vain; emptied when that grows.
        """

    def install(self) -> None:
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        real_import = builtins.__import__

        def tracked_import(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> ModuleType:
            if not self.current:
                return real_import(name, globals, locals, fromlist or (), level)
            absolute, items = _absolute_name(name, globals, level), fromlist or ()
            self._imports(_importer(globals), absolute, items)
            return self.heavy.carry_out(
                absolute, items, lambda: real_import(name, globals, locals, items, level)
            )

        builtins.__import__ = tracked_import
        real_import_module = importlib.import_module

        def tracked_import_module(name: str, package: str | None = None) -> ModuleType:
            if not self.current:
                return real_import_module(name, package)
            frame = sys._getframe(1)
            absolute = name
            if name.startswith(".") and package:
                absolute = importlib.util.resolve_name(name, package)
            self._imports(_importer(frame.f_globals), absolute, ())
            return self.heavy.carry_out(absolute, (), lambda: real_import_module(name, package))

        importlib.import_module = tracked_import_module

    def _imports(self, importer: str, name: str, items: Sequence[str]) -> None:
        """Note who imports what: `import name`, or `from name import items`.

        What other people's modules import is the judge's doing, and their own: the next one who
        imports them rests on it as well, although nothing is loaded again.
        """
        parts = name.split(".")
        targets = {".".join(parts[: i + 1]) for i in range(len(parts))}
        targets.update(f"{name}.{item}" for item in items)
        self._edge(importer if importer in self.names else self.current, targets)
        if importer not in self.names and not importer.startswith(("eval_tui.", "builtins")):
            self._edge(importer, targets)
        if self.heavy.born_with:
            self.heavy.use(name, items, self._follow)

    def _edge(self, importer: str, targets: set[str]) -> None:
        known = self.edges.setdefault(importer, set())
        if not known.issuperset(targets):
            known |= targets
            self._reached.clear()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Take over modules below the project root; note where others were not found."""
        if not self.current:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        origin = spec.origin if spec else None
        if spec is not None and spec.has_location and origin and origin.endswith(".py"):
            origin = os.path.abspath(origin)
            if origin.startswith(self.root + os.sep) and not foreign_below(self.root, origin):
                self.heavy.of_project()
                self._looked_in(fullname, path, before=origin)
                spec.loader = _SourceLoader(fullname, origin, self._loaded)
                spec.cached = None
                return spec
        self.heavy.of_others()
        self._looked_in(fullname, path, before=None)
        return None

    def _looked_in(self, fullname: str, path: Sequence[str] | None, before: str | None) -> None:
        """The project's places up to the hit, which do not hold the module, and the hit."""
        tail = fullname.rpartition(".")[2]
        candidates: list[str] = []
        for folder in path if path is not None else sys.path:
            absolute = os.path.abspath(folder or ".")
            if absolute != self.root and not absolute.startswith(self.root + os.sep):
                continue
            for name in (os.path.join(tail, "__init__.py"), tail + ".py"):
                candidate = os.path.join(absolute, name)
                candidates.append(candidate)
                if candidate == before:
                    self._tell(fullname, candidates)
                    return
        self._tell(fullname, candidates)

    def _tell(self, fullname: str, candidates: Sequence[str]) -> None:
        if candidates:
            gone = self._looked(tuple(candidates))
            self.absent.setdefault(fullname, {}).update(dict.fromkeys(gone))
            self._reached.clear()

    def _loaded(self, name: str, path: str, digest: str) -> None:
        self.files[path] = digest
        self.names[name] = path
        self._reached.clear()

    def imported(self, importer: str) -> set[str]:
        """Names of all modules that `importer` (`judge:<name>`) rests on, ours or not."""
        return self._reach(importer)[0]

    def _reach(self, importer: str) -> tuple[set[str], frozenset[str], list[str]]:
        kept = self._reached.get(importer)
        if kept is None:
            names = self._follow(importer)
            paths = frozenset(self.names[n] for n in names if n in self.names)
            gaps = [path for name in names for path in self.absent.get(name, ())]
            kept = self._reached[importer] = (names, paths, gaps)
        return kept

    def _follow(self, importer: str) -> set[str]:
        seen: set[str] = set()
        todo = [importer]
        while todo:
            fresh = self.edges.get(todo.pop(), set()) - seen
            seen |= fresh
            todo.extend(fresh)
        return seen

    def gaps(self, importer: str) -> list[str]:
        """Places where a module, of those that `importer` rests on, was looked for in vain."""
        return self._reach(importer)[2]

    def closure(self, importer: str) -> frozenset[str]:
        """Paths of all project modules that `importer` rests on."""
        return self._reach(importer)[1]


def _importer(namespace: Mapping[str, object] | None) -> str:
    name = (namespace or {}).get("__name__")
    return name if isinstance(name, str) else ""


def _absolute_name(name: str, namespace: Mapping[str, object] | None, level: int) -> str:
    if not level:
        return name
    package = (namespace or {}).get("__package__")
    base = package if isinstance(package, str) else _importer(namespace)
    for _ in range(level - 1):
        base = base.rpartition(".")[0]
    return f"{base}.{name}" if name else base
