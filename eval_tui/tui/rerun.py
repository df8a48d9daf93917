"""Rerunning cells: what costs money is asked about first."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message_pump import MessagePump

from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import Estimate
from eval_tui.tui import words
from eval_tui.tui.costs import takes
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say


def rerun(
    node: MessagePump,
    driver: Driver,
    cells: Sequence[CellKey],
    force: bool = False,
    name: str = "",
) -> None:
    """Rerun cells, after a question when models would be called, and say what becomes of them.

    `name`: that of the only cell, where that is clear.
    """
    estimate = driver.estimate(cells, force)

    def go() -> None:
        queued = driver.rerun(cells, force) if cells else 0
        say(node, queued_words(queued, estimate.keyless, name))

    if not estimate.calls:
        go()
        return
    from eval_tui.tui.screens.confirm import ConfirmScreen

    def answered(yes: bool | None) -> None:
        if yes:
            go()

    app_of(node).push_screen(ConfirmScreen(question(len(cells), estimate)), answered)


def queued_words(queued: int, keyless: int, name: str = "") -> str:
    """What is said when cells were queued, so many of them in vain as long as there is no key. Raw."""
    if not queued:
        return "Nothing to run there."
    keyless = min(keyless, queued)
    able = queued - keyless
    told = [f"{name} is queued." if name else f"{words.plural(able, 'cell')} queued."] * bool(able)
    if keyless:
        wait = f"{name or '1 cell'} waits" if keyless == 1 else f"{keyless:,} cells wait"
        told.append(
            f"{wait} for an API key: put ANTHROPIC_API_KEY into the project's .env, or start"
            " eval-tui with it, and the model is asked."
        )
    return " ".join(told)


def question(cells: int, estimate: Estimate) -> str:
    """What is asked before money is spent."""
    return f"Rerun {words.plural(cells, 'cell')}?\nThat takes {takes(estimate)}."
