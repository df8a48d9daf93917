"""Scales: `score_range` and `feedback_type`."""

from __future__ import annotations

import math
from typing import cast

from eval_tui.config.plain import as_list
from eval_tui.config.section import Section, kind_of

_WORDS = ("bool", "int", "float")


def read_score_range(section: Section) -> tuple[float, float] | None:
    """Two finite numbers, the lower first; None when absent or (with a problem) malformed (D47)."""
    value = section.get("score_range")
    if value is None:
        return None
    bounds = as_list(value) or []
    if len(bounds) != 2:
        message = f"`score_range` must be a list of two numbers, not {kind_of(value)}"
        if bounds:
            message = f"`score_range` must have two numbers, not {len(bounds)}"
        section.error("score_range", "bad-range-shape", message, "e.g. `score_range: [1, 5]`")
        return None
    for bound in bounds:
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            message = f"the bounds of `score_range` must be numbers, not {kind_of(bound)}"
            section.error("score_range", "bad-range-bounds", message)
            return None
    low, high = _to_float(bounds[0]), _to_float(bounds[1])
    if not (math.isfinite(low) and math.isfinite(high)):
        section.error("score_range", "bad-range-infinite", "`score_range` must be finite")
        return None
    if low >= high:
        message = f"the first bound of `score_range` must be the lower one: {low:g} to {high:g}"
        section.error("score_range", "bad-range-order", message)
        return None
    return low, high


def _to_float(number: object) -> float:
    try:
        return float(cast("float", number))
    except OverflowError:
        return math.inf


def read_feedback_type(entry: Section, scale: tuple[float, float] | None, builtin: str) -> str:
    """`bool`, `int`, `float`, or empty, which means a number; checks that the scale fits it.

    `builtin` is the name of a built-in that a model answers with pass or fail, else empty.
    """
    word = entry.text("feedback_type")
    if builtin and (word not in ("", "bool") or entry.given("score_range")):
        key = "score_range" if entry.given("score_range") else "feedback_type"
        entry.error(key, "builtin-scale", f"`{builtin}` answers pass or fail and takes no scale")
    elif word == "bool" and entry.given("score_range"):
        message = "`feedback_type: bool` has no scale"
        entry.error("score_range", "bool-with-range", message, "remove `score_range`")
    elif word == "int" and scale and any(bound != int(bound) for bound in scale):
        message = "`feedback_type: int` needs whole bounds in `score_range`"
        entry.error("score_range", "int-with-fraction", message)
    if word and word not in _WORDS:
        message = f"`{word}` is no `feedback_type`; a number is expected"
        nearest = next((known for known in _WORDS if word.lower().startswith(known)), None)
        hint = f"did you mean `{nearest}`?" if nearest else "use one of bool, int, float"
        entry.warn("feedback_type", "bad-feedback-type", message, hint)
        return ""
    return word
