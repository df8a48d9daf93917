"""What the cells of one judge add up to: measured cells alone, with their denominator (D27)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never

from eval_tui.engine.grid import Cell, CellState
from eval_tui.scores import Measured, Reason, Unmeasured

Kind = Literal["rate", "mean", "mixed", "none"]
"""rate: booleans; mean: numbers; mixed: both, which have no figure; none: nothing measured."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The figures of one judge. Whatever cannot be said is None, never 0."""

    measured: int
    total: int
    """Cells of cases that ran, less those skipped on purpose; those that wait are in it."""
    skipped: int
    """Skipped on purpose: by `if:`, or the judge abstained."""
    passed: int | None
    """Passes of the measured cells, for booleans."""
    pass_rate: float | None
    mean: float | None
    """For booleans the same as the pass rate. None also where it is beyond every float."""
    error_rate: float | None
    """Errored over errored and measured."""
    stale: int
    """Measured values in it that belong to older inputs."""
    kind: Kind


def aggregate(cells: Iterable[Cell]) -> Aggregate:
    """The figures of a judge from its cells, in any order; cells of cases not run may be among
    them and count nowhere."""
    values: list[bool | int | float] = []
    total = skipped = errored = stale = 0
    for cell in cells:
        score = cell.score
        match score:
            case None:
                total += cell.state is not CellState.EMPTY
            case Measured():
                total += 1
                values.append(score.value)
                stale += _is_old(cell)
            case Unmeasured():
                aside = score.reason is Reason.POLICY_SKIP
                skipped += aside
                errored += not aside
                total += not aside
            case _:
                assert_never(score)
    kind = _kind(values)
    passed = sum(map(bool, values)) if kind == "rate" else None
    mean = _mean(values) if kind in ("rate", "mean") else None
    judged = errored + len(values)
    return Aggregate(
        measured=len(values),
        total=total,
        skipped=skipped,
        passed=passed,
        pass_rate=mean if kind == "rate" else None,
        mean=mean,
        error_rate=errored / judged if judged else None,
        stale=stale,
        kind=kind,
    )


def _is_old(cell: Cell) -> bool:
    """Whether a value is known to belong to older inputs; one being checked is not yet."""
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
