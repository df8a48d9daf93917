"""Writing the run's `summary.yaml` from the app, without a key press waiting for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from typing import Final

from textual.message_pump import MessagePump

from eval_tui.engine.summary import SUMMARY
from eval_tui.engine.threads import in_thread
from eval_tui.results.summary_file import (
    CannotWrite,
    Entries,
    Scoring,
    all_entries,
    comparison,
    read_existing,
    write_summary,
)
from eval_tui.results.words import count
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say

SLICE: Final = 20
"""Cases that are put together in one piece."""


async def write_run_summary(node: MessagePump, driver: Driver) -> None:
    """Write what is shown of the run in view, and say where."""
    run, folder, grid, config = driver.status.run_id, driver.run_dir, driver.grid, driver.config
    if not folder or config is None:
        say(node, "There is no run whose scores could be written.")
        return
    cells: dict[str, Entries] = {}
    every = all_entries(grid, driver.full_score, config.root)
    for number, (case, entries) in enumerate(every, 1):
        cells[case] = entries
        if number % SLICE == 0:
            await asyncio.sleep(0)
    if driver.run_dir != folder:  # another run came into view meanwhile
        say(node, "Nothing was written: another run has come into view.")
        return
    compared = comparison(grid, driver.full_score, run, driver.baseline_id)
    scoring = Scoring(run, grid.columns, cells, compared)
    path = os.path.join(folder, SUMMARY)
    name = os.path.relpath(path, config.root)
    try:
        if not await _may_replace(node, driver, path, name, scoring):
            return
        await driver.write_own(path, lambda: write_summary(folder, scoring))
    except CannotWrite as error:
        say(node, f"Nothing was written: {error}", "error")
        return
    say(node, f"Wrote {name}: {_told(cells.values())}.")


async def _may_replace(
    node: MessagePump, driver: Driver, path: str, name: str, scoring: Scoring
) -> bool:
    """Ask before values are written over that somebody else has recorded. Raises CannotWrite."""
    if driver.as_written(path):
        return True
    document = await in_thread(lambda: read_existing(path))
    if not document:
        return True
    from eval_tui.results.summary_change import summary_change
    from eval_tui.tui.screens.confirm import ConfirmScreen

    told = f"{name} is there, and not as eval-tui left it. Write the scores into it?"
    question = f"{told}\n\n{summary_change(document, scoring).words}"
    return await app_of(node).push_screen_wait(ConfirmScreen(question))


def _told(rows: Iterable[Entries]) -> str:
    """E.g. `30 cells, 3 of them not up to date`."""
    entries = [entry for row in rows for entry in row.values()]
    open_ones = sum("waiting" in entry or "stale" in entry for entry in entries)
    told = f"{open_ones:,} of them not judged or out of date" if open_ones else ""
    return ", ".join(filter(None, [count(len(entries), "cell"), told]))
