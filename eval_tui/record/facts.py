"""What a case is about, in a few words: for finding it among others."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from eval_tui.config.plain import to_json
from eval_tui.record import inputs, metrics
from eval_tui.record.case import load_case
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.spec import RecordSpec

T = TypeVar("T")

LONGEST = 20_000
"""Characters of an input that are searched."""


def case_facts(spec: RecordSpec, case_id: str) -> dict[str, Any]:
    """One case as plain data for `engine.grid.CaseFacts`. Never raises: the unreadable is empty."""
    ctx = load_case(spec, case_id).context
    with ctx.disk.part("\0view"):
        text = _try(lambda: inputs.shown_inputs(ctx), "")
        annotations = _try(lambda: inputs.annotations_part(ctx).shared(), None)
        cost = _try(lambda: metrics.metrics(ctx).get("cost_usd"), None)
    known = isinstance(cost, (int, float)) and not isinstance(cost, bool)
    return {
        "inputs": text[:LONGEST],
        # What YAML knows and JSON does not (sets, bytes) is as good as its text here.
        "annotations": json.loads(json.dumps(to_json(annotations)[0], default=str)) or None,
        "cost": cost if known else None,
    }


def _try(make: Callable[[], T], default: T) -> T:
    try:
        return make()
    except PartUnreadable:
        return default
