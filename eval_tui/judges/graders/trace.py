"""Graders of what the run recorded: `cost`, `steps`, `latency`. Without a record there is no figure,
never a 0 (D40)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from eval_tui.config.plain import as_number
from eval_tui.judges.graders.bench import Bench, Row, lacking
from eval_tui.record.derive import calls
from eval_tui.record.exchange import moment
from eval_tui.scores import Measured

Event = Mapping[str, object]


def cost(bench: Bench) -> Sequence[Row]:
    """Emits `usd`: what the run recorded as the case's cost."""
    usd = as_number(bench.record.get("cost_usd"))
    if usd is None:
        raise lacking("the run recorded no cost for this case")
    return [("usd", Measured(usd, None, f"${usd:.4g}"))]


def steps(bench: Bench) -> Sequence[Row]:
    """Emits `tool_calls`: how many tools the agent and its helpers called."""
    count = sum(1 for _ in calls(_trace(bench)))
    return [("tool_calls", Measured(count, None, f"{count} tool calls"))]


def latency(bench: Bench) -> Sequence[Row]:
    """Emits `span`: seconds that the case took, as recorded, else between its first and its last
    event."""
    seconds = as_number(bench.record.get("duration_s"))
    if seconds is not None:
        return [("span", Measured(seconds, None, f"{seconds:.4g} s, as the run recorded"))]
    moments = [at for event in _trace(bench) if (at := moment(event)) is not None]
    if len(moments) < 2:
        raise lacking("the run recorded no duration for this case, and its events have no times")
    span = round(max(moments) - min(moments), 3)
    return [("span", Measured(span, None, f"{span:.4g} s between the first and the last event"))]


def _trace(bench: Bench) -> list[Event]:
    events = cast("list[Event]", bench.record["events"])
    if not events:
        raise lacking("the case has no trace (no events)")
    return events
