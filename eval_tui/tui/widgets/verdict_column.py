"""The column of verdicts: it stands with the cases' names and stays in view beside them."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from textual.content import Content

from eval_tui.engine.grid import Grid, Row
from eval_tui.results.critical import CriticalGate, critical_words
from eval_tui.results.verdicts import make_verdicts
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.text import one_line
from eval_tui.tui.verdict_words import (
    Court,
    case_line,
    counts_line,
    court_for,
    critical_line,
    verdict_mark,
)
from eval_tui.tui.widgets.palette import Ground, Palette
from eval_tui.verdicts.counts import VerdictCounts


class VerdictColumn:
    """Verdicts under one rulebook, as the grid draws them."""

    width: Final = 3
    """Cells: the mark, that of old values, and a gap."""

    def __init__(self, court: Court, glyphs: Glyphs) -> None:
        self.court = court
        self._glyphs = glyphs
        self._counts: VerdictCounts | None = None
        self._stale = 0
        self._critical: CriticalGate | None = None

    def count(self, grid: Grid) -> None:
        """Count the verdicts of all cases: as much work as a few columns' aggregates."""
        board = make_verdicts(grid, self.court.rulebook)
        self._counts, self._stale, self._critical = board.counts, board.stale, board.critical

    def counted(self, short: bool) -> str:
        """How many cases have which verdict, and whether critical ones pass, when counted last."""
        counts, critical = self._told(short), self._critical
        if critical is None or (short and critical.state == "pass"):
            return counts
        told = critical_line(critical, self._glyphs) if short else critical_words(critical)
        return f"{counts} {self._glyphs.dot} {one_line(told)}"

    def _told(self, short: bool) -> str:
        counts = self._counts
        return counts_line(counts, self._stale, self._glyphs, short) if counts is not None else ""

    def label(self, line: int) -> str:
        """What stands above the verdicts, in the lines of the header that are free for it."""
        critical = self._critical
        labels = ["verdict", self._told(short=True)]
        labels += [critical_line(critical, self._glyphs)] if critical is not None else []
        return labels[line] if 0 <= line < len(labels) else ""

    def segments(self, grid: Grid, row: Row, ground: Ground, palette: Palette) -> list[Segment]:
        """The verdict of one row; blank for a case that did not run."""
        rest = palette.plain("stale", ground)
        if row.status == "not_run":
            return [Segment(" " * self.width, rest)]
        shown = verdict_mark(self.court.verdict(grid, row.case), self._glyphs)
        return [
            Segment(shown.field, palette.mark(shown, ground)),
            Segment(shown.suffix.ljust(self.width - len(shown.field)), rest),
        ]

    def beside(self, grid: Grid, case: str, text: Content) -> Content:
        """A text about a cell, below what is said about its case's verdict."""
        line = case_line(self.court, grid, case, self._glyphs)
        return text if line is None else Content("\n").join([line, text])


def column_for(
    driver: Driver, before: VerdictColumn | None, glyphs: Glyphs
) -> VerdictColumn | None:
    """The column under the rules in force: the one before, as long as they are the same."""
    court = court_for(driver, before.court if before else None)
    if court is None:
        return None
    return before if before is not None and before.court is court else VerdictColumn(court, glyphs)
