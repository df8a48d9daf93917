"""Which cells must be looked at again: a pure function of two snapshots and what was touched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
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

    def add_extra(self, case: str, paths: Iterable[str]) -> None:
        """Files outside of a case's folders that its record rests on."""
        for path in paths:
            self._extra.setdefault(path, set()).add(case)

    def add_ambient(self, ambient: str, inputs: Iterable[Iterable[str]]) -> None:
        """What a judge rests on beyond its cases."""
        for kind, key, _ in inputs:
            if kind not in ("python", "env", "given"):
                self._ambients.setdefault(key, set()).add(ambient)

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
        roots = [os.path.join(snapshot.run_dir, "cases") + os.sep]
        if snapshot.dataset_dir:
            roots.append(snapshot.dataset_dir + os.sep)
        beside = {os.path.join(snapshot.run_dir, name) for name in RUN_FILES}
        found: set[str] = set()
        for path in paths:
            if path in beside:
                return snapshot.cases
            found |= self._extra.get(path, set())
            found |= self._extra.get(os.path.dirname(path), set())
            for root in roots:
                if path.startswith(root):
                    found.add(path[len(root) :].split(os.sep, 1)[0])
        return frozenset(found) & snapshot.cases

    def within(self, paths: Iterable[str], case: str, snapshot: Snapshot) -> set[str]:
        """The paths that `cases_of` maps to this case; all of them when one concerns every case."""
        return {path for path in paths if case in self.cases_of([path], snapshot)}
