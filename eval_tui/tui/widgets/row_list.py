"""A list of rows with a cursor, drawn line by line: its cost does not depend on its length."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from eval_tui.tui.abstract import Abstract
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.text import cut, one_line
from eval_tui.tui.widgets.reading import ELSEWHERE, ReadingView

GUTTER: Final = 2
"""Cells at the left for the cursor's mark, which is seen without colour too."""


class RowList(ReadingView, metaclass=Abstract):
    """Rows with a cursor. Subclasses give the number of rows and the segments of each."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_row", "Open", show=False),
    ]

    @dataclass
    class Highlighted(Message):
        """The cursor came to another row."""

        view: RowList
        row: int

        @property
        def control(self) -> RowList:
            return self.view

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, RowList.Highlighted) and message.view is self.view

    @dataclass
    class Opened(Message):
        """Enter was pressed, or a row was clicked twice."""

        view: RowList
        row: int

        @property
        def control(self) -> RowList:
            return self.view

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.cursor = 0
        """The row under the cursor."""
        self._empty = ""

    @property
    @abstractmethod
    def row_count(self) -> int:
        """Rows there are."""

    @abstractmethod
    def row_segments(self, row: int) -> list[Segment]:
        """What a row shows, right of the gutter."""

    def say_empty(self, words: str) -> None:
        """What is shown while there are no rows."""
        self._empty = words
        self.refresh()

    @property
    def row_width(self) -> int:
        """Cells that a row may take."""
        return max(self.scrollable_content_region.width - GUTTER, 1)

    def rows_changed(self) -> None:
        """To be called when there are other rows than before."""
        self.cursor = max(min(self.cursor, self.row_count - 1), 0)
        self.virtual_size = Size(self.row_width + GUTTER, self.row_count)
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        self.rows_changed()
        self.show_cursor()

    def move_to(self, row: int) -> None:
        """Put the cursor on a row, and the row into view."""
        row = max(min(row, self.row_count - 1), 0)
        if row != self.cursor:
            self.refresh_lines(self.cursor)
            self.cursor = row
            self.refresh_lines(row)
            self.post_message(self.Highlighted(self, row))
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll as little as it takes to have the cursor in view."""
        top = self.scroll_offset.y
        if self.cursor < top:
            self.go_to_row(self.cursor)
        elif self.cursor >= top + self.page:
            self.go_to_row(self.cursor - self.page + 1)

    def action_move(self, rows: int) -> None:
        self.move_to(self.cursor + rows)

    def action_jump_start(self) -> None:
        self.move_to(0)

    def action_jump_end(self) -> None:
        self.move_to(self.row_count - 1)

    def action_open_row(self) -> None:
        """Open what is under the cursor."""
        if self.row_count:
            self.post_message(self.Opened(self, self.cursor))

    def on_click(self, event: Click) -> None:
        row = self.scroll_offset.y + event.get_content_offset_capture(self).y
        if row < self.row_count:
            self.move_to(row)
            if event.chain == 2:
                self.action_open_row()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        first = selection.start.y if selection.start else 0
        last = selection.end.y if selection.end else self.row_count - 1
        chosen: list[str] = []
        for row in range(max(first, 0), min(last, self.row_count - 1) + 1):
            if (span := selection.get_span(row)) is not None:
                text = "".join(segment.text for segment in self.row_segments(row))
                chosen.append(text[span[0] : None if span[1] == -1 else span[1]].rstrip())
        return "\n".join(chosen), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        base = self.rich_style
        if row >= self.row_count:
            words = cut(one_line(self._empty), self.row_width) if row == y == 0 else ""
            text = Segment(" " * GUTTER + words, base + self.style_of("dim"))
            return Strip([text]).crop_extend(0, self.size.width, base)
        at_cursor = row == self.cursor
        segments = self.row_segments(row)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(row)) is not None:
            segments = self._selected(segments, span)
        content = Strip(segments).apply_offsets(0, row)
        mark = Segment((self.glyphs.row if at_cursor else " ").ljust(GUTTER), base)
        strip = Strip([mark, *content]).crop_extend(0, self.size.width, base)
        return strip.apply_style(self.style_of("cursor")) if at_cursor else strip

    def _selected(self, segments: list[Segment], span: tuple[int, int]) -> list[Segment]:
        style = self.screen.get_component_rich_style("screen--selection")
        end = ELSEWHERE if span[1] == -1 else span[1]
        marked: list[Segment] = []
        at = 0
        for text, base, _ in segments:
            a, b = (min(max(edge - at, 0), len(text)) for edge in (span[0], end))
            marked.append(Segment(text[:a], base))
            marked.append(Segment(text[a:b], base + style if base else style))
            marked.append(Segment(text[b:], base))
            at += len(text)
        return [segment for segment in marked if segment.text]
