"""The column of trials: how many of the runs that repeat one configuration each case passes in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from textual.content import Content

from eval_tui.engine.grid import Grid, Row
from eval_tui.results.repeats import Repeats, all_trials, since_baseline, trials_of
from eval_tui.results.verdicts import Court
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.trials import Trials, noise_line, summary_words, tally_mark, trials_line
from eval_tui.tui.widgets.palette import Ground, Palette
from eval_tui.verdicts.trials import CaseTrials, TrialSummary, summarise

if TYPE_CHECKING:
    from eval_tui.engine.baseline import Baseline

FIELD: Final = 5
"""Cells of a tally at least: it stands below the word `trials`."""


class TrialColumn:
    """The trials of the cases under one rulebook, as the grid draws them."""

    def __init__(self, court: Court, trials: Trials, glyphs: Glyphs) -> None:
        self.court = court
        self._trials = trials
        self._glyphs = glyphs
        self._summary: TrialSummary | None = None
        self.baseline: Baseline | None = None
        """What verdicts are compared with."""

    @property
    def width(self) -> int:
        """Cells: the tally, the mark of flaky cases, and a gap."""
        return max(FIELD, 2 * len(str(len(self._trials.listed))) + 1) + 2

    def count(self, grid: Grid) -> None:
        """Add up the trials of all cases: as much work as their verdicts."""
        repeats = self._trials.repeats
        self._summary = None
        if repeats is not None:
            self._summary = summarise(all_trials(repeats, self.court.rulebook, grid))

    def counted(self, short: bool) -> str:
        """What the trials add up to, when they were counted last."""
        return summary_words(self._summary, self._glyphs, short, len(self._trials.marked))

    def label(self, line: int) -> str:
        """What stands above the trials, in the lines of the header that are free for it."""
        return {0: "trials", 1: self.counted(short=True)}.get(line, "")

    def segments(self, grid: Grid, row: Row, ground: Ground, palette: Palette) -> list[Segment]:
        """The tally of one row; blank for a case that did not run, and until all runs are read."""
        rest, repeats = palette.plain("stale", ground), self._trials.repeats
        if row.status == "not_run" or repeats is None:
            return [Segment(" " * self.width, rest)]
        shown = tally_mark(self._of(repeats, grid, row.case), self._glyphs)
        return [
            Segment(" " * (self.width - 2 - len(shown.field)), rest),
            Segment(shown.field, palette.mark(shown, ground)),
            Segment(shown.suffix.ljust(2), rest),
        ]

    def beside(self, grid: Grid, case: str, text: Content) -> Content:
        """A text about a cell, below what is said about its case's trials."""
        repeats = self._trials.repeats
        if repeats is None or any(
            row.case == case and row.status == "not_run" for row in grid.rows
        ):
            return text
        found, glyphs = trials_of(repeats, self.court, grid, case), self._glyphs
        lines = [trials_line(found, repeats, glyphs)]
        if self.baseline is not None:
            trials, run = CaseTrials(case, tuple(found.values())), self.baseline.run
            change = since_baseline(repeats, self.court, self.baseline, run, trials)
            lines += [noise_line(change, run, glyphs)] if change is not None else []
        return Content("\n").join([*lines, text])

    def _of(self, repeats: Repeats, grid: Grid, case: str) -> CaseTrials:
        return CaseTrials(case, tuple(trials_of(repeats, self.court, grid, case).values()))


def trial_column(
    court: Court,
    trials: Trials,
    before: TrialColumn | None,
    baseline: Baseline | None,
    glyphs: Glyphs,
) -> TrialColumn | None:
    """The column under the rules in force; None where the run in view repeats none.

    The one before, as long as the rules are the same.
    """
    if not trials.listed:
        return None
    column = before
    if column is None or column.court is not court:
        column = TrialColumn(court, trials, glyphs)
    column.baseline = baseline
    return column
