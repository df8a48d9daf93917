"""Which metrics a column is about, and what its score says of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval_tui.config.grader_kinds import known_metrics
from eval_tui.config.schema import Authority, EvalConfig, Judge
from eval_tui.scores import Measured, Score, Unmeasured
from eval_tui.verdicts.evaluate import MetricScore
from eval_tui.verdicts.policy import JUDGE_PREFIX, declarable

RENAMED_PREFIX = "check:"
"""Before the name of a judge that has the name of somebody else's metric."""


@dataclass(frozen=True, slots=True)
class Producer:
    """One column: a judge or a grader."""

    name: str
    metrics: tuple[str, ...]
    """What it measures. Of a judge its own metric alone: criteria decide nothing."""
    authority: Authority | None
    """How much a judge's word counts; None for a grader, whose metrics have their own."""
    awaited: bool = True
    """Without its word there is no verdict; a judge that gives numbers has none to give."""


def producers(config: EvalConfig) -> tuple[Producer, ...]:
    """The columns of a config.

    A judge's metric has the judge's name, `judge:` before it where a model answers (D52). One that
    would have the name of a grader's metric, or one that belongs to an implementation, is renamed:
    no judge gets authority by its name.
    """
    graders = [judge.grader for judge in config.judges if judge.grader is not None]
    taken = {metric for grader in graders for metric in known_metrics(grader)}
    found: list[Producer] = []
    for judge in config.judges:
        if judge.compares:
            continue  # who of two runs did better says nothing about passing
        if judge.grader is not None:
            known = known_metrics(judge.grader) or (judge.name,)
            found.append(Producer(judge.name, known, None))
            continue
        metric = JUDGE_PREFIX + judge.name if judge.asks_model else judge.name
        if not judge.asks_model and (metric in taken or not declarable(metric)):
            metric = RENAMED_PREFIX + metric
        authority: Authority = "judge" if judge.asks_model else "objective"
        found.append(Producer(judge.name, (metric,), authority, _bears_pass(judge)))
    return tuple(found)


def _bears_pass(judge: Judge) -> bool:
    """Whether a judge is asked for a pass or fail; what Python code returns is not known before."""
    asked = bool(judge.pass_if or judge.builtin) or judge.feedback_type == "bool"
    return asked or not judge.asks_model


def rows_of(producer: Producer, score: Score | None) -> tuple[MetricScore, ...]:
    """What a column's score says of each of its metrics.

    A grader that failed as a whole says so of all of them; a value without parts is that of its
    first one. A metric that it did not emit has no row, one that it emitted undeclared has its own.
    """
    name, metrics = producer.name, producer.metrics
    if producer.authority is not None or score is None or not score.parts:
        told = metrics[:1] if isinstance(score, Measured) else metrics
        return tuple(MetricScore(name, metric, score) for metric in told)
    rows = {metric: MetricScore(name, metric, part) for metric, part in score.parts.items()}
    if isinstance(score, Unmeasured):
        for metric in metrics:
            rows.setdefault(metric, MetricScore(name, metric, score))
    return tuple(rows.values())


def case_rows(found: Sequence[Producer], scores: Iterable[Score | None]) -> tuple[MetricScore, ...]:
    """All rows of a case, from the scores of its columns in their order."""
    pairs = zip(found, scores, strict=True)
    return tuple(row for producer, score in pairs for row in rows_of(producer, score))
