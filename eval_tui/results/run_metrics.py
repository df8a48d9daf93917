"""What a run took for what it did: `run_metrics` of `summary.yaml` (harness.md 14)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from eval_tui.config.plain import as_number

_TOKENS = ("input", "output", "cache_read", "cache_create")


def run_metrics(result: Mapping[str, object]) -> dict[str, float]:
    """The figures that a `run_result.json` allows to be computed; those it does not are absent."""
    usage = result.get("token_usage")
    told = cast("dict[str, object]", usage) if isinstance(usage, dict) else dict[str, object]()
    tokens = {kind: _amount(told.get(kind)) for kind in _TOKENS}
    cost, turns = _amount(result.get("cost_usd")), _amount(result.get("num_turns"))
    counted = [number for number in tokens.values() if number is not None]
    sent = [tokens[kind] or 0 for kind in ("input", "cache_read", "cache_create")]
    return {
        name: round(part / whole, digits)
        for name, part, whole, digits in (
            ("cost_per_turn_usd", cost, turns, 6),
            ("output_tokens_per_turn", tokens["output"], turns, 2),
            ("cache_hit_rate", tokens["cache_read"], sum(sent), 6),
            ("cost_per_mtok_usd", cost, sum(counted) / 1_000_000, 4),
        )
        if part is not None and whole and math.isfinite(part / whole)
    }


def _amount(value: object) -> float | None:
    """A number from 0 on; anything else is as if not told."""
    number = as_number(value)
    return float(number) if number is not None and number >= 0 else None
