"""Two scorings side by side: which cases broke, which were fixed, and what is mere noise (4.8)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from eval_tui.config.schema import Direction
from eval_tui.scores import Measured
from eval_tui.verdicts.evaluate import MetricScore
from eval_tui.verdicts.statistics import (
    Tally,
    benjamini_hochberg,
    beyond_noise,
    p_value,
)


class Trial(NamedTuple):
    """One result: a case, and which of its repetitions (0 without any)."""

    case: str
    trial: int = 0


@dataclass(frozen=True, slots=True)
class Side:
    """One of two scorings."""

    rows: Mapping[Trial, Sequence[MetricScore]]
    """The rows of every result that has an outcome."""
    verdicts: Mapping[Trial, bool | None] | None
    """Under the policy of that scoring; None where it cannot be had."""


Change = Literal["broke", "fixed", "same", "unmeasured"]
Reading = Literal["improved", "regressed", "unchanged", "unknown"]
Comparability = Literal["none", "partial", "full"]


@dataclass(frozen=True, slots=True)
class Transition:
    """What became of one case: the unit in which regressions are counted."""

    at: Trial
    before: bool | None
    after: bool | None
    change: Change


@dataclass(frozen=True, slots=True)
class MetricChange:
    """A metric that both sides measured."""

    metric: str
    before: float
    after: float
    reading: Reading
    """By the declared direction; without one a change is just a change."""

    @property
    def delta(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Flip:
    """A metric's pass on one case that turned: where to look, not what to count."""

    at: Trial
    metric: str
    passed: bool
    """What it is now."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything about two scorings."""

    comparability: Comparability
    transitions: tuple[Transition, ...] | None
    """None where a side's policy cannot be had: then nothing is said about cases."""
    metrics: tuple[MetricChange, ...]
    flips: tuple[Flip, ...]
    missing_cases: tuple[Trial, ...]
    """On one side only."""
    missing_metrics: tuple[str, ...]
    incomparable: tuple[str, ...]
    """Categories on one side, numbers on the other."""
    coverage: Mapping[str, tuple[float, float]]
    """For each metric the share of results that measured it, before and after."""


def compare(
    before: Side, after: Side, directions: Mapping[str, Direction] | None = None
) -> Comparison:
    """What changed from one scoring to another; only what both have is compared."""
    shared = [at for at in before.rows if at in after.rows]
    old, new = _values(before.rows), _values(after.rows)
    both = [metric for metric in old if metric in new]
    incomparable = tuple(
        metric for metric in both if _categorical(old[metric]) != _categorical(new[metric])
    )
    coverage = {
        metric: (_coverage(before.rows, metric), _coverage(after.rows, metric))
        for metric in dict.fromkeys((*old, *new))
    }
    missing_cases = (
        *(at for at in before.rows if at not in after.rows),
        *(at for at in after.rows if at not in before.rows),
    )
    missing_metrics = tuple(metric for metric in coverage if metric not in both)
    uneven = any(first != second for first, second in coverage.values())
    partial = bool(missing_cases or missing_metrics or incomparable or uneven)
    return Comparison(
        comparability="none" if not (shared and both) else "partial" if partial else "full",
        transitions=_transitions(before, after, shared),
        metrics=tuple(
            _change(metric, old[metric], new[metric], (directions or {}).get(metric))
            for metric in both
            if metric not in incomparable and not _categorical(old[metric])
        ),
        flips=tuple(_flips(before, after, shared)),
        missing_cases=missing_cases,
        missing_metrics=missing_metrics,
        incomparable=incomparable,
        coverage=coverage,
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """One case that was tried several times on both sides."""

    case: str
    before: Tally
    after: Tally
    p: float | None
    """How often chance alone does as much; None where a side has no verdict."""
    significant: bool
    suppressed: bool = False
    """Significant by itself, but not among as many differences as were looked at."""


def compare_trials(
    before: Mapping[str, Tally],
    after: Mapping[str, Tally],
    *,
    min_delta: float = 0.0,
    fdr_alpha: float | None = None,
) -> tuple[Difference, ...]:
    """The cases of both sides; `fdr_alpha` holds down the share of false alarms among them."""
    found: list[Difference] = []
    for case, first in before.items():
        if case in after:
            second = after[case]
            sure = beyond_noise(first, second, min_delta)
            found.append(Difference(case, first, second, p_value(first, second), sure))
    if fdr_alpha is None:
        return tuple(found)
    told = [one for one in found if one.p is not None]
    stands = dict(
        zip(
            (one.case for one in told),
            benjamini_hochberg([one.p or 0.0 for one in told], fdr_alpha),
            strict=True,
        )
    )
    return tuple(
        one
        if not one.significant or stands[one.case]
        else replace(one, significant=False, suppressed=True)
        for one in found
    )


def change_of(before: bool | None, after: bool | None) -> Change:
    """What became of a verdict; a case that is not evaluated on a side is no regression."""
    if before is None or after is None:
        return "unmeasured"
    if before == after:
        return "same"
    return "fixed" if after else "broke"


def _transitions(
    before: Side, after: Side, shared: Iterable[Trial]
) -> tuple[Transition, ...] | None:
    if before.verdicts is None or after.verdicts is None:
        return None
    pairs = ((at, before.verdicts.get(at), after.verdicts.get(at)) for at in shared)
    return tuple(
        Transition(at, first, second, change_of(first, second)) for at, first, second in pairs
    )


def _values(rows: Mapping[Trial, Sequence[MetricScore]]) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for result in rows.values():
        for row in result:
            if isinstance(row.score, Measured):
                found.setdefault(row.metric, []).append(row.score)
    return found


def _categorical(scores: Iterable[Measured]) -> bool:
    return any(score.label is not None for score in scores)


def _coverage(rows: Mapping[Trial, Sequence[MetricScore]], metric: str) -> float:
    having = sum(
        any(row.metric == metric and isinstance(row.score, Measured) for row in result)
        for result in rows.values()
    )
    return having / len(rows) if rows else 0.0


def _change(
    metric: str, old: Sequence[Measured], new: Sequence[Measured], direction: Direction | None
) -> MetricChange:
    before, after = (math.fsum(s.value for s in scores) / len(scores) for scores in (old, new))
    if before == after:
        reading: Reading = "unchanged"
    elif direction in (None, "neutral"):
        reading = "unknown"
    else:
        better = (after > before) == (direction == "higher_is_better")
        reading = "improved" if better else "regressed"
    return MetricChange(metric, before, after, reading)


def _flips(before: Side, after: Side, shared: Iterable[Trial]) -> Iterable[Flip]:
    for at in shared:
        old, new = _passes(before.rows[at]), _passes(after.rows[at])
        for metric in old:
            if metric in new and old[metric] != new[metric]:
                yield Flip(at, metric, new[metric])


def _passes(rows: Iterable[MetricScore]) -> dict[str, bool]:
    """The pass of each metric that has one; several rows of a metric must all pass."""
    found: dict[str, bool] = {}
    for row in rows:
        if isinstance(row.score, Measured) and row.score.passed is not None:
            found[row.metric] = found.get(row.metric, True) and row.score.passed
    return found
