"""Money and tokens in words. What agents and what judges cost are two numbers, never one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.content import Content

from eval_tui.engine.grid import Costs, Paid
from eval_tui.engine.money import Estimate
from eval_tui.results.words import usd
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.words import plural

CENT = 0.00005
"""US dollars below which a saving is not worth saying."""


def cost_line(costs: Costs, glyphs: Glyphs, room: int) -> Content:
    """What the run on screen has cost, in at most `room` cells; empty when nothing is known."""
    if costs.agent is None and costs.judges is None and not costs.unpriced:
        return Content("")
    told = [f"agent {usd(costs.agent)}"]
    if costs.judges is not None or costs.unpriced:
        more = "over " if costs.unpriced and costs.judges is not None else ""
        told.append(f"judges {more}{usd(costs.judges)}")
    words = f" {glyphs.dot} ".join(told)
    saving = f", the prompt cache saved {usd(costs.saved)}" if costs.saved >= CENT else ""
    shown = next((text for text in (words + saving, words) if len(text) + 1 <= room), "")
    return Content.styled(f"{shown} ", "$skip") if shown else Content("")


def cell_costs(agent: float | None, paid: Paid | None, glyphs: Glyphs) -> str:
    """What the agent cost on this case, and this judge on it; empty when neither is known."""
    told = [f"agent {usd(agent)}"] if agent is not None else []
    if paid is not None:
        told.append(f"judge {usd(paid.cost)}")
    return f" {glyphs.dot} ".join(told)


def agent_cost(metrics: Mapping[str, object]) -> float | None:
    """What the agent cost on a case, in US dollars, as its metrics have it."""
    cost = metrics.get("cost_usd")
    return float(cost) if isinstance(cost, int | float) else None


def paid_fields(paid: Paid) -> Iterator[tuple[str, str]]:
    """What a score took, as labels and values. The model's name is raw."""
    yield "model", paid.model
    yield "calls", f"{paid.calls:,}"
    if paid.input_tokens:
        cached = f" ({paid.cached_tokens:,} from the prompt cache)" if paid.cached_tokens else ""
        yield "tokens", f"{paid.input_tokens:,} in{cached}, {paid.output_tokens:,} out"
    yield "cost", usd(paid.cost)
    if paid.saved is not None:
        lost = paid.saved < 0
        yield ("the prompt cache cost" if lost else "the prompt cache saved"), usd(abs(paid.saved))


def takes(estimate: Estimate) -> str:
    """What calls are expected to take: `3 model calls, about 6,900 tokens in and 1,500 out, $0.04`."""
    sent, said = estimate.input_tokens, estimate.output_tokens
    told = [plural(estimate.calls, "model call")]
    if sent:
        told.append(f"about {sent:,} tokens in and {said:,} out")
    if estimate.cost is None:
        told.append("at a price that is not known")
    else:
        # What an agent takes is not estimated: without tokens it is what its limits allow.
        told.append(usd(estimate.cost) if sent else f"at most {usd(estimate.cost)}")
    return ", ".join(told)
