"""A trace as a list of entries that unfold in place; no widget per event."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import ClassVar, Final

from textual.events import Resize

from eval_tui.tui.document import search_pattern
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.trace import Trace
from eval_tui.tui.trace_document import document_of
from eval_tui.tui.trace_order import HIDDEN, callers_of, found_again
from eval_tui.tui.trace_text import mentions, message_text, name_of
from eval_tui.tui.widgets.trace_rows import TraceRows

UNFOLD_LIMIT: Final = 100_000
"""Messages are unfolded from the start while all of them together have fewer characters."""

UNFOLD_ENTRIES: Final = 1_000
"""... and while there are fewer entries than this."""

LIVE_SEARCH: Final = 2_000
"""Entries up to which a trace is searched with every key typed, not only on Enter."""


class TraceView(TraceRows):
    """Moves in a trace, folds and unfolds it, narrows it down and searches it."""

    match_unit: ClassVar[str] = "entry"

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id, glyphs=glyphs)
        self._matches: list[int] = []
        self._match = -1
        self._at_end = False
        self._above: int | None = None
        """How far below the top the cursor stood when it was put elsewhere out of sight."""

    def show(self, trace: Trace, keep_place: bool = False) -> None:
        """Show a trace: from its start, or with the same entries unfolded and the same row on top."""
        keep_place = keep_place and bool(self.trace.entries)
        before, at_end = (self._place(), self._follows) if keep_place else ((0, 0, 0), False)
        if keep_place:
            there = {one for one in self._unfolded if one < len(self.trace.entries)}
            found = found_again(self.trace, {*there, before[0]}, trace)
            before = (found[before[0]], *before[1:])
            self._unfolded = {found[one] for one in there}
        self.trace = trace
        self._bodies.clear()
        if not keep_place:
            self._unfolded = set(_short_messages(trace))
            self.only, self._at_end = "", False
        self._unfolded = {entry for entry in self._unfolded if entry < len(trace.entries)}
        self._measure_names()
        self._fold_rows()
        self._return_to(before)
        if at_end:
            self.action_jump_end()
        if self._pattern:
            self._find(self._pattern)

    def grow(self, changed: Iterable[int], known: int) -> None:
        """The trace was added to: there were `known` entries, and `changed` of them are others now.

        What the reader looks at stays where it is, unless the cursor was put on the end: then it
        stays there.
        """
        before = self._place()
        at_end = self._follows
        for entry in changed:
            self._bodies.pop(entry, None)
        self._unfolded.update(_short_messages(self.trace, known))
        self._fold_rows()
        self._return_to(before)
        if at_end:
            self.move_to(self.row_count - 1)
        if self._pattern:
            new = range(known, len(self.trace.entries))
            self._matches += [at for at in new if mentions(self.trace, at, self._pattern)]

    @property
    def _follows(self) -> bool:
        """Whether the cursor was put on the end, to stay there."""
        return self._at_end and self.cursor == self.row_count - 1

    def _place(self) -> tuple[int, int, int]:
        """The entry under the cursor, the row within it, and how far below the top that is."""
        return *self._entry_at(self.cursor), self.cursor - self.scroll_offset.y

    def _return_to(self, place: tuple[int, int, int]) -> None:
        entry, within, above = place
        self.cursor = self._row_of(entry, within)
        if not self.size.width:
            self._above = above
        elif self.scroll_offset.y != (top := max(self.cursor - above, 0)):
            self.go_to_row(top)

    def _row_of(self, entry: int, within: int = 0) -> int:
        """A row of an entry; for one that is not shown, that of the call that it lies below."""
        if entry >= len(self.trace.entries):
            return max(self.row_count - 1, 0)
        if self.positions[entry] == HIDDEN:
            shown = [at for at in callers_of(self.trace, entry) if self.positions[at] != HIDDEN]
            if shown:
                return self._span(shown[0])[0]
            position = bisect_left(self.order, entry)
            return self._starts[min(position, max(len(self.order) - 1, 0))]
        start, end = self._span(entry)
        return min(start + within, end - 1)

    def on_resize(self, event: Resize) -> None:
        entry, within = self._entry_at(self.cursor)
        self._bodies.clear()
        self._fold_rows()
        if self.order:
            self.cursor = self._row_of(entry, within)
        if self._above is not None and self.size.width:
            self.go_to_row(max(self.cursor - self._above, 0))
            self._above = None
        self.show_cursor()

    # Keys ------------------------------------------------------------------------------------

    def move_to(self, row: int) -> None:
        self._at_end = False
        super().move_to(row)

    def action_jump_end(self) -> None:
        """Go to the end, and stay there while the trace grows."""
        super().action_jump_end()
        self._at_end = True

    def toggle(self) -> None:
        """Fold or unfold the entry under the cursor; the cursor goes to its line."""
        if self.order:
            self._fold(self.entry, self.entry not in self._unfolded)

    def action_open_row(self) -> None:
        self.toggle()

    def action_sideways(self, cells: int) -> None:
        """Right unfolds; left folds, and where that is done goes to the call above."""
        if not self.order:
            return
        entry = self.entry
        if cells > 0:
            self._fold(entry, True)
        elif entry in self._unfolded:
            self._fold(entry, False)
        elif callers := callers_of(self.trace, entry):
            self.go_to_entry(callers[0])

    def _fold(self, entry: int, unfolded: bool) -> None:
        if unfolded:
            self._unfolded.add(entry)
        else:
            self._unfolded.discard(entry)
            self._bodies.pop(entry, None)
        self._fold_rows()
        self.move_to(self._row_of(entry))

    def go_to_entry(self, entry: int, unfold: bool = False) -> None:
        """Put the cursor on an entry's line, with as much of it in view as fits."""
        hidden = self.positions[entry] == HIDDEN
        if hidden:
            self._unfolded.update(callers_of(self.trace, entry))
            self.only = ""
        if unfold:
            self._unfolded.add(entry)
        if unfold or hidden:
            self._fold_rows()
        start, end = self._span(entry)
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

    def narrow(self) -> str:
        """Leave only entries named like the one under the cursor, or show all again. The name."""
        if self.order:
            place = self._place()
            self.only = "" if self.only else name_of(self.trace, self.entry)
            self._fold_rows()
            self._return_to(place)
            self.show_cursor()
        return self.only

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

    def go_to_text(self, entry: int, text: str) -> None:
        """Go to an entry, to the row of it at which a text begins that it holds."""
        self.go_to_entry(entry, unfold=True)
        if text and (row := self._next_row(entry, 0, search_pattern(text))) is not None:
            self.move_to(row)

    def _next_row(
        self, entry: int, within: int, pattern: re.Pattern[str] | None = None
    ) -> int | None:
        """The next row of an unfolded entry, after row `within`, where a match begins."""
        pattern = pattern or self._pattern
        if pattern is None or entry not in self._unfolded or self._fits_its_line(entry):
            return None
        document, layout = self._body(entry)
        for line, text in enumerate(document.lines):
            for hit in pattern.finditer(text):
                row = layout.row_of(line, hit.start()) + 1
                if row > within:
                    return self._span(entry)[0] + row
        return None


def _short_messages(trace: Trace, known: int = 0) -> list[int]:
    """The messages from entry `known` on, if all are few and short enough to be shown whole."""
    count = len(trace.entries)
    if count > UNFOLD_ENTRIES:
        return []
    messages = [at for at in range(count) if trace.entries[at].kind == "message"]
    if sum(len(message_text(trace, at)) for at in messages) > UNFOLD_LIMIT:
        return []
    return [at for at in messages if at >= known]
