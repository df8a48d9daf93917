"""Files that judges write: no reason to judge the writer again, but whoever reads them (S14)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.folders import files_signature
from eval_tui.engine.grid import CellKey
from eval_tui.engine.own_files import without

ROUNDS = 2
"""How often a judge may run in a chain of judges of which each reads what the one before wrote."""

Chain = tuple[str, ...]
"""Judges in the order in which each ran because of what the one before it had written."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file as a judge left it."""

    judge: str
    signature: str
    chain: Chain
    """How it came to be written; the writer is last."""


class Writers:
    """Who wrote what, and which cells are looked at because of it."""

    def __init__(self) -> None:
        self._written: dict[str, Written] = {}
        self._chains: dict[CellKey, Chain] = {}
        self._notes: dict[str, Problem] = {}
        self._loops: dict[frozenset[str], Problem] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (*self._notes.values(), *self._loops.values())

    def keep_only(self, judges: Iterable[str]) -> None:
        """Forget judges that are no more."""
        there = set(judges)
        for name in self._notes.keys() - there:
            del self._notes[name]
        for names in [names for names in self._loops if not names <= there]:
            del self._loops[names]

    def wrote(
        self, judge: Judge, case: str, config: EvalConfig, run_dir: str, files: dict[str, str]
    ) -> None:
        """A judge wrote files (path -> signature); told once for each that writes into the run."""
        chain = (*self._chains.pop(CellKey(case, judge.name), ()), judge.name)
        for path, signature in files.items():
            self._written[path] = Written(judge.name, signature, chain)
            if path.startswith(run_dir + os.sep):
                self._notes[judge.name] = Problem(
                    "warning",
                    "judge-writes",
                    f"this judge writes into the run it judges: {os.path.relpath(path, run_dir)}",
                    config.path,
                    judge.line,
                    judge=judge.name,
                    hint="only judges that read it run because of that;"
                    " better write to a temporary folder",
                )

    def own(self, paths: Iterable[str]) -> dict[str, Written]:
        """Those of the paths that still are as a judge left them."""
        written = frozenset(paths).intersection(self._written)
        return {path: file for path in written if (file := self._as_left(path)) is not None}

    def not_own(self, paths: Iterable[str]) -> frozenset[str]:
        """The paths without what judges wrote, and without folders in which only that appeared."""
        paths = frozenset(paths)
        return without(paths, self.own(paths).keys())

    def _as_left(self, path: str) -> Written | None:
        file = self._written.get(path)
        return file if file and files_signature([path])[0] == file.signature else None

    def follow(self, key: CellKey, file: Written, judge: Judge, config: EvalConfig) -> bool:
        """Look at a cell because of a file that a judge wrote; False when that goes in circles.

        Judges that feed each other run `ROUNDS` times; then they are named, once, and rest.
        """
        if key.judge == file.judge:
            return False
        if file.chain.count(key.judge) < ROUNDS:
            self._chains[key] = max(self._chains.get(key, ()), file.chain, key=len)
            return True
        last = len(file.chain) - 1 - file.chain[::-1].index(key.judge)
        circle = file.chain[last:]
        if frozenset(circle) not in self._loops:
            self._loops[frozenset(circle)] = Problem(
                "warning",
                "judges-in-circles",
                "these judges write what the others read and start each other again and again: "
                + ", ".join(dict.fromkeys(circle)),
                config.path,
                judge.line,
                judge=key.judge,
                hint=f"stopped after {ROUNDS} rounds; better write to a temporary folder",
            )
        return False

    def start_over(self, cells: Iterable[CellKey]) -> None:
        """These cells are due for another reason: what is known of chains is over for them."""
        for key in cells:
            self._chains.pop(key, None)
