"""The rows of a trace: which entry a row belongs to, and how it is drawn."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from eval_tui.results.words import count
from eval_tui.tui.document import Document
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.text import fit, one_line
from eval_tui.tui.trace import Trace
from eval_tui.tui.trace_document import LONGEST_NAME, clock_of, document_of
from eval_tui.tui.trace_order import inside, positions_of, shown_order
from eval_tui.tui.trace_text import is_error, message_text, name_of, outcome_of, summary_of
from eval_tui.tui.widgets.reading import pieces
from eval_tui.tui.widgets.row_list import RowList
from eval_tui.tui.widgets.squeeze import squeeze
from eval_tui.tui.wrap import Layout

DEEPEST: Final = 6
"""Levels of subagents that are indented further."""

NAME_CELLS: Final = 16
"""Cells for a tool's name before it pushes the rest of its line to the right."""

NUMBER_CELLS: Final = 3
"""Cells that the number of a call takes at the least, so that a trace can grow beside it."""

CLOCK_CELLS: Final = 8
"""Cells for the time of an entry; left out where the view is narrower than `CLOCK_FROM`."""

CLOCK_FROM: Final = 90


class _Line(NamedTuple):
    """What stands left and right of an entry's summary, and the cells between."""

    left: str
    name: str
    right: str
    room: int


class TraceRows(RowList):
    """Entries of one line each, with everything about an entry under it when unfolded."""

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id, glyphs=glyphs)
        self.trace = Trace()
        self.only = ""
        """The name to which the entries shown are narrowed down; empty for all."""
        self.order: Sequence[int] = ()
        """The entries shown, top to bottom."""
        self.positions: Sequence[int] = ()
        """Where each entry stands in `order`, see `trace_order.positions_of`."""
        self.expected = 0
        """Entries that there will be when all is read: room is kept for their numbers."""
        self._starts = array("I", [0])
        self._unfolded: set[int] = set()
        self._bodies: dict[int, tuple[Document, Layout]] = {}
        self._name_cells = 0
        self._pattern: re.Pattern[str] | None = None

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
        position = max(min(bisect_right(self._starts, row) - 1, len(self.order) - 1), 0)
        return (self.order[position] if self.order else 0), row - self._starts[position]

    def _span(self, entry: int) -> tuple[int, int]:
        """The first row of an entry that is shown, and the one behind its last."""
        position = self.positions[entry]
        return self._starts[position], self._starts[position + 1]

    def _fold_rows(self) -> None:
        """Count the rows anew after entries were folded or unfolded, came or were left out."""
        self.order = shown_order(self.trace, self._unfolded, self.only)
        self.positions = positions_of(self.order, len(self.trace.entries))
        heights = array("I", [1]) * len(self.order)
        if self.size.width:
            for entry in self._unfolded:
                if self.positions[entry] >= 0 and not self._fits_its_line(entry):
                    heights[self.positions[entry]] += len(self._body(entry)[1])
        self._starts = array("I", accumulate(heights, initial=0))
        self.rows_changed()

    def _measure_names(self) -> None:
        """Make the column of names as wide as the first of them."""
        first = range(min(len(self.trace.entries), 200))
        widths = (cell_len(name_of(self.trace, entry)) for entry in first)
        self._name_cells = min(max(widths, default=0), NAME_CELLS)

    def _fits_its_line(self, entry: int) -> bool:
        """Whether a message is so short that its own line holds all of it."""
        if self.trace.entries[entry].kind not in ("message", "thinking"):
            return False
        text = message_text(self.trace, entry).strip()
        room = self._line_of(entry).room
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

    # Drawing ---------------------------------------------------------------------------------

    def row_segments(self, row: int) -> list[Segment]:
        entry, within = self._entry_at(row)
        return self._body_row(entry, within - 1) if within else self._entry_row(entry)

    def _line_of(self, entry: int) -> _Line:
        trace = self.trace
        item = trace.entries[entry]
        fold = self.glyphs.unfolded if entry in self._unfolded else self.glyphs.folded
        digits = max(len(str(max(len(trace.entries), self.expected))), NUMBER_CELLS)
        number = str(item.number) if item.number else ""
        left = f"{' ' * self._indent(entry)}{fold} {number.rjust(digits)} "
        name = self._squeezed(name_of(trace, entry), LONGEST_NAME)
        name = fit(name, max(self._name_cells, cell_len(name))) + " "
        words = [self._subagent_words(entry), outcome_of(trace, entry)]
        right = "".join(f" {word}" for word in words if word)
        if self.row_width >= CLOCK_FROM and (clock := clock_of(trace, entry)):
            right += clock.rjust(CLOCK_CELLS)
        # Two cells hold the mark of an error.
        room = max(self.row_width - cell_len(left + name + right) - 2, 0)
        return _Line(left, name, right, room)

    def _subagent_words(self, entry: int) -> str:
        """How much is folded away below a call that started a subagent."""
        if entry not in self.trace.children or entry in self._unfolded:
            return ""
        there, failed = inside(self.trace, entry)
        words = f"+{count(there, 'entry', 'entries')},"
        return f"{words} {count(failed, 'error')}," if failed else words

    def _squeezed(self, raw: str, width: int) -> str:
        return squeeze(raw, width, keep_end=True, ellipsis=self.glyphs.ellipsis)

    def _entry_row(self, entry: int) -> list[Segment]:
        base, kind = self.rich_style, self.trace.entries[entry].kind
        left, name, right, room = self._line_of(entry)
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
