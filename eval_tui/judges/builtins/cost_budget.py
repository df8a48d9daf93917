"""`cost_budget`: the case cost no more than its limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eval_tui.judges.base import NotMeasured, Runner
from eval_tui.judges.builtins.arguments import number
from eval_tui.scores import Reason


def make(arguments: Mapping[str, Any]) -> Runner:
    """Argument: `max_cost_usd` (1.0). A case without a cost of its own is not measured (D19)."""
    limit = number(arguments, "max_cost_usd", 1.0)

    def judge(record: dict[str, Any]) -> object:
        cost = record["cost_usd"]
        if cost is None:
            raise NotMeasured(Reason.MISSING_EVIDENCE, "the run recorded no cost for this case")
        if isinstance(cost, bool) or not isinstance(cost, (int, float)):
            detail = f"the recorded cost {cost!r} is no number"
            raise NotMeasured(Reason.MISSING_EVIDENCE, detail)
        within = "is within" if cost <= limit else "is over"
        return cost <= limit, f"${cost:.4g} {within} the budget of ${limit:.4g}"

    return judge
