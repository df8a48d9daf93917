"""Which cells must be looked at again: a pure function of two snapshots and what was touched."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from eval_tui.engine.folders import RUN_FILES
from eval_tui.engine.grid import CellKey, cell_keys


@dataclass(frozen=True, slots=True)
class JudgeKey:
    """What of a judge decides whether its cells still hold. The name is not part of it."""

    fingerprint: str
    condition: str


def _no_judges() -> Mapping[str, JudgeKey]:
    return {}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that is judged, at one moment."""

    run_dir: str = ""
    dataset_dir: str = ""
    record: str = ""
    """Digest of the config values that shape records."""
    judges: Mapping[str, JudgeKey] = field(default_factory=_no_judges)
    cases: frozenset[str] = frozenset()
    """Cases with a folder in the run."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What changed on disk, already mapped to what may have read it."""

    cases: frozenset[str] = frozenset()
    """Every cell of these cases."""
    cells: frozenset[CellKey] = frozenset()
    """Single cells: those whose judge rests on a changed file outside of any case."""


def plan(before: Snapshot, after: Snapshot, touched: Touched) -> frozenset[CellKey]:
    """The cells whose value may not hold any more: they are verified, and run if need be.

    A judge whose fingerprint or condition is new concerns its own column, a new case its own
    row, and a change of what shapes records the whole grid. A renamed judge keeps its results
    through its fingerprint: its cells are looked at, not run.
    """
    everything = before.record != after.record or before.run_dir != after.run_dir
    rows = (after.cases - before.cases) | (touched.cases & after.cases)
    due: set[CellKey] = set()
    for name, key in after.judges.items():
        whole_column = everything or before.judges.get(name) != key
        due.update(cell_keys(after.cases if whole_column else rows, (name,)))
    due.update(
        cell for cell in touched.cells if cell.case in after.cases and cell.judge in after.judges
    )
    return frozenset(due)


class PathIndex:
    """From paths to what may have read them, looked for them in vain, or listed their folder."""

    def __init__(self) -> None:
        self._extra: dict[str, set[str]] = {}
        self._ambients: dict[str, set[str]] = {}

    def add_extra(self, case: str, paths: Iterable[str]) -> set[str]:
        """Files outside of a case's folders that its record rests on; returns the new ones."""
        return {path for path in paths if _add(self._extra, path, case)}

    def add_ambient(self, ambient: str, inputs: Iterable[Iterable[str]]) -> set[str]:
        """What a judge rests on beyond its cases; returns the new paths."""
        paths = (key for kind, key, _ in inputs if kind not in ("python", "env", "given"))
        return {path for path in paths if _add(self._ambients, path, ambient)}

    def keep_ambients(self, used: set[str]) -> None:
        """Forget all other ambients."""
        kept = {path: found & used for path, found in self._ambients.items()}
        self._ambients = {path: found for path, found in kept.items() if found}

    def paths(self) -> set[str]:
        """Every path that something outside of the cases' folders was read from."""
        return self._extra.keys() | self._ambients.keys()

    def ambients_of(self, paths: Iterable[str]) -> set[str]:
        """Ambients that hold one of the paths or list the folder of one."""
        found: set[str] = set()
        for path in paths:
            found |= self._ambients.get(path, set())
            found |= self._ambients.get(os.path.dirname(path), set())
        return found

    def cases_of(self, paths: Iterable[str], snapshot: Snapshot) -> frozenset[str]:
        """Cases whose record may rest on one of the paths."""
        return frozenset(self.by_case(paths, snapshot))

    def by_case(self, paths: Iterable[str], snapshot: Snapshot) -> dict[str, list[Collection[str]]]:
        """The cases whose record may rest on one of the paths, each with which: in several pieces.

        A run of thousands of cases may be written in one go, and each case may rest on the folder
        that they are in: each path is looked at once, and a piece that concerns many cases is shared.
        """
        roots = [os.path.join(snapshot.run_dir, "cases") + os.sep]
        if snapshot.dataset_dir:
            roots.append(snapshot.dataset_dir + os.sep)
        beside = {os.path.join(snapshot.run_dir, name) for name in RUN_FILES}
        everywhere: set[str] = set()
        inside: dict[str, set[str]] = {}
        extra: dict[str, set[str]] = {}
        for path in paths:
            if path in beside:
                everywhere.add(path)
                continue
            for root in roots:
                if path.startswith(root):
                    inside.setdefault(path[len(root) :].split(os.sep, 1)[0], set()).add(path)
            for key in (path, os.path.dirname(path)):
                if key in self._extra:
                    extra.setdefault(key, set()).add(path)
        found: dict[str, list[Collection[str]]] = {}
        pieces: list[tuple[Collection[str], set[str]]] = [
            ((case,), some) for case, some in inside.items()
        ]
        pieces += [(self._extra[key], some) for key, some in extra.items()]
        if everywhere:
            pieces.append((snapshot.cases, everywhere))
        for cases, some in pieces:
            for case in snapshot.cases.intersection(cases):
                found.setdefault(case, []).append(some)
        return found


def _add(readers: dict[str, set[str]], path: str, reader: str) -> bool:
    """Note who reads a path; whether that is new."""
    known = readers.setdefault(path, set())
    new = reader not in known
    known.add(reader)
    return new
