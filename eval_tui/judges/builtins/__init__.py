"""The built-in judges that run as Python, by name: each module has `make`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeUnusable, Runner
from eval_tui.judges.builtins import consulted_docs, cost_budget, tool_call_validation

_Load = Callable[[Mapping[str, Any]], Runner]

_LOADERS: dict[str, _Load] = {
    "cost_budget": cost_budget.make,
    "consulted_docs": consulted_docs.make,
    "tool_call_validation": tool_call_validation.make,
}


def load_builtin(judge: Judge) -> Runner:
    """The built-in of a judge with its arguments. Raises JudgeUnusable for impossible ones.

    Arguments that a built-in does not know are ignored, as the harness does.
    """
    name = judge.builtin.rpartition("/")[2]
    make = _LOADERS.get(name)
    if make is None:
        known = ", ".join(sorted(_LOADERS))
        raise JudgeUnusable(
            f"there is no built-in `{judge.builtin}`", f"known: {known}", judge.line
        )
    try:
        return make(judge.arguments)
    except ValueError as exc:
        raise JudgeUnusable(f"`{name}`: {exc}", "", judge.line) from exc
