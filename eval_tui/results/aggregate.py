"""What the cells of one judge add up to: measured cells alone, with their denominator (D27)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never

from eval_tui.engine.grid import Cell, CellState
from eval_tui.scores import Measured, Reason, Unmeasured

Kind = Literal["rate", "mean", "labels", "mixed", "none"]
"""rate: booleans; mean: numbers; labels: categories, which have a distribution instead of a mean;
mixed: booleans and numbers, which have no figure; none: nothing measured."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The figures of one judge. Whatever cannot be said is None, never 0."""

    measured: int
    total: int
    """Cells of cases that ran, less those skipped on purpose; those that wait are in it."""
    skipped: int
    """Skipped on purpose: by `if:`, or the judge abstained."""
    passed: int | None
    """Passes of the measured cells, for booleans, and for numbers that all pass or fail."""
    pass_rate: float | None
    mean: float | None
    """For booleans the same as the pass rate. None also where it is beyond every float."""
    error_rate: float | None
    """Errored over errored and measured."""
    stale: int
    """Measured values in it that belong to older inputs."""
    kind: Kind
    labels: tuple[tuple[str, int], ...] = ()
    """For categories how often each came: in the order of their values, then the more frequent."""

    @property
    def mode(self) -> str | None:
        """The most frequent category; of equally frequent ones that of the lower value."""
        return max(self.labels, key=lambda entry: entry[1])[0] if self.labels else None


def aggregate(cells: Iterable[Cell]) -> Aggregate:
    """The figures of a judge from its cells, in any order; cells of cases not run may be among
    them and count nowhere."""
    values: list[bool | int | float] = []
    labelled: list[tuple[bool | int | float, str]] = []
    marks: list[bool] = []
    total = skipped = errored = stale = 0
    for cell in cells:
        score = cell.score
        match score:
            case None:
                total += cell.state is not CellState.EMPTY
            case Measured():
                total += 1
                values.append(score.value)
                if score.passed is not None:
                    marks.append(score.passed)
                if score.label is not None:
                    labelled.append((score.value, score.label))
                stale += is_old(cell)
            case Unmeasured():
                aside = score.reason is Reason.POLICY_SKIP
                skipped += aside
                errored += not aside
                total += not aside
            case _:
                assert_never(score)
    kind = "labels" if labelled else _kind(values)
    mean = _mean(values) if kind in ("rate", "mean") else None
    passed = sum(map(bool, values)) if kind == "rate" else None
    rate = mean if kind == "rate" else None
    if kind == "mean" and len(marks) == len(values):
        passed, rate = sum(marks), sum(marks) / len(marks)
    judged = errored + len(values)
    return Aggregate(
        measured=len(values),
        total=total,
        skipped=skipped,
        passed=passed,
        pass_rate=rate,
        mean=mean,
        error_rate=errored / judged if judged else None,
        stale=stale,
        kind=kind,
        labels=_distribution(labelled),
    )


def _distribution(
    labelled: Iterable[tuple[bool | int | float, str]],
) -> tuple[tuple[str, int], ...]:
    """Each label with its count, by the value that it came with first, then by frequency."""
    first: dict[str, bool | int | float] = {}
    counts: Counter[str] = Counter()
    for value, label in labelled:
        first.setdefault(label, value)
        counts[label] += 1
    order = sorted(first, key=lambda label: (first[label], -counts[label], label))
    return tuple((label, counts[label]) for label in order)


def is_old(cell: Cell) -> bool:
    """Whether a cell's value, if it has one, is known to belong to older inputs; that of one that
    is being checked is not yet."""
    return cell.state not in (CellState.FRESH, CellState.CHECKING, CellState.EMPTY)


def _kind(values: Sequence[bool | int | float]) -> Kind:
    booleans = sum(isinstance(value, bool) for value in values)
    if not values:
        return "none"
    if booleans == len(values):
        return "rate"
    return "mixed" if booleans else "mean"


def _mean(values: Sequence[bool | int | float]) -> float | None:
    """The mean; None where it is beyond every float."""
    try:
        return math.fsum(values) / len(values)
    except OverflowError:  # a value or the sum is beyond every float, perhaps not the mean
        try:
            return float(sum(map(Fraction, values)) / len(values))
        except OverflowError:
            return None
