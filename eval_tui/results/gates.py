"""Thresholds as gates over the aggregates (D28)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never

from eval_tui.config.schema import EvalConfig, Threshold, ThresholdMetric
from eval_tui.results.aggregate import Aggregate

GateState = Literal["pass", "fail", "cannot_tell"]


@dataclass(frozen=True, slots=True)
class Gate:
    """One threshold and what became of it."""

    judge: str
    metric: ThresholdMetric
    limit: float
    actual: float | None
    """The figure that was compared; None where there is none."""
    state: GateState


def gates(
    config: EvalConfig,
    aggregates: Mapping[str, Aggregate],
    max_unmeasured: float = 1.0,
    win_rates: Mapping[str, float] | None = None,
    falls: Mapping[str, float | None] | None = None,
) -> tuple[Gate, ...]:
    """The gates of every judge that has an aggregate, in the order of the config.

    A gate cannot be told when its figure does not exist, and when more than `max_unmeasured` of
    the judge's cells (a fraction of its total) are unmeasured. The error rate is about these
    cells, so that fraction does not make it uncertain. `win_rates` are those of a comparison,
    by judge; `falls` say how far below their baseline judges are. Thresholds of judges that were
    left out or do not exist give no gate, nor does `max_drop` without a baseline.
    """
    return tuple(
        _gate(threshold, aggregates[threshold.judge], max_unmeasured, win_rates or {}, falls or {})
        for threshold in config.thresholds
        if threshold.judge in aggregates and (threshold.metric != "max_drop" or falls is not None)
    )


def worst(found: Iterable[Gate]) -> GateState | None:
    """The state of several gates together: a fail before one that cannot be told; None of none."""
    return worst_state(gate.state for gate in found)


def worst_state(found: Iterable[GateState]) -> GateState | None:
    """The same of bare states."""
    states = set(found)
    for state in ("fail", "cannot_tell", "pass"):
        if state in states:
            return state
    return None


def _gate(
    threshold: Threshold,
    aggregate: Aggregate,
    max_unmeasured: float,
    win_rates: Mapping[str, float],
    falls: Mapping[str, float | None],
) -> Gate:
    metric, limit = threshold.metric, threshold.limit
    match metric:
        case "min_pass_rate":
            actual = aggregate.pass_rate
        case "min_mean":
            actual = aggregate.mean
        case "max_error_rate":
            actual = aggregate.error_rate
        case "min_win_rate":
            actual = win_rates.get(threshold.judge)
        case "max_drop":
            actual = falls.get(threshold.judge)
        case _:
            assert_never(metric)
    unmeasured = aggregate.total - aggregate.measured
    sure = metric == "max_error_rate" or unmeasured <= max_unmeasured * aggregate.total
    if metric in ("max_error_rate", "max_drop"):
        reached = actual is not None and actual <= limit
    else:
        reached = actual is not None and actual >= limit
    state: GateState = "pass" if reached else "fail"
    return Gate(
        threshold.judge,
        metric,
        limit,
        actual,
        state if sure and actual is not None else "cannot_tell",
    )
