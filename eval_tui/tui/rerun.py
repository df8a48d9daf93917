"""Rerunning cells: what costs money is asked about first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.message_pump import MessagePump

from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import Estimate
from eval_tui.tui import words
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of


def rerun(
    node: MessagePump,
    driver: Driver,
    cells: Sequence[CellKey],
    told: Callable[[int], None],
    force: bool = False,
) -> None:
    """Rerun cells, after a question when models would be called; `told` gets the number queued."""
    estimate = driver.estimate(cells, force)
    if not estimate.calls:
        told(driver.rerun(cells, force) if cells else 0)
        return
    from eval_tui.tui.screens.confirm import ConfirmScreen

    def answered(yes: bool | None) -> None:
        if yes:
            told(driver.rerun(cells, force))

    app_of(node).push_screen(ConfirmScreen(question(len(cells), estimate)), answered)


def question(cells: int, estimate: Estimate) -> str:
    """What is asked before money is spent."""
    calls = words.plural(estimate.calls, "model call")
    if estimate.cost is not None:
        price = f"about ${estimate.cost:.2f}" if estimate.cost >= 0.005 else "less than a cent"
    else:
        price = "at a price that is not known"
    return f"Rerun {words.plural(cells, 'cell')}? That takes {calls}, {price}."
