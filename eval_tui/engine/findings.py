"""Problems that only judging shows: judges that do not load, write into the run, ask in vain."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Set
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.folders import files_signature
from eval_tui.engine.grid import CellKey


class Findings:
    """What was noticed about the judges of one grid."""

    def __init__(self) -> None:
        self._unusable: dict[str, Problem] = {}
        self._writers: dict[str, Problem] = {}
        self._notes: tuple[Problem, ...] = ()
        self._written: dict[str, str] = {}
        """Files that judges wrote, with their signature right after."""
        self._keys: dict[str, tuple[str, ...]] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (*self._unusable.values(), *self._writers.values(), *self._notes)

    @property
    def unusable(self) -> Set[str]:
        """Judges that a worker could not load."""
        return self._unusable.keys()

    def loaded(self, judge: Judge, config: EvalConfig, why: Mapping[str, Any] | None) -> None:
        """A worker could load a judge, or could not and says why."""
        if why is None:
            self._unusable.pop(judge.name, None)
            return
        self._unusable[judge.name] = Problem(
            "error",
            "judge-not-loaded",
            why["detail"],
            config.path,
            why["line"] or judge.line,
            judge=judge.name,
            hint=why["hint"],
        )

    def keep_only(self, judges: Iterable[str]) -> None:
        """Forget judges that are no more."""
        there = set(judges)
        for known in (self._unusable, self._writers):
            for name in known.keys() - there:
                del known[name]

    def wrote(
        self, judge: Judge, config: EvalConfig, run_dir: str, files: Iterable[tuple[str, str]]
    ) -> None:
        """A judge wrote files; told once for each judge that writes into the run (S14)."""
        for path, signature in files:
            self._written[path] = signature
            if path.startswith(run_dir + os.sep):
                self._writers[judge.name] = Problem(
                    "warning",
                    "judge-writes",
                    f"this judge writes into the run it judges: {os.path.relpath(path, run_dir)}",
                    config.path,
                    judge.line,
                    judge=judge.name,
                    hint="that starts no new scoring; better write to a temporary folder",
                )

    def not_own(self, paths: Iterable[str]) -> frozenset[str]:
        """The paths without what judges wrote themselves (S14).

        A file that still is as a judge left it is no reason to judge anything again, nor is
        the folder in which only such files appeared.
        """
        paths = frozenset(paths)
        own = {path for path in paths if self._as_written(path)}
        if not own:
            return paths
        others = paths - own
        quiet = {os.path.dirname(path) for path in own} - {os.path.dirname(path) for path in others}
        return others - quiet

    def _as_written(self, path: str) -> bool:
        return path in self._written and files_signature([path])[0] == self._written[path]

    def keys(self, case: str) -> tuple[str, ...]:
        return self._keys.get(case, ())

    def note_keys(self, case: str, keys: Iterable[str]) -> None:
        """Learn which keys a case's record has."""
        self._keys[case] = tuple(keys)

    def look_for_absent_keys(
        self, infos: Mapping[CellKey, CellInfo], judges: Mapping[str, Judge], config: EvalConfig
    ) -> None:
        """A note for each key that a judge asked for and that no case of the run has (D24).

        `outputs.get("metrics")` scores a default in every case, silently.
        """
        known: set[str] = set()
        known.update(*set(self._keys.values()))  # most cases have the same ones
        asked = {
            (cell.judge, key): None
            for cell, info in infos.items()
            if info.absent
            for key in info.absent
            if key not in known
        }
        self._notes = tuple(
            _absent_key(judges[name], key, known, config) for name, key in sorted(asked)
        )


def _absent_key(judge: Judge, key: str, known: set[str], config: EvalConfig) -> Problem:
    near = difflib.get_close_matches(key, known, 1, 0.6)
    return Problem(
        "note",
        "key-never-there",
        f"asks the record for {key!r}, which no case of this run has",
        config.path,
        judge.line,
        judge=judge.name,
        hint=f"the nearest key is {near[0]!r}" if near else "it gets the default every time",
    )
