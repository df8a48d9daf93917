"""Criteria: several questions of one judge, asked in one call and scored one by one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from eval_tui.config.pass_mark import passes
from eval_tui.config.schema import Criterion
from eval_tui.judges.model.scale import OffScale, Scale, Value
from eval_tui.judges.text import bounded, safe_str
from eval_tui.scores import Measured, Reason, Score, Unmeasured

_RECOVERY = frozenset({"config", "evidence"})


def read_part(given: object, scale: Scale, criterion: Criterion) -> Score:
    """The score of one criterion from what the model gave for it; missing is its own error."""
    if not isinstance(given, Mapping):
        why = "the model did not answer it" if given is None else "its answer is no object"
        return _failed(criterion, why)
    fields = cast("Mapping[str, object]", given)
    if scale.field not in fields:
        return _failed(criterion, f"`{scale.field}` is missing")
    try:
        value = scale.read(fields[scale.field])
    except OffScale as error:
        return _failed(criterion, str(error))
    rationale = fields.get("rationale")
    words = "" if rationale is None else bounded(safe_str(rationale))
    return Measured(value, passes(criterion.pass_if, value), words)


def overall(parts: Mapping[str, Score], criteria: Sequence[Criterion], scale: Scale) -> Value | str:
    """A judge's own value from its criteria, or in words why there is none.

    Pass or fail: all must pass, and one fail decides whatever else is missing. Numbers: the
    weighted mean, only when every criterion with a weight was measured.
    """
    weighted = [one for one in criteria if one.weight > 0]
    found = [(one.weight, parts[one.id]) for one in weighted]
    values = [(weight, part.value) for weight, part in found if isinstance(part, Measured)]
    if scale.kind == "bool" and not all(value for _, value in values):
        return False
    missing = [one.id for one in weighted if not isinstance(parts[one.id], Measured)]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        return f"{len(missing)} of {len(weighted)} criteria have no verdict: {names}"
    if scale.kind == "bool":
        return True
    total = math.fsum(weight for weight, _ in values)
    return math.fsum(weight * value for weight, value in values) / total


def _failed(criterion: Criterion, why: str) -> Unmeasured:
    detail = f"criterion `{criterion.id}`: {why}"
    return Unmeasured(Reason.GRADER_ERROR, detail, retryable=True, recover_on=_RECOVERY)
