"""Figures in words: the sentences that screens and tables show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final, assert_never

from eval_tui.engine.grid import Waiting
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

WAITING_WORDS: dict[Waiting, str] = {
    "money": "waits: judging it costs money",
    "paused": "waits: paused before it ran",
    "cancelled": "waits: cancelled before it ran",
    "secret": "waits: there is no API key to ask with",
    "off": "waits: judging it is switched off",
}
"""Why a cell has no value yet."""

SHOWN_LABELS = 3
"""Categories that a figure names."""

_METRICS = {
    "min_pass_rate": ("pass rate", ">="),
    "min_mean": ("mean", ">="),
    "min_win_rate": ("win rate", ">="),
    "max_error_rate": ("error rate", "<="),
    "max_drop": ("drop", "<="),
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


def summary(aggregate: Aggregate, figure: str = "") -> str:
    """A judge's figure with its denominator, e.g. `83% 10/12 · 12/14 measured` (S3).

    The measured part is said only when something was not measured; a judge without any value
    has no figure. `figure` is one that says more than a rate or a mean.
    """
    told = [figure or _figure(aggregate)]
    if aggregate.measured != aggregate.total:
        told.append(f"{aggregate.measured}/{aggregate.total} measured")
    if aggregate.stale:
        told.append(f"{aggregate.stale} stale")
    return " · ".join(part for part in told if part)


def short_figure(figures: Aggregate, unmeasured: str, figure: str = "") -> str:
    """A figure in one short line, e.g. `83% 5/6 ∅1`, `3.5 mean 4/5`.

    The sign, `unmeasured`, counts what should have a value and has none. `figure` is one that says
    more than a rate or a mean.
    """
    told = summary(figures, figure).partition(" · ")[0]
    missing = figures.total - figures.measured
    if not missing:
        return told
    if figures.measured and figures.kind == "mean":
        return f"{told} {figures.measured}/{figures.total}"
    return f"{told if figures.measured else 'none'} {unmeasured}{missing}"


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
        case "labels":
            ranked = sorted(aggregate.labels, key=lambda entry: -entry[1])
            told = [f"{label} {count}" for label, count in ranked[:SHOWN_LABELS]]
            told += [f"+{len(ranked) - SHOWN_LABELS} more"] if len(ranked) > SHOWN_LABELS else []
            return f"{', '.join(told)} of {aggregate.measured}"
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
    return f"{limit_words(gate)}: {gate.state.replace('_', ' ')}"


def limit_words(gate: Gate) -> str:
    """What a gate compares, e.g. `pass rate 75% >= 80%`; where its state stands beside it."""
    metric, relation = _METRICS[gate.metric]
    is_rate = gate.metric not in ("min_mean", "max_drop")
    ways = RATE[1:] if is_rate else NUMBER
    if gate.actual is None:
        return f"{metric} unknown {relation} {ways[0](gate.limit)}"
    actual, limit = told_apart(gate.actual, gate.limit, ways)
    return f"{metric} {actual} {relation} {limit}"


def _digits(value: float) -> str:
    return repr(value).removesuffix(".0")


Way = Callable[[float], str]
"""How a figure is put into words."""

RATE: Final[tuple[Way, ...]] = (
    percent,
    lambda rate: f"{number(rate * 100)}%",
    lambda rate: f"{_digits(rate * 100)}%",
)
NUMBER: Final[tuple[Way, ...]] = (number, _digits)
"""From the shortest words to those with all digits."""


def told_apart(one: float, other: float, ways: Iterable[Way]) -> tuple[str, str]:
    """Two figures in the shortest words that are not the same where the figures are not."""
    told = ("", "")
    for words in ways:
        told = words(one), words(other)
        if one == other or told[0] != told[1]:
            break
    return told


def usd(amount: float | None) -> str:
    """US dollars with as many digits as say something: `$1.20`, `$0.042`, `$0.0012`; else `n/a`."""
    if amount is None:
        return "n/a"  # what is not known is not 0
    if 0 < amount < 0.00005:
        return "under $0.0001"
    digits = 2 if amount >= 1 else 3 if amount >= 0.01 else 4
    whole, _, cents = f"{amount:,.{digits}f}".partition(".")
    return f"${whole}.{cents[:2]}{cents[2:].rstrip('0')}"


def count(amount: int, one: str, many: str = "") -> str:
    """`1 case`, `2 cases`."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"
