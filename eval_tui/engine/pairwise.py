"""The comparison with a baseline run as a column: its judge, and what its cells rest on (D30).

It is a model judge like any other, except that it is about two runs and asks about both orders.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from eval_tui.config.problems import Problem
from eval_tui.config.schema import PAIRWISE, EvalConfig, Judge

SCALE = (-1.0, 1.0)
"""A loss, a tie (0) and a win of the run."""


def with_comparison(config: EvalConfig, baseline: str, environ: Mapping[str, str]) -> EvalConfig:
    """The config with the comparison with the run `baseline` as its last column.

    Its judge is the first entry called `pairwise`, else one with the built-in prompt that asks the
    model of `models.judge` or EVAL_JUDGE_MODEL.
    """
    judge = _comparison_judge(config, environ)
    words = judge.description or (
        f"Which of two runs did better in a case: this one or the baseline, {baseline}. The model"
        " is asked twice, with each of them shown first; only who is preferred both times wins."
    )
    judge = dataclasses.replace(judge, description=words)
    return dataclasses.replace(config, judges=(*config.judges, judge))


def _comparison_judge(config: EvalConfig, environ: Mapping[str, str]) -> Judge:
    model = config.models.judge or environ.get("EVAL_JUDGE_MODEL", "").strip()
    if not config.pairwise:
        problem = None if model else _no_model(config.path, 0)
        return Judge(PAIRWISE, "model", model=model, score_range=SCALE, problem=problem)
    entry = config.pairwise[0]
    problem = entry.problem
    if problem is None and entry.kind != "model":
        problem = _wrong_kind(config.path, entry)
    elif problem is None and not (entry.model or model):
        problem = _no_model(config.path, entry.line)
    # How the answer is given is not the author's choice: one of two sides, or neither.
    return dataclasses.replace(
        entry,
        kind="model",
        model=entry.model or model,
        feedback_type="",
        score_range=SCALE,
        pass_if="",
        criteria=(),
        problem=problem,
    )


def _no_model(path: str, line: int) -> Problem:
    message = "the comparison asks a model, but none is named"
    hint = "set `models.judge`, the variable EVAL_JUDGE_MODEL, or `model` of the `pairwise` judge"
    return Problem("error", "no-model", message, path, line, judge=PAIRWISE, hint=hint)


def _wrong_kind(path: str, entry: Judge) -> Problem:
    message = f"`pairwise` compares two runs by asking a model; it cannot be a {entry.kind} judge"
    hint = "give it a `prompt`, or only its name for the built-in one"
    return Problem("error", "pairwise-kind", message, path, entry.line, judge=PAIRWISE, hint=hint)
