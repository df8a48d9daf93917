"""Rerunning cells: what costs money is asked about first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.message_pump import MessagePump

from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import Estimate
from eval_tui.tui import words
from eval_tui.tui.costs import takes
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
    return f"Rerun {words.plural(cells, 'cell')}?\nThat takes {takes(estimate)}."
