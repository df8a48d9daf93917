"""Judges and record settings as plain data, for the way to the workers and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from eval_tui.config.schema import Criterion, Judge


def judge_to_plain(judge: Judge) -> dict[str, Any]:
    """A JSON-able mapping; the problem of an unusable judge stays behind."""
    plain = {
        field.name: getattr(judge, field.name)
        for field in dataclasses.fields(judge)
        if field.name != "problem"
    }
    return {**plain, "criteria": [dataclasses.asdict(one) for one in judge.criteria]}


def judge_from_plain(plain: Mapping[str, Any]) -> Judge:
    """The inverse of `judge_to_plain`."""
    values = dict(plain)
    values["context"] = tuple(values["context"])
    values["criteria"] = tuple(Criterion(**one) for one in values["criteria"])
    if values["score_range"] is not None:
        low, high = values["score_range"]
        values["score_range"] = (low, high)
    return Judge(**values)
