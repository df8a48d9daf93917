"""What kind of verdict a model judge is asked for, and on which scale (harness.md 11, D18, D47)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from eval_tui.config.schema import MODEL_BUILTINS, Judge

Value = bool | int | float

DEFAULT_RANGE = (1.0, 5.0)
"""What a model is told when the judge declares no `score_range`."""


class OffScale(Exception):
    """A value that is no verdict on the scale; the text says why."""


@dataclass(frozen=True)
class Scale:
    """The form of a verdict. `low` and `high` mean nothing for pass or fail."""

    kind: Literal["bool", "integer", "number"]
    low: float = DEFAULT_RANGE[0]
    high: float = DEFAULT_RANGE[1]
    declared: bool = False
    """Whether the bounds were declared and are enforced; else they are only stated (D47)."""

    @property
    def field(self) -> str:
        """The field of the answer that carries the verdict."""
        return "passed" if self.kind == "bool" else "score"

    @property
    def words(self) -> str:
        """The bounds for a sentence: `1 to 5`."""
        return f"{plain(self.low)} to {plain(self.high)}"

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the verdict's field."""
        if self.kind == "bool":
            return {"type": "boolean", "description": "true for a pass, false for a fail"}
        return {
            "type": self.kind,
            "minimum": plain(self.low),
            "maximum": plain(self.high),
            "description": f"the score, from {self.words}",
        }

    def read(self, raw: object) -> Value:
        """The verdict in what a model gave for the field. Raises OffScale.

        A number may be written as text. The bounds are checked before a number is rounded to an
        integer scale, half to even; nothing is clamped (D18).
        """
        if self.kind == "bool":
            if not isinstance(raw, bool):
                raise OffScale(f"`passed` must be true or false, not {_shown(raw)}")
            return raw
        number = _number(raw)
        if self.declared and not self.low <= number <= self.high:
            raise OffScale(f"the score {number:.12g} is off the scale from {self.words}")
        return round(number) if self.kind == "integer" else number

    def to_plain(self) -> dict[str, Any]:
        """A JSON-able mapping from which `Scale(**plain)` makes an equal scale."""
        return asdict(self)


def scale_of(judge: Judge) -> Scale:
    """The scale that a judge's `feedback_type` and `score_range` ask for.

    Integers when `feedback_type` is `int`, or is absent and both bounds are whole.
    """
    if judge.feedback_type == "bool" or judge.builtin in MODEL_BUILTINS:
        return Scale("bool")
    low, high = judge.score_range or DEFAULT_RANGE
    whole = low == int(low) and high == int(high)
    is_integer = judge.feedback_type == "int" or (judge.feedback_type != "float" and whole)
    return Scale("integer" if is_integer else "number", low, high, judge.score_range is not None)


def plain(number: float) -> int | float:
    """A whole number as an integer: how people and schemas write it."""
    return int(number) if number == int(number) else number


def _number(raw: object) -> float:
    value: object = raw
    if isinstance(raw, str):
        try:
            value = float(raw.strip())
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OffScale(f"`score` must be a number, not {_shown(raw)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise OffScale(f"`score` must be a usable number, not {_shown(raw)}")
    return number


def _shown(raw: object) -> str:
    if raw is None:
        return "null"
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, Mapping):
        return "an object"
    words = repr(raw)
    return words if len(words) <= 80 else f"{words[:79]}…"
