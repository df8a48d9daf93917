"""`pass_if`: a comparison that gives a number a pass or fail.

Plain text in the schema, so that it crosses to the workers; standard library only, Python 3.10.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+))\s*", re.ASCII)


@dataclass(frozen=True)
class PassMark:
    """A parsed `pass_if`."""

    sign: str
    limit: float

    def holds(self, value: bool | int | float) -> bool:
        """Whether the value passes."""
        return _OPERATORS[self.sign](value, self.limit)


def parse_pass_if(text: str) -> PassMark | None:
    """The mark in texts such as `>= 4`; None for anything else."""
    found = _FORM.fullmatch(text)
    return PassMark(found[1], float(found[2])) if found else None


def passes(pass_if: str, value: bool | int | float) -> bool | None:
    """Whether a value passes: a boolean is its own mark, a number needs a `pass_if` (else None)."""
    if isinstance(value, bool):
        return value
    mark = parse_pass_if(pass_if)
    return None if mark is None else mark.holds(value)
