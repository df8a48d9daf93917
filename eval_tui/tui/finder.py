"""Which cases a filter lets through, worked out in slices so that no key press waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Final

from eval_tui.engine.finding import Finding
from eval_tui.engine.grid import CaseFacts, CellKey, Grid
from eval_tui.results.compare import Group
from eval_tui.results.filter.match import Subject, matches, needs, words_of
from eval_tui.results.filter.terms import Filter
from eval_tui.scores import Score, Unmeasured
from eval_tui.tui.beside import Beside

SLICE_SECONDS: Final = 0.004
"""How long cases are looked at between two turns of the loop."""
AT_ONCE: Final = 2_000
"""Cells that are looked at in one go, before the next key."""
READ_AT_A_TIME: Final = 1_000
"""Cases that are read before what was found among them is shown."""

_NO_FACTS: Final = CaseFacts()
_CUT: Final = 80
"""A text of this length in a cell may be the beginning of a longer one."""


class Finder:
    """Looks through a grid for one filter."""

    def __init__(
        self,
        term: Filter,
        grid: Grid,
        finding: Finding,
        beside: Beside | None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.term = term
        self._grid, self._finding, self._beside, self._clock = grid, finding, beside, clock
        self._judges = [judge.name for judge in grid.columns]
        self._needs = needs(term)

    @property
    def reads(self) -> bool:
        """Whether files of the cases have to be read for it."""
        return not self._needs <= {"baseline"}

    @property
    def compares(self) -> bool:
        """Whether it asks for what changed."""
        return "baseline" in self._needs

    @property
    def small(self) -> bool:
        """Whether all of it can be looked at in one go."""
        return len(self._grid.rows) * len(self._judges) <= AT_ONCE

    def lets(self, case: str) -> bool:
        """Whether the filter lets a case through, by what is known of it now."""
        cells = {judge: self._grid.cell(case, judge) for judge in self._judges}
        facts = self._finding.facts.known(case) or _NO_FACTS

        def group(judge: str) -> Group:
            return self._beside.group(case, judge, cells[judge]) if self._beside else "alone"

        def said(judge: str) -> str:
            score = cells[judge].score
            return words_of(self._finding.score(CellKey(case, judge)) if _is_cut(score) else score)

        return matches(
            self.term,
            Subject(case, cells, facts.inputs, facts.annotations, facts.cost, said, group),
        )

    def at_once(self) -> frozenset[str]:
        """Those of all cases that it lets through, without a pause."""
        return frozenset(row.case for row in self._grid.rows if self.lets(row.case))

    async def among(self, cases: Iterable[str]) -> frozenset[str]:
        """Those of these cases that it lets through, with pauses."""
        found: set[str] = set()
        began = self._clock()
        for case in cases:
            if self.lets(case):
                found.add(case)
            if self._clock() - began >= SLICE_SECONDS:
                await asyncio.sleep(0)
                began = self._clock()
        return frozenset(found)

    async def search(self) -> AsyncIterator[frozenset[str]]:
        """What is found among all cases: by what is known, then more as files are read."""
        cases: Sequence[str] = [row.case for row in self._grid.rows]
        known = await self.among(cases)
        yield known
        if not self.reads:
            return
        found: frozenset[str] = frozenset()
        for start in range(0, len(cases), READ_AT_A_TIME):
            some = cases[start : start + READ_AT_A_TIME]
            await self._finding.facts.learn(some)
            known -= frozenset(some)
            found |= await self.among(some)
            yield found | known


def _is_cut(score: Score | None) -> bool:
    if score is None:
        return False
    text = score.detail if isinstance(score, Unmeasured) else score.rationale
    return len(text) >= _CUT
