"""The runs of the eval on screen, newest first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual.content import Content

from eval_tui.engine.grid import RunInfo
from eval_tui.results.words import usd
from eval_tui.tui.opening import open_run
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, fit, one_line, widest
from eval_tui.tui.words import plural, seconds

NAME_MOST: Final = 40
"""Cells that a name takes at most."""


class RunsScreen(ListScreen):
    """Choose a run."""

    HEADLINE: ClassVar[str] = "Runs"
    NOTHING: ClassVar[str] = (
        "No runs yet. Let the agent run on the dataset: each run shows up here by itself."
    )

    def entries(self) -> Sequence[Entry]:
        current = self.driver.status.run_id
        runs = self.driver.runs()
        width = widest((run.id for run in runs), NAME_MOST)
        return [
            Entry(
                run.id,
                _shown(run, run.id == current, width),
                run.path,
                str(Path(run.path) / "run_result.json"),
            )
            for run in runs
        ]

    def initial(self) -> str:
        return self.driver.status.run_id

    def open_entry(self, entry: Entry) -> None:
        self.dismiss()
        open_run(self, self.driver, entry.key)


def _shown(run: RunInfo, current: bool, width: int) -> Content:
    facts = [
        time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started)),
        plural(run.cases, "case"),
    ]
    if run.duration_s is not None:
        facts.append(seconds(run.duration_s))
    facts.append(f"cost {usd(run.cost_usd)}")
    if run.model:
        facts.append(one_line(run.model))
    if run.newest:
        facts.append("newest")
    return Content.assemble(
        Content.styled("* " if current else "  ", "bold $primary"),
        content(fit(one_line(run.id), width), "bold" if current else ""),
        "  ",
        content("  ".join(facts), "$skip"),
    )
