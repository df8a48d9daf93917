"""Figures in words: the sentences that screens and tables show."""

from __future__ import annotations

import math
from typing import assert_never

from eval_tui.results.aggregate import Aggregate
from eval_tui.results.gates import Gate
from eval_tui.scores import Measured, Reason, Score, Unmeasured

REASON_WORDS: dict[Reason, str] = {
    Reason.GRADER_ERROR: "error",
    Reason.MISSING_EVIDENCE: "evidence",
    Reason.MISSING_SECRET: "secret",
    Reason.UNSUPPORTED: "unsupported",
    Reason.POLICY_SKIP: "skipped",
    Reason.CONTRACT_VIOLATION: "contract",
}
"""One short word for each reason."""

_METRICS = {
    "min_pass_rate": ("pass rate", ">="),
    "min_mean": ("mean", ">="),
    "min_win_rate": ("win rate", ">="),
    "max_error_rate": ("error rate", "<="),
}


def percent(rate: float) -> str:
    """A rate as a whole per cent; 0% and 100% are said only of exactly that."""
    if 0 < rate < 0.01:
        return "<1%"
    if 0.99 < rate < 1:
        return ">99%"
    return f"{rate * 100:.0f}%"


def number(value: bool | int | float) -> str:
    """A value or a mean, short: at most three significant decimals, no needless zeros."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**9 else power(value)
    if value and not 0.001 <= abs(value) < 10**9:
        return f"{float(value):.3g}"
    return f"{value:.3f}".rstrip("0").rstrip(".")


def power(value: int) -> str:
    """A large whole number as `1.2e400`; it may be beyond every float, and beyond `str`."""
    size, exponent = abs(value), int(math.log10(abs(value)))
    exponent += (size >= 10 ** (exponent + 1)) - (size < 10**exponent)
    return f"{'-' if value < 0 else ''}{size // 10 ** (exponent - 1) / 10:g}e{exponent}"


def value_words(score: Score) -> str:
    """A score in a word or two, without its rationale."""
    match score:
        case Measured(bool(value)):
            return "pass" if value else "fail"
        case Measured():
            return number(score.value)
        case Unmeasured():
            return REASON_WORDS[score.reason]
        case _:
            assert_never(score)


def summary(aggregate: Aggregate) -> str:
    """A judge's figure with its denominator, e.g. `83% 10/12 · 12/14 measured` (S3).

    The measured part is said only when something was not measured; a judge without any value
    has no figure.
    """
    told = [_figure(aggregate)]
    if aggregate.measured != aggregate.total:
        told.append(f"{aggregate.measured}/{aggregate.total} measured")
    if aggregate.stale:
        told.append(f"{aggregate.stale} stale")
    return " · ".join(part for part in told if part)


def _figure(aggregate: Aggregate) -> str:
    match aggregate.kind:
        case "rate":
            rate, measured = aggregate.pass_rate or 0.0, aggregate.measured
            return f"{percent(rate)} {aggregate.passed}/{measured}"
        case "mean":
            whole = aggregate.measured == aggregate.total
            count = f" {aggregate.measured}/{aggregate.total}" if whole else ""
            if aggregate.mean is None:
                return "mean too large"
            return f"{number(aggregate.mean)} mean{count}"
        case "mixed":
            return "mixed values"
        case "none":
            if aggregate.total:
                return ""
            return "all skipped" if aggregate.skipped else "none ran"
        case _:
            assert_never(aggregate.kind)


def gate_words(gate: Gate) -> str:
    """A gate as a sentence, e.g. `pass rate 75% >= 80%: fail`."""
    metric, relation = _METRICS[gate.metric]
    is_rate = gate.metric != "min_mean"

    def figure(value: float) -> str:
        return f"{number(value * 100)}%" if is_rate else number(value)

    actual = "unknown" if gate.actual is None else figure(gate.actual)
    return f"{metric} {actual} {relation} {figure(gate.limit)}: {gate.state.replace('_', ' ')}"


def count(amount: int, one: str, many: str = "") -> str:
    """`1 case`, `2 cases`."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"
