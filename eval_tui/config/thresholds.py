"""`thresholds:`: the gates (D28)."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import cast, get_args

from eval_tui.config.plain import as_mapping
from eval_tui.config.schema import Threshold, ThresholdMetric
from eval_tui.config.section import Section, did_you_mean, is_number, kind_of

_METRICS: dict[str, ThresholdMetric] = {word: word for word in get_args(ThresholdMetric)}

_SHARES = frozenset({"min_pass_rate", "max_error_rate", "min_win_rate"})
"""Metrics that are no number off 0 to 1, so that such a limit decides whatever the cells say."""


def read_thresholds(top: Section, judges: Collection[str]) -> tuple[Threshold, ...]:
    """The gates in file order; unknown judges and keys and odd limits are errors (D28, D51)."""
    block = top.section("thresholds", "bad-threshold")
    if block is None:
        return ()
    result: list[Threshold] = []
    for key, value in block.values.items():
        judge, place = block.name_of(key)
        if judge not in judges:
            hint = did_you_mean(judge, judges) or f"judges: {', '.join(judges) or 'none'}"
            block.report.add("error", "unknown-judge", no_judge_words(judge), place, hint=hint)
        limits = as_mapping(value)
        if limits is not None:
            result += _read_limits(Section(block.report, limits, (*block.keys, key)), judge)
        else:
            message = f"the threshold of `{judge}` must be a mapping, not {kind_of(value)}"
            hint = "e.g. `min_pass_rate: 0.9`"
            block.report.add("error", "bad-threshold", message, place, hint=hint)
    return tuple(result)


def no_judge_words(name: str) -> str:
    """What is said of a threshold for something that the config does not have."""
    return f"there is a threshold for `{name}`, which is no judge"


def _read_limits(section: Section, judge: str) -> list[Threshold]:
    result: list[Threshold] = []
    for key, value, place in section.entries():
        metric = _METRICS.get(key)
        if metric is None:
            hint = did_you_mean(key, _METRICS) or f"known: {', '.join(_METRICS)}"
            message = f"`{key}` is no threshold"
            section.report.add("error", "unknown-threshold", message, place, hint=hint)
        elif isinstance(value, bool):
            message = f"the limit `{key}` should be a number; it is taken as {int(value)}"
            section.report.add("warning", "bad-threshold", message, place)
            result.append(Threshold(judge, metric, float(value), place.line))
        elif not is_number(value) or math.isinf(cast("float", value)):
            message = f"the limit `{key}` must be a number, not {kind_of(value)}"
            section.report.add("error", "bad-threshold", message, place)
        else:
            limit = float(cast("float", value))
            if metric in _SHARES and not 0 <= limit <= 1:
                message = f"the limit `{key}` is a share from 0 to 1, not {value}"
                section.report.add("warning", "bad-threshold", message, place)
            result.append(Threshold(judge, metric, limit, place.line))
    return result
