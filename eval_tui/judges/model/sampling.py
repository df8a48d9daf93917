"""Several answers to one request: which of them is the cell's value (harness.md 13)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from eval_tui.config.schema import Judge
from eval_tui.judges.model.answer import Outcome, Verdict
from eval_tui.judges.model.scale import Value
from eval_tui.scores import Measured, Sample, Score, Unmeasured


def combine(outcomes: Sequence[Outcome], judge: Judge) -> Score:
    """The score of a cell from its answers, in the order of sampling; at least one.

    Numbers: the lower median, a value that was observed. Pass or fail: a strict majority, so a
    tie is a fail. Errors do not vote; when all are errors the first one is the cell's. Label and
    rationale are those of the first answer with the value.
    """
    verdicts = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
    if not verdicts:
        first = next(one for one in outcomes if isinstance(one, Unmeasured))
        return first if len(outcomes) == 1 else _all_failed(first, len(outcomes))
    value = central([verdict.value for verdict in verdicts])
    shown = next(verdict for verdict in verdicts if verdict.value == value)
    return Measured(
        value,
        _passed(value, judge, shown.parts),
        shown.rationale,
        samples=samples_of(outcomes) if len(outcomes) > 1 else (),
        parts=_combine_parts([one.parts for one in outcomes]),
    )


def central(values: Sequence[Value]) -> Value:
    """The strict majority of booleans, the lower median of numbers."""
    if all(isinstance(value, bool) for value in values):
        return 2 * sum(values) > len(values)
    return sorted(values)[(len(values) - 1) // 2]


def samples_of(outcomes: Sequence[Outcome]) -> tuple[Sample, ...]:
    """Each answer as the drill-down shows it."""
    return tuple(
        Sample(one.value, one.rationale)
        if isinstance(one, Verdict)
        else Sample(None, error=one.detail)
        for one in outcomes
    )


def is_stable(samples: Sequence[Sample]) -> bool:
    """Whether all samples agree and none failed; true without samples, of a single answer."""
    return len({sample.value for sample in samples}) <= 1 and not any(s.error for s in samples)


def spread(samples: Sequence[Sample]) -> tuple[float, float] | None:
    """Lowest and highest value of the samples that have one; None without any."""
    values = [float(sample.value) for sample in samples if sample.value is not None]
    return (min(values), max(values)) if values else None


def _passed(value: Value, judge: Judge, parts: Mapping[str, Score]) -> bool | None:
    """By the marks of the criteria: all that have one must pass. The judge's own `pass_if` is left
    to `apply_pass_if`, which looks at the stored value."""
    if isinstance(value, bool):
        return value
    weighted = {one.id for one in judge.criteria if one.weight > 0}
    marks = [p.passed for name, p in parts.items() if isinstance(p, Measured) and name in weighted]
    told = [mark for mark in marks if mark is not None]
    return all(told) if told else None


def _combine_parts(all_parts: Sequence[Mapping[str, Score]]) -> dict[str, Score]:
    names = dict.fromkeys(name for parts in all_parts for name in parts)
    return {name: _combine_part([p[name] for p in all_parts if name in p]) for name in names}


def _combine_part(scores: Sequence[Score]) -> Score:
    measured = [score for score in scores if isinstance(score, Measured)]
    if not measured:
        return scores[0]
    value = central([score.value for score in measured])
    shown = next(score for score in measured if score.value == value)
    if len(scores) == 1:
        return shown
    samples = tuple(
        Sample(s.value, s.rationale) if isinstance(s, Measured) else Sample(None, error=s.detail)
        for s in scores
    )
    return dataclasses.replace(shown, samples=samples)


def _all_failed(first: Unmeasured, count: int) -> Unmeasured:
    detail = f"none of {count} samples gave a verdict; the first: {first.detail}"
    return dataclasses.replace(first, detail=detail)
