"""What cases are about: their inputs, annotations and cost, for finding them by it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from eval_tui.engine.grid import CaseFacts

AT_A_TIME: Final = 200
"""Cases that a worker is asked about at once: it answers other questions in between."""

ReadFacts = Callable[[Sequence[str]], Awaitable[Mapping[str, Any]]]
"""Asks a worker about cases of the run in view. Raises OSError."""


class FactsOfCases:
    """Read when they are first asked for, and again once their files have changed."""

    def __init__(self, read: ReadFacts) -> None:
        self._read = read
        self._run = ""
        self._known: dict[str, CaseFacts] = {}

    def show(self, run: str) -> None:
        """Another run is in view."""
        if run != self._run:
            self._run = run
            self._known.clear()

    def known(self, case: str) -> CaseFacts | None:
        """What is known of a case by now."""
        return self._known.get(case)

    async def learn(self, cases: Iterable[str]) -> None:
        """Have these cases known; of those that cannot be read nothing is known. Never raises."""
        left = [case for case in cases if case not in self._known]
        run = self._run
        for start in range(0, len(left), AT_A_TIME):
            some = left[start : start + AT_A_TIME]
            told: Mapping[str, Any] = {}
            with contextlib.suppress(OSError):
                told = await self._read(some)
            if run != self._run:
                return
            for case in some:
                plain = told.get(case)
                self._known[case] = CaseFacts(**plain) if plain else CaseFacts()

    def changed(self, paths: Iterable[str]) -> None:
        """These files changed: what rests on them is read again."""
        for path in paths:
            name = os.path.basename(path)
            if name == "run_result.json":
                self._known.clear()
            elif name in ("input.yaml", "annotations.yaml"):
                self._known.pop(os.path.basename(os.path.dirname(path)), None)
