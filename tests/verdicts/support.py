"""Rows, policies and rulebooks in few words."""

from __future__ import annotations

from eval_tui.config.schema import EvalConfig, Grader, Judge, Metric, VerdictRules
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from eval_tui.verdicts.compile import Rulebook, rulebook
from eval_tui.verdicts.evaluate import MetricScore, Verdict, evaluate
from eval_tui.verdicts.policy import LADDER, Policy, compose
from eval_tui.verdicts.producers import case_rows

Short = bool | float | str | Score | None
"""A pass or fail, a number without one, a reason's word, a score, or None while nothing is there."""


def score(short: Short) -> Score | None:
    if short is None or isinstance(short, (Measured, Unmeasured)):
        return short
    if isinstance(short, bool):
        return Measured(short, short)
    if isinstance(short, str):
        return Unmeasured(Reason(short), f"because of {short}")
    return Measured(short, None)


def rows(**metrics: Short) -> list[MetricScore]:
    """One row for each metric; `judge__x` stands for `judge:x`."""
    names = {name: name.replace("__", ":") for name in metrics}
    return [MetricScore(f"of {names[n]}", names[n], score(short)) for n, short in metrics.items()]


def declared(*metrics: Metric, id: str = "script", **config: object) -> Grader:
    return Grader(id, config, metrics)


def truth(name: str) -> Metric:
    return Metric(name, "ground_truth", "higher_is_better")


def theirs(policy: Policy = LADDER, **metrics: Short) -> Verdict:
    """As other tools decide, under the ladder or a policy."""
    return evaluate(policy, rows(**metrics))


def composed(*names: str) -> Policy:
    return compose([declared(*map(truth, names))])


def grader(name: str, *metrics: Metric, id: str = "script", **config: object) -> Judge:
    return Judge(name, "grader", grader=Grader(id, config, metrics))


def check(name: str, **more: object) -> Judge:
    return Judge(name, "check", **more)  # type: ignore[arg-type]


def model(name: str, **more: object) -> Judge:
    return Judge(name, "model", **{"feedback_type": "bool", **more})  # type: ignore[arg-type]


def config(*judges: Judge, verdict: VerdictRules | None = None) -> EvalConfig:
    return EvalConfig("/p/eval.yaml", "/p", judges=judges, verdict=verdict)


def ours(
    judges: list[Judge],
    *scores: Short,
    verdict: VerdictRules | None = None,
    unreviewed: set[tuple[str, str]] | None = None,
) -> Verdict:
    """As we decide: the verdict of a case from the scores of these columns, in their order."""
    return decide(rulebook(config(*judges, verdict=verdict), unreviewed or set()), *scores)


def decide(book: Rulebook, *scores: Short) -> Verdict:
    found = case_rows(book.producers, [score(short) for short in scores])
    return evaluate(book.policy, found, book.expected)


def metrics_of(verdict: Verdict) -> list[str]:
    return [vote.metric for vote in verdict.decided_by]
