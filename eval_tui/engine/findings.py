"""Problems that only judging shows: judges that do not load, write into the run, ask in vain."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Set
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.grid import CellKey
from eval_tui.engine.templates import TemplateNotes
from eval_tui.engine.writers import Writers
from eval_tui.judges.base import JudgeUnusable


class Findings:
    """What was noticed about the judges of one grid."""

    def __init__(self) -> None:
        self._unusable: dict[str, Problem] = {}
        self.writers = Writers()
        self.templates = TemplateNotes()
        self._notes: tuple[Problem, ...] = ()
        self._keys: dict[str, tuple[str, ...]] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (
            *self._unusable.values(),
            *self.writers.problems,
            *self.templates.problems,
            *self._notes,
        )

    @property
    def unusable(self) -> Set[str]:
        """Judges that a worker could not load."""
        return self._unusable.keys()

    def loaded(self, judge: Judge, config: EvalConfig, why: Mapping[str, Any] | None) -> None:
        """A worker could load a judge, or could not and says why."""
        if why is None:
            self._unusable.pop(judge.name, None)
            return
        unusable = JudgeUnusable(why["detail"], why["hint"], why["line"])
        self._unusable[judge.name] = unusable.problem(judge, config.path)

    def keep_only(self, judges: Iterable[str]) -> None:
        """Forget judges that are no more."""
        there = set(judges)
        self.writers.keep_only(there)
        self.templates.keep_only(there)
        for name in self._unusable.keys() - there:
            del self._unusable[name]

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
