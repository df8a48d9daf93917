"""Judges and record settings as plain data, for the way to the workers and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from eval_tui.config.schema import Criterion, Grader, Judge, Metric


def judge_to_plain(judge: Judge) -> dict[str, Any]:
    """A JSON-able mapping; the problem of an unusable judge stays behind."""
    plain = {
        field.name: getattr(judge, field.name)
        for field in dataclasses.fields(judge)
        if field.name != "problem"
    }
    plain["criteria"] = [dataclasses.asdict(one) for one in judge.criteria]
    plain["grader"] = None if judge.grader is None else dataclasses.asdict(judge.grader)
    return plain


def judge_from_plain(plain: Mapping[str, Any]) -> Judge:
    """The inverse of `judge_to_plain`."""
    values = dict(plain)
    values["context"] = tuple(values["context"])
    values["criteria"] = tuple(Criterion(**one) for one in values["criteria"])
    if values["grader"] is not None:
        values["grader"] = _grader(values["grader"])
    if values["score_range"] is not None:
        low, high = values["score_range"]
        values["score_range"] = (low, high)
    return Judge(**values)


def _grader(plain: Mapping[str, Any]) -> Grader:
    metrics = tuple(Metric(**one) for one in plain["metrics"])
    return Grader(
        plain["id"], plain["config"], metrics, tuple(plain["foreign"]), bool(plain["per_case"])
    )
