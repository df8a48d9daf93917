"""The verdicts of a grid's cases, and what they add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.aggregate import is_old
from eval_tui.results.critical import CriticalGate, critical_gate
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from eval_tui.verdicts.compile import Rulebook
from eval_tui.verdicts.counts import VerdictCounts, count_verdicts
from eval_tui.verdicts.evaluate import Verdict, evaluate
from eval_tui.verdicts.producers import case_rows


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The verdict of one case as the grid stands."""

    verdict: Verdict
    stale: bool = False
    """Some of what it rests on belongs to older inputs: judged again, it may be another one."""


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
        found = self._over([cell.score for cell in cells])
        return CaseVerdict(found, any(map(is_old, cells)) and self._may_change(found, cells))

    def _over(self, scores: Sequence[Score | None]) -> Verdict:
        alike = tuple(map(_voice, scores))
        found = self._known.get(alike)
        if found is None:
            book = self.rulebook
            rows = case_rows(book.producers, scores)
            found = self._known[alike] = evaluate(book.policy, rows, book.expected)
        return found

    def _may_change(self, found: Verdict, cells: Sequence[Cell]) -> bool:
        """Whether the verdict may be another one once the old cells are judged again."""
        return any(
            self._over([_again(cell, passed) for cell in cells]).value is not found.value
            for passed in (True, False, None)
        )


def _again(cell: Cell, passed: bool | None) -> Score | None:
    """The score of a cell if what is old of it passed, failed or was not measured this time."""
    return _turned(cell.score, passed) if cell.score is not None and is_old(cell) else cell.score


def _turned(score: Score, passed: bool | None) -> Score:
    if passed is None:
        return Unmeasured(Reason.GRADER_ERROR, "")
    own = passed if isinstance(score, Unmeasured) or score.passed is not None else None
    parts = {name: _turned(part, passed) for name, part in score.parts.items()}
    return Measured(passed, own, parts=parts)


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
