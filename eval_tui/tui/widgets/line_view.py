"""A long text to read: wrapped or not, searched, selected and copied, of any size."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from textual.events import Resize
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip

from eval_tui.tui.document import Document, Match, plain
from eval_tui.tui.widgets.reading import ELSEWHERE, Marked, ReadingView, pieces
from eval_tui.tui.wrap import Layout

SLICE: Final = 200_000
"""Characters laid out between two looks at the keyboard."""

LIVE_SEARCH: Final = 2_000_000
"""Characters up to which a text is searched with every key typed, not only on Enter."""


class LineView(ReadingView):
    """Draws only the rows in view, and lays a text out in slices, so that any size opens at once."""

    def __init__(
        self, text: str | Document = "", *, id: str | None = None, wrap: bool = True
    ) -> None:
        super().__init__(id=id)
        self._document = plain(text) if isinstance(text, str) else text
        self._wrap = wrap
        self._layout = Layout((), 1)
        self._width = 0
        self._needle = ""
        self._matches: list[Match] = []
        self._match = -1

    @property
    def document(self) -> Document:
        return self._document

    @property
    def layout_rows(self) -> Layout:
        """The rows as far as they are laid out."""
        return self._layout

    def show(self, text: str | Document, keep_place: bool = False) -> None:
        """Show a text (raw) or a document, from its start or at the line where the reader was."""
        document = plain(text) if isinstance(text, str) else text
        if keep_place and document == self._document:
            return
        place = self._place() if keep_place else (0, 0)
        self._document = document
        self._lay_out(place)
        if self._needle:
            self._matches = document.find(self._needle)
            self._match = min(self._match, len(self._matches) - 1)

    @property
    def copy_text(self) -> str:
        """What copying the whole view gives: the raw text."""
        return self._document.raw

    # Laying out ------------------------------------------------------------------------------

    def _place(self) -> tuple[int, int]:
        """Line and offset of the top row."""
        row = self.scroll_offset.y
        return self._layout.place(row) if 0 < row < len(self._layout) else (0, 0)

    def _lay_out(self, place: tuple[int, int]) -> None:
        """Make the rows anew, as far as one screen below `place`, and go there."""
        if not self._width:
            return
        layout = self._layout = Layout(self._document.lines, self._width, self._wrap)
        row = layout.row_of(*place) if place != (0, 0) else 0
        layout.extend_rows(row + self.page + 1)
        self._grown()
        self.go_to_row(row)
        self.refresh()
        self._go_on(layout)

    def _go_on(self, layout: Layout) -> None:
        if layout is self._layout and not layout.done:
            self.call_later(self._slice, layout)

    def _slice(self, layout: Layout) -> None:
        if layout is self._layout and not layout.done:
            layout.extend(SLICE)
            self._grown()
            self._go_on(layout)

    def _grown(self) -> None:
        layout = self._layout
        self.virtual_size = Size(self._width if self._wrap else layout.widest, len(layout))

    def on_resize(self, event: Resize) -> None:
        width = self.scrollable_content_region.width
        if width != self._width:
            place = self._place()
            self._width = width
            self._lay_out(place)

    def go_to_line(self, line: int) -> None:
        """Put a line (from 0) near the top of the view, laying out as far as that."""
        if self._width:
            self.go_to_row(max(self._row_of(line, 0) - 2, 0))

    def _row_of(self, line: int, offset: int) -> int:
        row = self._layout.row_of(line, offset)
        self._layout.extend_rows(row + self.page + 1)
        self._grown()
        return row

    # Keys ------------------------------------------------------------------------------------

    def action_jump_end(self) -> None:
        self._layout.finish()
        self._grown()
        super().action_jump_end()

    def toggle_wrap(self) -> bool:
        """Wrap long lines or not; the top line stays. Whether they wrap now."""
        place = self._place()
        self._wrap = not self._wrap
        self._lay_out(place)
        self.scroll_to(x=0, animate=False, immediate=True)
        return self._wrap

    # Searching -------------------------------------------------------------------------------

    @property
    def live_search(self) -> bool:
        return len(self._document.raw) < LIVE_SEARCH

    def search(self, needle: str) -> int:
        self._needle = needle
        self._matches = self._document.find(needle)
        self._match = -1
        if self._matches:
            top = Match(*self._place(), 0)
            self._go_to_match(bisect_left(self._matches, top) % len(self._matches))
        self.refresh()
        return len(self._matches)

    def step_match(self, by: int) -> None:
        if self._matches:
            self._go_to_match((self._match + by) % len(self._matches))

    @property
    def match_place(self) -> tuple[int, int]:
        return self._match + 1, len(self._matches)

    def _go_to_match(self, index: int) -> None:
        self._match = index
        match = self._matches[index]
        if self._width:
            row = self._row_of(match.line, match.start)
            top = self.scroll_offset.y
            if not top <= row < top + self.page:
                self.go_to_row(max(row - self.page // 3, 0))
            if not self._wrap:
                self._show_column(match)
        self.refresh()

    def _show_column(self, match: Match) -> None:
        left = self.scroll_offset.x
        if not (left <= match.start and match.end <= left + self._width):
            self.scroll_to(x=max(match.start - 8, 0), animate=False, immediate=True)

    # Selecting -------------------------------------------------------------------------------

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        lines = self._document.lines
        chosen: list[str] = []
        first = selection.start.y if selection.start else 0
        last = selection.end.y if selection.end else len(lines) - 1
        for number in range(max(first, 0), min(last, len(lines) - 1) + 1):
            span = selection.get_span(number)
            if span is not None:
                chosen.append(lines[number][span[0] : None if span[1] == -1 else span[1]])
        return "\n".join(chosen), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    # Drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        layout = self._layout
        if row >= len(layout):
            return Strip.blank(self.size.width, self.rich_style)
        line, start = layout.place(row)
        text = layout.text(row)
        marks = [
            (a - start, b - start, style) for a, b, style in self._marks(line, start, len(text))
        ]
        return self.strip(pieces(text, self.rich_style, marks), (start, line))

    def _marks(self, line: int, start: int, size: int) -> list[Marked]:
        """What is laid over `size` characters of a line from `start`, in offsets of the line."""
        marks: list[Marked] = [
            (span.start, span.end, self.style_of(span.style))
            for span in self._document.spans.get(line, ())
        ]
        index = bisect_left(self._matches, (line, start - len(self._needle)))
        for number, match in enumerate(self._matches[index : index + size + 1], index):
            if (match.line, match.start) >= (line, start + size):
                break
            name = "match-here" if number == self._match else "match"
            marks.append((match.start, match.end, self.style_of(name)))
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(line)) is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            marks.append((span[0], ELSEWHERE if span[1] == -1 else span[1], style))
        return marks
