"""The trace with its timeline above it: one strip, and a line that says what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from eval_tui.results.words import count
from eval_tui.tui.document import SpanStyle
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.text import cut, one_line
from eval_tui.tui.trace import Event, Trace, TraceBuilder
from eval_tui.tui.trace_order import HIDDEN
from eval_tui.tui.trace_strip import (
    MarkKind,
    cell_of,
    facts_of,
    legend_of,
    look_of,
    marks_of,
    position_at,
)
from eval_tui.tui.widgets.reading import ReadingView
from eval_tui.tui.widgets.row_list import GUTTER, RowList
from eval_tui.tui.widgets.trace_view import TraceView

ADDED_AT_ONCE: Final = 1_000
"""Events that are added to a trace in view; where there are more it takes the place of that."""


class TraceStrip(ReadingView, can_focus=False):
    """Where in the trace its errors, edits and long waits are, and where the reader is."""

    DEFAULT_CSS = """
    TraceStrip { height: 2; scrollbar-size: 0 0; scrollbar-gutter: auto; }
    """

    @dataclass
    class Pointed(Message):
        """Somebody clicked on a place of the timeline: the entry that stands there."""

        entry: int

    def __init__(self, view: TraceView, glyphs: Glyphs) -> None:
        super().__init__()
        self._view = view
        self._glyphs = glyphs
        self._facts: list[str] = []
        self._marks: dict[int, MarkKind] = {}
        self._marked: tuple[Sequence[int], int, int] | None = None
        self.new = 0
        """Entries that came since the reader was at the end."""
        self.part = 1.0
        """How much of the file has been read."""

    def tell(self) -> None:
        """The trace is another one, or a longer one."""
        self._facts = facts_of(self._view.trace)
        self.display = bool(self._view.trace.entries)
        self.refresh()

    @property
    def _cells(self) -> int:
        return max(self.size.width - GUTTER - 1, 1)

    def render_line(self, y: int) -> Strip:
        segments = self._legend() if y else self._timeline()
        strip = Strip([Segment(" " * GUTTER, self.rich_style), *segments])
        return strip.crop_extend(0, self.size.width, self.rich_style)

    def _timeline(self) -> list[Segment]:
        view, base = self._view, self.rich_style
        order, width = view.order, self._cells
        marks = self._marks_in(width)
        here = view.positions[view.entry] if view.order else HIDDEN
        at = cell_of(here, len(order), width) if here != HIDDEN else -1
        segments: list[Segment] = []
        for cell in range(width):
            glyph, name = (
                look_of(marks[cell], self._glyphs) if cell in marks else (self._glyphs.rule, "dim")
            )
            style = base + self.style_of(name)
            if cell == at:
                glyph = glyph if cell in marks else self._glyphs.bar
                style += self.style_of("match-here" if cell in marks else "heading")
            segments.append(Segment(glyph, style))
        return list(Segment.simplify(segments))

    def _marks_in(self, width: int) -> dict[int, MarkKind]:
        """The marks, found anew when the trace, what is shown of it, or the width is another."""
        view = self._view
        events, before = len(view.trace.events), self._marked
        if before is None or before[0] is not view.order or before[1:] != (events, width):
            self._marked = (view.order, events, width)
            self._marks = marks_of(view.trace, view.order, view.positions, width)
        return self._marks

    def _legend(self) -> list[Segment]:
        trace, view, base = self._view.trace, self._view, self.rich_style
        parts: list[tuple[str, SpanStyle]] = []
        if view.only:
            shown = f"{len(view.order):,} of {count(len(trace.entries), 'entry', 'entries')}"
            parts.append((f"only {one_line(view.only)}: {shown}, t shows all", "changed"))
        if self.part < 1:
            parts.append((f"first {max(self.part, 0.01):.0%} so far", "changed"))
        if self.new:
            parts.append((f"+{self.new:,} new below", "changed"))
        parts += legend_of(trace, self._glyphs)
        parts.extend((fact, "dim") for fact in self._facts)
        segments: list[Segment] = []
        room = self._cells
        for words, name in parts:
            gap = "  " if segments else ""
            if segments and cell_len(gap + words) > room:
                continue
            shown = gap + cut(words, room, self._glyphs.ellipsis)
            segments.append(Segment(shown, base + self.style_of(name)))
            room -= cell_len(shown)
        return segments

    def on_click(self, event: Click) -> None:
        event.stop()
        order = self._view.order
        if order and event.y == 0:
            cell = min(max(event.x - GUTTER, 0), self._cells - 1)
            self.post_message(self.Pointed(order[position_at(cell, len(order), self._cells)]))


class TracePane(Vertical):
    """What the agent said and did. Grows with its file, without losing the reader's place."""

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id)
        self.view = TraceView(glyphs=glyphs)
        self.strip = TraceStrip(self.view, glyphs)
        self.builder = TraceBuilder()

    def compose(self) -> ComposeResult:
        yield self.strip
        yield self.view

    def on_unmount(self) -> None:
        self.builder, self.view.trace = TraceBuilder(), Trace()

    def show(self, builder: TraceBuilder, keep_place: bool, empty: str, part: float = 1.0) -> None:
        """Show a trace; `empty` is what is said where it has no entries.

        With `keep_place`, a little that merely goes on from what is shown is added to that.
        `part`: how much of its file it was made of.
        """
        known, events = self.builder.trace.events, builder.trace.events
        goes_on = keep_place and builder is not self.builder and events[: len(known)] == known
        waited_for, self.strip.part = self.strip.part < 1, part
        if goes_on and known and not waited_for and len(events) - len(known) <= ADDED_AT_ONCE:
            self.add(events[len(known) :])
            return
        self.builder = builder
        self.view.say_empty(empty)
        self.view.expected = round(len(builder.trace.entries) / part)
        self.view.show(builder.trace, keep_place)
        self.strip.new = 0
        self.strip.tell()

    def add(self, events: Sequence[Event]) -> None:
        """Events that came since."""
        known = len(self.view.trace.entries)
        changed = self.builder.extend(events)
        self.view.grow(changed, known)
        self.strip.new += len(self.view.trace.entries) - known
        self._seen()
        self.strip.tell()

    def narrow(self) -> str:
        """See `TraceView.narrow`."""
        only = self.view.narrow()
        self.strip.refresh()
        return only

    def _seen(self) -> None:
        if self.view.cursor == self.view.row_count - 1:
            self.strip.new = 0

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._seen()
        self.strip.refresh()

    def on_trace_strip_pointed(self, event: TraceStrip.Pointed) -> None:
        event.stop()
        self.view.go_to_entry(event.entry)
        self.view.focus()
