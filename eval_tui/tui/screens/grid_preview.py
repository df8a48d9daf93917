"""The pane beside the grid: what is said of the cell under the cursor, once the cursor rests."""

from __future__ import annotations

from typing import Final

from textual import on
from textual.content import Content
from textual.timer import Timer

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CellKey, Detail, Row
from eval_tui.tui import cell_words
from eval_tui.tui.face import Driver
from eval_tui.tui.host import book_of, say
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.screens.grid_finding import GridFinding
from eval_tui.tui.widgets.grid import CaseGrid
from eval_tui.tui.widgets.preview import Preview

REST_SECONDS: Final = 0.08
"""The preview follows when the cursor has rested this long."""


class GridPreview(GridFinding):
    """A grid with a preview; the screen that lays both out builds on this."""

    def __init__(self, driver: Driver, glyphs: Glyphs) -> None:
        super().__init__(driver)
        self.glyphs = glyphs
        self.spoken = False
        """The preview is in whole sentences."""
        self._rest: Timer | None = None
        self._previewed: tuple[CellKey | None, str] = None, ""

    @property
    def resting(self) -> bool:
        """Whether the preview follows the cursor already."""
        return self._rest is None

    @on(CaseGrid.CellHighlighted)
    def _follow(self) -> None:
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST_SECONDS, self._preview)

    def action_spoken(self) -> None:
        self.spoken = not self.spoken
        self._preview()
        say(self, "The preview is in whole sentences." if self.spoken else "The preview has marks.")

    def _preview(self) -> None:
        self._rest = None
        key, part = self.cases.cursor, self.cases.part
        judge, row = self.judge_of(key), self._row(key)
        detail = self.driver.detail(*key) if key and judge and row else None
        text = self._previewed_text(detail, judge, row, part)
        self.query_one("#preview", Preview).show(text, (key, part) == self._previewed)
        self._previewed = key, part

    def _previewed_text(
        self, detail: Detail | None, judge: Judge | None, row: Row | None, part: str
    ) -> Content:
        book = book_of(self)
        if self.spoken:
            from eval_tui.tui.spoken import spoken

            return spoken(detail, judge, row, part, book)
        text = cell_words.preview(detail, judge, row, self.glyphs, part)
        if row is not None:
            for column in reversed(self.cases.of_cases):
                text = column.beside(self.grid, row.case, text)
        if detail is not None:
            text = self.since(detail.key, text)
        if detail is not None and book is not None:
            from eval_tui.tui.opinion_words import opinion_line, with_opinion

            line = opinion_line(book.of(detail.key.case), detail.score, self.glyphs)
            text = with_opinion(text, line)
        return text

    def judge_of(self, key: CellKey | None) -> Judge | None:
        """The judge of a cell; None where it has left the grid."""
        name = key.judge if key else None
        return next((judge for judge in self.grid.columns if judge.name == name), None)

    def _row(self, key: CellKey | None) -> Row | None:
        case = key.case if key else None
        return next((row for row in self.grid.rows if row.case == case), None)
