"""What all reading views share: moving keys, styles, and drawing a piece of text as a strip."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import ClassVar, Final, Protocol

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.scroll_view import ScrollView
from textual.strip import Strip

from eval_tui.tui.document import SPAN_STYLES, SpanStyle

ELSEWHERE: Final = 10**9
"""An offset beyond every line."""


class Searchable(Protocol):
    """A view that the search bar can search."""

    match_unit: ClassVar[str]
    """What matches are counted in."""

    def focus(self) -> object:
        """Give it the keys."""
        ...

    @property
    def live_search(self) -> bool:
        """Whether it is small enough to be searched with every key typed."""
        ...

    def search(self, needle: str) -> int:
        """Mark everything that matches and go to the nearest; "" ends the search. The number."""
        ...

    def step_match(self, by: int) -> None:
        """Go to the next (1) or previous (-1) match, round the ends."""
        ...

    @property
    def match_place(self) -> tuple[int, int]:
        """Which match the reader is at (from 1; 0 for none) and how many there are."""
        ...


Marked = tuple[int, int, Style]
"""Characters `start` to `end` of a text and a style laid over them."""


def pieces(text: str, base: Style, marks: Iterable[Marked]) -> list[Segment]:
    """The text as segments; later marks lie over earlier ones."""
    inside = [(max(start, 0), min(end, len(text)), style) for start, end, style in marks]
    inside = [mark for mark in inside if mark[0] < mark[1]]
    if not inside:
        return [Segment(text, base)]
    edges = {0, len(text)}
    for start, end, _ in inside:
        edges |= {start, end}
    ordered = sorted(edges)
    segments: list[Segment] = []
    for start, end in pairwise(ordered):
        style = base
        for mark_start, mark_end, mark_style in inside:
            if mark_start <= start and end <= mark_end:
                style += mark_style
        segments.append(Segment(text[start:end], style))
    return segments


class ReadingView(ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolling view drawn line by line. Subclasses say what moving by rows means.

    | component class | what |
    | --- | --- |
    | `reading--heading`, `--label`, `--dim`, `--good`, `--bad`, `--warn`, `--changed` | spans |
    | `reading--link`, `--link-here` | what leads elsewhere, and what was followed last |
    | `reading--code-keyword`, `-name`, `-string`, `-number`, `-comment` | source code |
    | `reading--match`, `reading--match-here` | what a search found, and where the reader is |
    | `reading--cursor` | the row under the cursor |
    """

    match_unit: ClassVar[str] = "match"

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"reading--{style}" for style in SPAN_STYLES),
        "reading--match",
        "reading--match-here",
        "reading--cursor",
    }

    DEFAULT_CSS = """
    ReadingView {
        height: 1fr;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
        & > .reading--heading { color: $primary; text-style: bold; }
        & > .reading--label { text-style: bold; }
        & > .reading--dim { color: $skip; }
        & > .reading--good { color: $pass; }
        & > .reading--bad { color: $fail; }
        & > .reading--warn { color: $unmeasured; }
        & > .reading--changed { color: $unmeasured; text-style: bold; }
        & > .reading--link { text-style: underline; }
        & > .reading--link-here { color: $accent; text-style: bold underline; }
        & > .reading--code-keyword { color: $primary; }
        & > .reading--code-name { text-style: bold; }
        & > .reading--code-string { color: $recorded; }
        & > .reading--code-number { color: $number; }
        & > .reading--code-comment { color: $skip; text-style: italic; }
        & > .reading--match { color: $unmeasured; text-style: reverse; }
        & > .reading--match-here { color: $accent; text-style: reverse bold underline; }
        & > .reading--cursor { background: $surface; }
        &:focus > .reading--cursor { background: $panel; text-style: bold; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, "move(-1)", "Up", show=False) for key in ("up", "k")),
        *(Binding(key, "move(1)", "Down", show=False) for key in ("down", "j")),
        *(Binding(key, "sideways(-8)", "Left", show=False) for key in ("left", "h")),
        *(Binding(key, "sideways(8)", "Right", show=False) for key in ("right", "l")),
        *(Binding(key, "jump_start", "Top", show=False) for key in ("home", "g")),
        *(Binding(key, "jump_end", "Bottom", show=False) for key in ("end", "G")),
        Binding("pageup", "move_page(-1.0)", "Page up", show=False),
        Binding("pagedown", "move_page(1.0)", "Page down", show=False),
        Binding("ctrl+u", "move_page(-0.5)", "Half page up", show=False),
        Binding("ctrl+d", "move_page(0.5)", "Half page down", show=False),
    ]

    _styles_table: dict[str, Style] | None = None

    @property
    def page(self) -> int:
        """Rows in view, at least 1."""
        return max(self.scrollable_content_region.height, 1)

    def style_of(self, name: SpanStyle | str) -> Style:
        """The style of a component class `reading--<name>`, to be laid over `rich_style`."""
        if self._styles_table is None:
            self._styles_table = {}
        if (style := self._styles_table.get(name)) is None:
            style = self.get_component_rich_style(f"reading--{name}", partial=True)
            self._styles_table[name] = style
        return style

    def notify_style_update(self) -> None:
        self._styles_table = None
        super().notify_style_update()

    def strip(self, segments: list[Segment], place: tuple[int, int] | None = None) -> Strip:
        """Segments cut or filled to the view; `place` (offset, line) makes them selectable."""
        left, width = self.scroll_offset.x, self.size.width
        strip = Strip(segments).crop_extend(left, left + width, self.rich_style)
        return strip if place is None else strip.apply_offsets(place[0] + left, place[1])

    def go_to_row(self, row: int) -> None:
        """Put a row at the top of the view, as far as there are rows below it."""
        self.scroll_to(y=row, animate=False, immediate=True)

    def action_move(self, rows: int) -> None:
        """Move by rows."""
        self.go_to_row(self.scroll_offset.y + rows)

    def action_move_page(self, pages: float) -> None:
        """Move by pages; half a page is 0.5."""
        self.action_move(int(pages * self.page) or (1 if pages > 0 else -1))

    def action_sideways(self, cells: int) -> None:
        """Scroll sideways, where there is anything beside the view."""
        self.scroll_to(x=self.scroll_offset.x + cells, animate=False, immediate=True)

    def action_jump_start(self) -> None:
        """Go to the first row."""
        self.go_to_row(0)

    def action_jump_end(self) -> None:
        """Go to the last row."""
        self.go_to_row(self.virtual_size.height)
