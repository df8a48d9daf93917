"""Runs that are repetitions of one configuration: how often a case passes, and whether it always does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eval_tui.verdicts.statistics import Tally, pass_at_k


@dataclass(frozen=True, slots=True)
class CaseTrials:
    """The trials of one case. Only those with a verdict count."""

    case: str
    verdicts: tuple[bool | None, ...]

    @property
    def tally(self) -> Tally:
        known = [verdict for verdict in self.verdicts if verdict is not None]
        return Tally(sum(known), len(known))

    @property
    def flaky(self) -> bool:
        """It passed and it failed, under one configuration."""
        return 0 < self.tally.passed < self.tally.trials


@dataclass(frozen=True, slots=True)
class TrialSummary:
    """What the cases that were evaluated at least once add up to, each counted once."""

    cases: int
    min_trials: int
    max_trials: int
    pass_at_1: float
    k: int
    pass_at_k: float
    flaky: int


def fold(runs: Iterable[Mapping[str, bool | None]]) -> tuple[CaseTrials, ...]:
    """The verdicts of several runs, case by case; a run that lacks a case adds no trial of it."""
    return by_case(pair for run in runs for pair in run.items())


def by_case(verdicts: Iterable[tuple[str, bool | None]]) -> tuple[CaseTrials, ...]:
    """Verdicts, each with its case, as the trials of the cases."""
    found: dict[str, list[bool | None]] = {}
    for case, verdict in verdicts:
        found.setdefault(case, []).append(verdict)
    return tuple(CaseTrials(case, tuple(own)) for case, own in found.items())


def summarise(cases: Iterable[CaseTrials], k: int | None = None) -> TrialSummary | None:
    """The summary; None where no trial was evaluated: nothing is not 0 %.

    `k` is the least number of trials that a case has unless given: more would flatter.
    """
    evaluated = [one for one in cases if one.tally.trials]
    if not evaluated:
        return None
    tallies = [one.tally for one in evaluated]
    counts = [tally.trials for tally in tallies]
    chosen = min(counts) if k is None else k
    return TrialSummary(
        cases=len(tallies),
        min_trials=min(counts),
        max_trials=max(counts),
        pass_at_1=_mean(tally.passed / tally.trials for tally in tallies),
        k=chosen,
        pass_at_k=_mean(pass_at_k(tally.trials, tally.passed, chosen) for tally in tallies),
        flaky=sum(one.flaky for one in evaluated),
    )


def flake_score(tally: Tally) -> float | None:
    """From 0, always the same, to 1, a coin; None with fewer than two verdicts."""
    rate = tally.rate
    if rate is None or tally.trials < 2:
        return None
    return 2 * min(rate, 1 - rate)


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return math.fsum(known) / len(known)
