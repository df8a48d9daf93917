"""A trace as a list of entries that unfold in place; no widget per event."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.events import Resize

from eval_tui.tui.document import Document, search_pattern
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.text import fit, one_line
from eval_tui.tui.trace import Trace
from eval_tui.tui.trace_text import (
    LONGEST_NAME,
    document_of,
    is_error,
    mentions,
    message_text,
    name_of,
    outcome_of,
    summary_of,
)
from eval_tui.tui.widgets.reading import pieces
from eval_tui.tui.widgets.row_list import RowList
from eval_tui.tui.widgets.squeeze import squeeze
from eval_tui.tui.wrap import Layout

UNFOLD_LIMIT: Final = 100_000
"""Messages are unfolded from the start while all of them together have fewer characters."""

UNFOLD_ENTRIES: Final = 1_000
"""... and while there are fewer entries than this."""

LIVE_SEARCH: Final = 2_000
"""Entries up to which a trace is searched with every key typed, not only on Enter."""

DEEPEST: Final = 6
"""Levels of subagents that are indented further."""

NAME_CELLS: Final = 16
"""Cells for a tool's name before it pushes the rest of its line to the right."""


class TraceView(RowList):
    """Entries of one line each, with everything about an entry under it when unfolded."""

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id, glyphs=glyphs)
        self.trace = Trace()
        self._starts = array("I", [0])
        self._unfolded: set[int] = set()
        self._bodies: dict[int, tuple[Document, Layout]] = {}
        self._name_cells = 0
        self._pattern: re.Pattern[str] | None = None
        self._matches: list[int] = []
        self._match = -1

    def show(self, trace: Trace, keep_place: bool = False) -> None:
        """Show a trace: from its start, or with the same entries unfolded and the same row on top."""
        keep_place = keep_place and bool(self.trace.entries)
        at, within = self._entry_at(self.cursor) if keep_place else (0, 0)
        above = self.cursor - self.scroll_offset.y if keep_place else 0
        self.trace = trace
        self._bodies.clear()
        if not keep_place:
            self._unfolded = set(_short_messages(trace))
        self._unfolded = {entry for entry in self._unfolded if entry < len(trace.entries)}
        names = (cell_len(name_of(trace, entry)) for entry in range(min(len(trace.entries), 200)))
        self._name_cells = min(max(names, default=0), NAME_CELLS)
        self._fold_rows()
        self.cursor = max(
            min(self._starts[min(at, len(trace.entries))] + within, self.row_count - 1), 0
        )
        if self.size.width:
            self.go_to_row(max(self.cursor - above, 0))
        if self._pattern:
            self._find(self._pattern)

    # Rows ------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        return self._starts[-1]

    @property
    def entry(self) -> int:
        """The entry under the cursor."""
        return self._entry_at(self.cursor)[0]

    def _entry_at(self, row: int) -> tuple[int, int]:
        """The entry that a row belongs to, and the row's number within it (0: its own line)."""
        entry = max(min(bisect_right(self._starts, row) - 1, len(self.trace.entries) - 1), 0)
        return entry, row - self._starts[entry]

    def _fold_rows(self) -> None:
        """Count the rows anew after entries were folded or unfolded."""
        heights = array("I", bytes(4 * len(self.trace.entries)))
        for entry in range(len(heights)):
            heights[entry] = 1
        if self.size.width:
            for entry in self._unfolded:
                if not self._fits_its_line(entry):
                    heights[entry] += len(self._body(entry)[1])
        self._starts = array("I", accumulate(heights, initial=0))
        self.rows_changed()

    def _fits_its_line(self, entry: int) -> bool:
        """Whether a message is so short that its own line holds all of it."""
        if self.trace.entries[entry].kind not in ("message", "thinking"):
            return False
        text = message_text(self.trace, entry).strip()
        room = self._layout_of_line(entry)[-1]
        return len(text) <= room and "\n" not in text and cell_len(one_line(text)) <= room

    def _indent(self, entry: int) -> int:
        return 2 * min(self.trace.entries[entry].depth, DEEPEST)

    def _body(self, entry: int) -> tuple[Document, Layout]:
        body = self._bodies.get(entry)
        if body is None:
            document = document_of(self.trace, entry)
            width = self.row_width - self._indent(entry) - 4
            body = self._bodies[entry] = (document, Layout(document.lines, width).finish())
        return body

    def on_resize(self, event: Resize) -> None:
        entry, within = self._entry_at(self.cursor)
        self._bodies.clear()
        self._fold_rows()
        if self.trace.entries:
            self.cursor = min(self._starts[entry] + within, self._starts[entry + 1] - 1)
        self.show_cursor()

    # Keys ------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Fold or unfold the entry under the cursor; the cursor goes to its line."""
        if not self.trace.entries:
            return
        entry = self.entry
        if entry in self._unfolded:
            self._unfolded.discard(entry)
            self._bodies.pop(entry, None)
        else:
            self._unfolded.add(entry)
        self._fold_rows()
        self.move_to(self._starts[entry])

    def action_open_row(self) -> None:
        self.toggle()

    def go_to_entry(self, entry: int, unfold: bool = False) -> None:
        """Put the cursor on an entry's line, with as much of it in view as fits."""
        if unfold and entry not in self._unfolded:
            self._unfolded.add(entry)
            self._fold_rows()
        start, end = self._starts[entry], self._starts[entry + 1]
        self.move_to(start)
        if end > self.scroll_offset.y + self.page:
            self.go_to_row(min(start, end - self.page))

    def step_error(self, by: int) -> bool:
        """Go to the next (1) or previous (-1) error and unfold it; whether there is one."""
        errors = self.trace.errors
        if not errors:
            return False
        here = self.entry
        index = bisect_right(errors, here) if by > 0 else bisect_left(errors, here) - 1
        self.go_to_entry(errors[index % len(errors)], unfold=True)
        return True

    @property
    def copy_text(self) -> str:
        """The raw text of the entry under the cursor."""
        return document_of(self.trace, self.entry).raw if self.trace.entries else ""

    # Searching -------------------------------------------------------------------------------

    @property
    def live_search(self) -> bool:
        return len(self.trace.entries) < LIVE_SEARCH

    def search(self, needle: str) -> int:
        self._pattern = search_pattern(needle) if needle else None
        self._matches = []
        if self._pattern:
            self._find(self._pattern)
        self._match = -1
        if self._matches:
            here = bisect_left(self._matches, self.entry) % len(self._matches)
            self._go_to_match(here, from_row=0)
        self.refresh()
        return len(self._matches)

    def _find(self, pattern: re.Pattern[str]) -> None:
        trace = self.trace
        self._matches = [at for at in range(len(trace.entries)) if mentions(trace, at, pattern)]
        self._match = min(self._match, len(self._matches) - 1)

    def step_match(self, by: int) -> None:
        if not self._matches:
            return
        entry, within = self._entry_at(self.cursor)
        inside = by > 0 and self._match >= 0 and entry == self._matches[self._match]
        if inside and (row := self._next_row(entry, within)) is not None:
            self.move_to(row)
            return
        self._go_to_match((self._match + by) % len(self._matches), from_row=0)

    @property
    def match_place(self) -> tuple[int, int]:
        return self._match + 1, len(self._matches)

    def _go_to_match(self, index: int, from_row: int) -> None:
        self._match = index
        entry = self._matches[index]
        self.go_to_entry(entry, unfold=True)
        if (row := self._next_row(entry, from_row)) is not None:
            self.move_to(row)

    def _next_row(self, entry: int, within: int) -> int | None:
        """The next row of an unfolded entry, after row `within`, where a match begins."""
        if self._pattern is None or entry not in self._unfolded:
            return None
        document, layout = self._body(entry)
        for line, text in enumerate(document.lines):
            for hit in self._pattern.finditer(text):
                row = layout.row_of(line, hit.start()) + 1
                if row > within:
                    return self._starts[entry] + row
        return None

    # Drawing ---------------------------------------------------------------------------------

    def row_segments(self, row: int) -> list[Segment]:
        entry, within = self._entry_at(row)
        return self._body_row(entry, within - 1) if within else self._entry_row(entry)

    def _layout_of_line(self, entry: int) -> tuple[str, str, str, int]:
        """What stands left of an entry's summary, right of it, and the cells between."""
        trace = self.trace
        item = trace.entries[entry]
        fold = self.glyphs.unfolded if entry in self._unfolded else self.glyphs.folded
        digits = len(str(len(trace.entries)))
        number = str(item.number) if item.number else ""
        left = f"{' ' * self._indent(entry)}{fold} {number.rjust(digits)} "
        name = self._squeezed(name_of(trace, entry), LONGEST_NAME)
        name = fit(name, max(self._name_cells, cell_len(name))) + " "
        right = outcome_of(trace, entry)
        right = f" {right}" if right else ""
        # Two cells hold the mark of an error.
        return left, name, right, max(self.row_width - cell_len(left + name + right) - 2, 0)

    def _squeezed(self, raw: str, width: int) -> str:
        return squeeze(raw, width, keep_end=True, ellipsis=self.glyphs.ellipsis)

    def _entry_row(self, entry: int) -> list[Segment]:
        base, kind = self.rich_style, self.trace.entries[entry].kind
        left, name, right, room = self._layout_of_line(entry)
        error = is_error(self.trace, entry)
        bad, dim = base + self.style_of("bad"), base + self.style_of("dim")
        summary = ""
        if entry not in self._unfolded or kind == "call" or self._fits_its_line(entry):
            summary = self._squeezed(summary_of(self.trace, entry).strip(), room)
        tone = "heading" if kind == "message" else "label"
        quiet = kind not in ("message", "call", "result")
        return [
            Segment(left, dim),
            Segment(f"{self.glyphs.failed if error else ' '} ", bad),
            *pieces(name, base + self.style_of(tone), self._found(name)),
            *pieces(fit(summary, room), dim if quiet else base, self._found(summary)),
            Segment(right, bad if error else dim),
        ]

    def _body_row(self, entry: int, row: int) -> list[Segment]:
        document, layout = self._body(entry)
        line, start = layout.place(row)
        text = layout.text(row)
        marks = [
            (span.start - start, span.end - start, self.style_of(span.style))
            for span in document.spans.get(line, ())
        ]
        indent = Segment(" " * (self._indent(entry) + 4), self.rich_style)
        return [indent, *pieces(text.rstrip(), self.rich_style, [*marks, *self._found(text)])]

    def _found(self, text: str) -> list[tuple[int, int, Style]]:
        if self._pattern is None:
            return []
        style = self.style_of("match")
        return [(hit.start(), hit.end(), style) for hit in self._pattern.finditer(text)]


def _short_messages(trace: Trace) -> list[int]:
    """The messages, if they are few and short enough to be shown whole from the start."""
    if len(trace.entries) > UNFOLD_ENTRIES:
        return []
    messages = [at for at, entry in enumerate(trace.entries) if entry.kind == "message"]
    if sum(len(message_text(trace, at)) for at in messages) > UNFOLD_LIMIT:
        return []
    return messages
