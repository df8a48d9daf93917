"""The runs of the eval on screen, newest first: to open one, or to see several as trials."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.content import Content

from eval_tui.engine.grid import RunInfo
from eval_tui.results.words import usd
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.face import Driver
from eval_tui.tui.host import TrialsMarked, app_of, say, trials_of
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.opening import open_run
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, fit, one_line, widest
from eval_tui.tui.words import plural, seconds

NAME_MOST: Final = 40
"""Cells that a name takes at most."""

LEAST_TRIALS: Final = 2
"""One run repeats nothing."""


class RunsScreen(ListScreen):
    """Choose a run, or mark those that repeat one configuration."""

    CONTEXT: ClassVar[Context] = "runs"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("runs")]

    HEADLINE: ClassVar[str] = "Runs"
    NOTHING: ClassVar[str] = (
        "No runs yet. Let the agent run on the dataset: each run shows up here by itself."
    )

    def __init__(self, driver: Driver, glyphs: Glyphs) -> None:
        super().__init__(driver)
        self._glyphs = glyphs
        self._marked: frozenset[str] = frozenset()

    def entries(self) -> Sequence[Entry]:
        current = self.driver.status.run_id
        runs = self.driver.runs()
        width = widest((run.id for run in runs), NAME_MOST)
        return [
            Entry(
                run.id,
                _shown(
                    run, self._signs(run.id, current), run.id == current, self._role(run), width
                ),
                run.path,
                str(Path(run.path) / "run_result.json"),
            )
            for run in runs
        ]

    def _signs(self, run: str, current: str) -> str:
        marked = self._glyphs.marked if run in self._marked else " "
        return f"{marked}{'*' if run == current else ' '} "

    def _role(self, run: RunInfo) -> str:
        trials = trials_of(self)
        return "shown as a trial" if trials is not None and run.id in trials.marked else ""

    def counted(self, entries: int) -> str:
        marked = f", {len(self._chosen()):,} marked" if self._marked else ""
        return super().counted(entries) + marked

    @property
    def idle(self) -> frozenset[str]:
        found = set(super().idle)
        if self._highlighted() is None:
            found.add("run-mark")
        if len(self._chosen()) < LEAST_TRIALS and not self._folded:
            found.add("run-trials")
        return frozenset(found)

    def initial(self) -> str:
        return self.driver.status.run_id

    def open_entry(self, entry: Entry) -> None:
        self.dismiss()
        open_run(self, self.driver, entry.key)

    # Runs that repeat one configuration

    @property
    def _folded(self) -> bool:
        """Whether runs are shown as trials because they were marked."""
        trials = trials_of(self)
        return trials is not None and bool(trials.marked)

    def _chosen(self) -> tuple[str, ...]:
        """The marked runs that are there, the oldest first."""
        return tuple(run.id for run in reversed(self.driver.runs()) if run.id in self._marked)

    def action_mark(self) -> None:
        entry = self._highlighted()
        if entry is not None:
            self._marked ^= {entry.key}
            self._fill("")

    def action_trials(self) -> None:
        app, chosen = app_of(self), self._chosen()
        if len(chosen) < LEAST_TRIALS and (chosen or not self._folded):
            say(app, "Mark the runs that repeat one configuration with space, at least two.")
            return
        app.post_message(TrialsMarked(chosen))
        self.dismiss()
        if not chosen:
            say(app, "The marked runs are no longer shown as trials.")
            return
        if self.driver.status.run_id not in chosen:
            open_run(app, self.driver, chosen[-1])
        say(app, f"As trials of one configuration: {', '.join(chosen)}. In the runs, t ends it.")


def _shown(run: RunInfo, signs: str, current: bool, role: str, width: int) -> Content:
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
    if role:
        facts.append(role)
    return Content.assemble(
        Content.styled(signs, "bold $primary"),
        content(fit(one_line(run.id), width), "bold" if current else ""),
        "  ",
        content("  ".join(facts), "$skip"),
    )
