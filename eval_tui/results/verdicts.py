"""The verdicts of a grid's cases, and what they add up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eval_tui.engine.grid import Grid
from eval_tui.results.aggregate import is_old
from eval_tui.results.critical import CriticalGate, critical_gate
from eval_tui.scores import Measured, Score
from eval_tui.verdicts.compile import Rulebook
from eval_tui.verdicts.counts import VerdictCounts, count_verdicts
from eval_tui.verdicts.evaluate import Verdict, evaluate
from eval_tui.verdicts.producers import case_rows


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The verdict of one case as the grid stands."""

    verdict: Verdict
    stale: bool = False
    """Some of what it rests on belongs to older inputs."""


@dataclass(frozen=True, slots=True)
class VerdictBoard:
    """The verdicts of all cases that ran, and their counts."""

    rulebook: Rulebook
    cases: Mapping[str, CaseVerdict]
    counts: VerdictCounts
    stale: int
    critical: CriticalGate | None = None
    """The cases that must pass; None where the config names none."""


class Court:
    """Gives cases their verdicts under one rulebook.

    Most cases of a grid are alike in what passed and what was measured, and so in their verdict.
    """

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self._names = [producer.name for producer in rulebook.producers]
        self._known: dict[tuple[object, ...], Verdict] = {}

    def verdict(self, grid: Grid, case: str) -> CaseVerdict:
        """The verdict of one case, from its cells as they are shown, unless it came with one."""
        given = self.rulebook.given.get(case)
        if given is not None:
            return CaseVerdict(given)
        cells = [grid.cell(case, name) for name in self._names]
        alike = tuple(_voice(cell.score) for cell in cells)
        found = self._known.get(alike)
        if found is None:
            book = self.rulebook
            rows = case_rows(book.producers, [cell.score for cell in cells])
            found = self._known[alike] = evaluate(book.policy, rows, book.expected)
        return CaseVerdict(found, any(cell.score is not None and is_old(cell) for cell in cells))


def _voice(score: Score | None) -> object:
    """All that a verdict takes from a score."""
    if score is None:
        return None
    own = score.passed if isinstance(score, Measured) else score.reason
    if not score.parts:
        return type(score), own
    return type(score), own, tuple((name, _voice(part)) for name, part in score.parts.items())


def make_verdicts(grid: Grid, rulebook: Rulebook) -> VerdictBoard:
    """The verdicts of every case that ran; one that did not run has none."""
    court = Court(rulebook)
    cases = {
        row.case: court.verdict(grid, row.case) for row in grid.rows if row.status != "not_run"
    }
    counts = count_verdicts(one.verdict for one in cases.values())
    not_run = (row.case for row in grid.rows if row.status == "not_run")
    critical = critical_gate(rulebook.critical_cases, values_of(cases), not_run)
    return VerdictBoard(rulebook, cases, counts, sum(one.stale for one in cases.values()), critical)


@dataclass(frozen=True, slots=True)
class Effect:
    """How many verdicts another rulebook would change, and which way."""

    to_passed: int = 0
    to_failed: int = 0
    to_open: int = 0
    """To *not evaluated*."""
    same: int = 0

    @property
    def changed(self) -> int:
        return self.to_passed + self.to_failed + self.to_open


def effect(grid: Grid, now: Rulebook, then: Rulebook) -> Effect:
    """What becomes of the verdicts of a grid under another rulebook."""
    return effect_of(make_verdicts(grid, now).cases, make_verdicts(grid, then).cases)


def effect_of(now: Mapping[str, CaseVerdict], then: Mapping[str, CaseVerdict]) -> Effect:
    """What became of the verdicts of the same cases."""
    turned: list[bool | None] = []
    same = 0
    for case, before in now.items():
        after = then[case].verdict.value
        if after == before.verdict.value:
            same += 1
        else:
            turned.append(after)
    return Effect(turned.count(True), turned.count(False), turned.count(None), same)


def values_of(cases: Mapping[str, CaseVerdict]) -> dict[str, bool | None]:
    """The bare verdicts, for folding trials."""
    return {case: one.verdict.value for case, one in cases.items()}
