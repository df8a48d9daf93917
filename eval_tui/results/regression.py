"""What counts as a regression against a baseline: limits on how far a figure may fall, and flips."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from eval_tui.config.plain import as_mapping
from eval_tui.config.schema import EvalConfig, Threshold
from eval_tui.results.compare import Comparison, JudgeChange
from eval_tui.results.words import count

COMPAT_DROP = 0.5
"""How far a mean may fall for agent-eval-harness, whatever its scale."""

NAMED = 3
"""Cases that a sentence names."""


@dataclass(frozen=True)
class Limits:
    """How strict a comparison is, as asked for on the command line."""

    tolerance: float | None = None
    """How far any judge without a `max_drop` may fall, in its own unit; None: nobody said."""
    strict: bool = False
    """Every regression counts: a fall, and a cell or verdict that turned from pass to fail."""
    compat: bool = False
    """The harness's rule instead of all this: judges with thresholds, whole means, half a point."""


def with_limits(config: EvalConfig, found: Comparison, limits: Limits) -> EvalConfig:
    """The config with the limits as thresholds, so that they are gates like all others.

    A `max_drop` of the config stands. Beside it only limits that are not met become gates: a judge
    that was never measured on both sides has none, unless it lost the values that it had, nor has
    one without a direction.
    """
    if limits.compat:
        kept = tuple(one for one in config.thresholds if one.metric != "max_drop")
        named = set(map(str, as_mapping(config.source.get("thresholds")) or ()))
        judges = named | {one.judge for one in kept}  # an empty entry counts as well
        had = [one.judge for one in found.judges if one.judge in judges and one.before.measured]
        added = tuple(Threshold(judge, "max_drop", COMPAT_DROP) for judge in had)
        return replace(config, thresholds=(*kept, *added))
    limit = limits.tolerance if limits.tolerance is not None else 0.0 if limits.strict else None
    if limit is None:
        return config
    own = {one.judge for one in config.thresholds if one.metric == "max_drop"}
    added = tuple(
        Threshold(one.judge, "max_drop", limit)
        for one in found.judges
        if one.judge not in own and not _is_within(one, limit)
    )
    return replace(config, thresholds=(*config.thresholds, *added))


def falls(found: Comparison, compat: bool = False) -> dict[str, float | None]:
    """How far each judge is below its baseline; None where that cannot be told."""
    return {one.judge: _whole_fall(one) if compat else one.fell for one in found.judges}


def regressions(found: Comparison, limits: Limits, config: EvalConfig) -> tuple[str, ...]:
    """What counts as a regression beyond the gates, in sentences: flips, where nothing allows them.

    `config` is the one of the file: who has a `max_drop` there may flip within it.
    """
    if not limits.strict or limits.compat:
        return ()
    lenient = {one.judge for one in config.thresholds if one.metric == "max_drop"}
    told: list[str] = []
    for judge in found.judges:
        broke = [one.case for one in found.group("broke") if one.judge == judge.judge]
        if broke and judge.judge not in lenient and limits.tolerance is None:
            told.append(
                f"{judge.judge}: {count(len(broke), 'case')} turned from pass to fail"
                f" ({_named(broke)})"
            )
    verdicts = [one.case for one in found.verdicts if one.change == "broke" and not one.flaky]
    if verdicts:
        told.append(
            f"{count(len(verdicts), 'verdict')} turned from passed to failed ({_named(verdicts)})"
        )
    return tuple(told)


def _is_within(judge: JudgeChange, limit: float) -> bool:
    """Whether a limit that nobody set for this judge alone has nothing to say about it."""
    if judge.direction in (None, "neutral"):
        return True
    if judge.fell is None:
        return judge.after.measured > 0 or not judge.counts.get("lost")
    return judge.fell <= limit


def _whole_fall(judge: JudgeChange) -> float | None:
    """The larger fall of mean and pass rate over all cells, where both sides have them."""
    before, after = judge.before, judge.after
    pairs = ((before.mean, after.mean), (before.pass_rate, after.pass_rate))
    found = [round(was - now, 12) for was, now in pairs if was is not None and now is not None]
    return max(found, default=None)


def _named(cases: Iterable[str]) -> str:
    names = list(cases)
    more = [f"{len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join([*names[:NAMED], *more])
