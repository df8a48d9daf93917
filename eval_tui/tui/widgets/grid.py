"""The grid of cases x judges, drawn line by line from rows and columns.

Its cost does not depend on the number of rows: only visible lines and columns are drawn. The
selection is a (case, judge) pair, never a position, so it stays on its cell, and that cell on its
line of the screen, when rows arrive, sort or are filtered around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from eval_tui.engine.grid import CellKey, Grid, Row
from eval_tui.engine.select import failed
from eval_tui.tui.host import app_of
from eval_tui.tui.keys import moves
from eval_tui.tui.layout import (
    Column,
    Head,
    Needs,
    Sort,
    case_width,
    column_needs,
    longest_name,
    plan_columns,
)
from eval_tui.tui.marks import UNICODE, Glyphs, mark
from eval_tui.tui.order import arrange, following, rectangle
from eval_tui.tui.placing import HEADER
from eval_tui.tui.text import fit
from eval_tui.tui.widgets.drawing import (
    case_segments,
    cell_segments,
    head_line,
    heights,
    hidden_words,
)
from eval_tui.tui.widgets.palette import Ground, Palette

TALL: Final = 24
"""From this height on, or where all cases are seen, a judge's name may take three lines."""
TURN_SECONDS: Final = 0.15
"""Time between two positions of the turning mark."""


class CaseGrid(ScrollView, can_focus=True):
    """Cases x judges. Call `show` when rows or columns changed, `update_cells` for the rest."""

    BINDINGS: ClassVar[list[BindingType]] = moves(
        {
            "move(-1, 0)": ("up", "k"),
            "move(1, 0)": ("down", "j"),
            "move(0, -1)": ("left", "h"),
            "move(0, 1)": ("right", "l"),
            "jump(0)": ("g", "home"),
            "jump(1)": ("G", "end"),
            "page(-1.0)": ("pageup",),
            "page(1.0)": ("pagedown",),
            "page(-0.5)": ("ctrl+u",),
            "page(0.5)": ("ctrl+d",),
        }
    )

    @dataclass
    class CellHighlighted(Message):
        """The cursor came to another cell, or the cell under it changed."""

        key: CellKey | None

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, CaseGrid.CellHighlighted)

    @dataclass
    class CellChosen(Message):
        """A cell was double-clicked."""

        key: CellKey

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.marked: frozenset[CellKey] = frozenset()
        self.text = ""
        """The filter on case names in force."""
        self.only: frozenset[str] | None = None
        """If set, only these cases are shown."""
        self.sort: Sort | None = None
        self._grid: Grid | None = None
        self._heads: tuple[Head, ...] = ()
        self._needs: tuple[Needs, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self._order: Sequence[int] = ()
        self._places: dict[str, int] = {}
        self._columns: tuple[Column, ...] = ()
        self._case_width = 0
        self._planned = 0
        self._anchor: CellKey | None = None
        self._row = 0
        self._column = 0
        self._palette: Palette | None = None
        self._frame = 0
        self._turning: set[int] = set()

    # What is shown

    def show(self, grid: Grid, heads: Iterable[Head]) -> None:
        """Lay out anew, as rows, columns or cells are others. The selection stays."""
        self._grid, self._heads = grid, tuple(heads)
        self._rows = grid.rows
        self._needs = column_needs(grid, self._heads, self.glyphs)
        self.rearrange()

    def rearrange(self) -> None:
        """Apply a changed `text`, `only` or `sort`. The selection stays."""
        if self._grid is None:
            return
        line = self._row - round(self.scroll_y)
        self._arrange(self._grid)
        self._plan()
        self._restore(line)
        self.refresh()
        self._tell()

    def update_heads(self, heads: Iterable[Head]) -> None:
        """New aggregates or gates: the header is drawn anew, and wider where it must be."""
        fresh = tuple(heads)
        known = [column.head.name for column in self._columns]
        if fresh == self._heads or self._grid is None or known != [head.name for head in fresh]:
            return
        self._heads = fresh
        self._needs = column_needs(self._grid, fresh, self.glyphs)
        before = [column.width for column in self._columns], self.header_height
        self._plan()
        if before == ([column.width for column in self._columns], self.header_height):
            self.refresh(Region(0, 0, self.size.width, self.header_height))
        else:
            self.refresh()

    def update_cells(self, keys: Iterable[CellKey]) -> None:
        """These cells changed: draw the visible rows they are in."""
        first, last = self._visible_rows()
        hit = {self._places.get(key.case, -1) for key in keys}
        lines = sorted(row for row in hit if first <= row < last)
        self._refresh_rows(lines)
        if self._row in hit:
            self._tell()

    @property
    def shown(self) -> int:
        """The number of rows shown."""
        return len(self._order)

    @property
    def header_height(self) -> int:
        return sum(heights(self._columns))

    # The selection

    @property
    def cursor(self) -> CellKey | None:
        """The cell under the cursor; None while there is none."""
        if not self._columns or not self._order:
            return None
        return CellKey(self._case_at(self._row), self._columns[self._column].judge.name)

    def select(self, key: CellKey) -> None:
        """Put the cursor on a cell, or as near as what is shown allows."""
        self._anchor = key
        self._refresh_rows([self._row])
        self._locate(key)
        self._after_move()

    def between(self, first: CellKey, last: CellKey) -> frozenset[CellKey]:
        """The cells of the rectangle that two cells span as shown now."""
        cases = [self._rows[index].case for index in self._order]
        return rectangle(cases, [column.judge.name for column in self._columns], first, last)

    def set_marked(self, marked: frozenset[CellKey]) -> None:
        self.marked = marked
        self.refresh()

    def next_failure(self, step: int) -> bool:
        """Go to the next failure in reading order (-1: backwards), around the end if need be."""
        grid, width = self._grid, len(self._columns)
        total = len(self._order) * width
        if grid is None or not total:
            return False
        here = self._row * width + self._column
        for distance in range(1, total + 1):
            row, column = divmod((here + step * distance) % total, width)
            judge = self._columns[column].judge.name
            if failed(grid.cell(self._case_at(row), judge)):
                self._move_to(row, column)
                return True
        return False

    def action_move(self, rows: int, columns: int) -> None:
        self._move_to(self._row + rows, self._column + columns)

    def action_jump(self, end: int) -> None:
        self._move_to(len(self._order) * end, self._column)

    def action_page(self, pages: float) -> None:
        height = max(1, self.size.height - self.header_height)
        self._move_to(self._row + round(height * pages), self._column)

    def _move_to(self, row: int, column: int) -> None:
        if not self._order or not self._columns:
            return
        before = self._row
        self._row = max(0, min(row, len(self._order) - 1))
        self._column = max(0, min(column, len(self._columns) - 1))
        self._anchor = self.cursor
        self._refresh_rows([before])
        self._after_move()

    def _after_move(self) -> None:
        self._refresh_rows([self._row])
        self.refresh(Region(0, 0, self.size.width, self.header_height))
        self._scroll_into_view()
        self._tell()

    def _tell(self) -> None:
        self.post_message(self.CellHighlighted(self.cursor))

    # Laying out

    def _arrange(self, grid: Grid) -> None:
        self._order = arrange(grid, self.text, self.only, self.sort)
        rows = self._rows
        self._places = {rows[index].case: place for place, index in enumerate(self._order)}

    def _plan(self) -> None:
        self._place_columns()
        self._column = max(0, min(self._column, len(self._columns) - 1))
        columns_width = self._columns[-1].end if self._columns else 0
        self.virtual_size = Size(
            self._case_width + columns_width, len(self._order) + self.header_height
        )

    def _place_columns(self) -> None:
        self._planned = width = self.size.width
        self._case_width = case_width(self._rows, width)
        if self._grid is not None:
            room = width - self._case_width
            tall = self.size.height >= min(TALL, len(self._rows) + HEADER)
            self._columns = plan_columns(
                self._grid, self._heads, room, self.glyphs, 3 if tall else 2
            )
            spare = room - (self._columns[-1].end if self._columns else 0)
            self._case_width += max(0, min(spare, longest_name(self._rows) - self._case_width))

    def _restore(self, line: int) -> None:
        """Find the selection again and keep it on its line of the screen."""
        if self._anchor is None:
            self._row = 0
            self._anchor = self.cursor
            return
        self._locate(self._anchor)
        self.scroll_to(y=self._row - line, animate=False, immediate=True)
        self._scroll_into_view()

    def _locate(self, key: CellKey) -> None:
        names = [column.judge.name for column in self._columns]
        if key.judge in names:
            self._column = names.index(key.judge)
        place = self._places.get(key.case)
        if place is None:
            last = max(0, len(self._order) - 1)
            near = None if self.sort else following(self._rows, self._order, key.case)
            place = min(self._row, last) if near is None else near
        self._row = place

    def _scroll_into_view(self) -> None:
        height = max(1, self.size.height - self.header_height)
        top, left = round(self.scroll_y), round(self.scroll_x)
        y = min(top, self._row)
        y = max(y, self._row - height + 1)
        x = self._left_for(left) if self._columns else left
        if (x, y) != (left, top):
            self.scroll_to(x=max(0, x), y=max(0, y), animate=False, immediate=True)

    def _left_for(self, left: int) -> int:
        """The nearest scroll position at which the column of the cursor is seen whole."""
        column, room = self._columns[self._column], self.size.width - self._case_width
        if column.start <= left or column.width >= room:
            return column.start
        if column.end - left <= room:
            return left
        return min(other.start for other in self._columns if column.end - other.start <= room)

    def _visible_rows(self) -> tuple[int, int]:
        first = round(self.scroll_y)
        return first, first + max(0, self.size.height - self.header_height)

    def _refresh_rows(self, rows: Sequence[int]) -> None:
        first, last = self._visible_rows()
        offset, width = self.header_height - first, self.size.width
        regions = [Region(0, row + offset, width, 1) for row in rows if first <= row < last]
        if regions:
            self.refresh(*regions)

    def _case_at(self, place: int) -> str:
        return self._rows[self._order[place]].case

    # Events

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(TURN_SECONDS, self._turn)

    def on_resize(self) -> None:
        line = self._row - round(self.scroll_y)
        self._plan()
        if self._anchor is not None:
            self.scroll_to(y=self._row - line, animate=False, immediate=True)
            self._scroll_into_view()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._palette = None

    def on_focus(self) -> None:
        self._refresh_rows([self._row])

    def on_blur(self) -> None:
        self._refresh_rows([self._row])

    def on_click(self, event: events.Click) -> None:
        row = event.y - self.header_height + round(self.scroll_y)
        x = event.x - self._case_width + round(self.scroll_x)
        column = self._column
        if event.x >= self._case_width:
            column = next((i for i, c in enumerate(self._columns) if c.start <= x < c.end), column)
        if event.y < self.header_height:
            self._move_to(self._row, column)
        elif row < len(self._order):
            self._move_to(row, column)
            if event.chain == 2 and (key := self.cursor) is not None:
                self.post_message(self.CellChosen(key))

    def _turn(self) -> None:
        """Turn the running marks that are seen; nothing else is drawn."""
        if (
            not self._turning
            or app_of(self).animation_level == "none"
            or not self.screen.is_current
        ):
            return
        self._frame += 1
        rows, self._turning = sorted(self._turning), set()
        self._refresh_rows(rows)

    # Drawing

    def render_line(self, y: int) -> Strip:
        palette = self._palette
        if palette is None:
            palette = self._palette = Palette.of(app_of(self).theme_variables)
        width = self.size.width
        if width != self._planned:
            # The size of the first picture is known before the resize event comes.
            self._place_columns()
        if y < self.header_height:
            return self._head_line(y, width, palette)
        row = y - self.header_height + round(self.scroll_y)
        if row >= len(self._order):
            return Strip.blank(width, palette.plain("foreground", Ground()))
        return self._row_line(row, width, palette)

    def _visible_columns(self, room: int) -> list[tuple[int, Column]]:
        """The columns that are seen whole: half a number would be another number."""
        left = round(self.scroll_x)
        seen = [
            (index, column)
            for index, column in enumerate(self._columns)
            if column.start >= left and column.end <= left + room
        ]
        if seen:
            return seen
        return [(i, column) for i, column in enumerate(self._columns) if column.end > left][:1]

    def _assemble(
        self, first: list[Segment], cells: list[Segment], start: int, width: int, rest: Style
    ) -> Strip:
        """The frozen first column, and of the others what the scroll position shows."""
        room = max(0, width - self._case_width)
        left = max(0, round(self.scroll_x) - start)
        others = Strip(cells).crop_extend(left, left + room, rest)
        return Strip.join([Strip(first), others]).crop_extend(0, width, rest)

    def _row_line(self, place: int, width: int, palette: Palette) -> Strip:
        assert self._grid is not None
        row = self._rows[self._order[place]]
        here = place == self._row
        ground = Ground(cursor_row=here, focus=self.has_focus)
        first = case_segments(row, self._case_width, here, ground, palette, self.glyphs)
        rest = palette.plain("skip", ground)
        room = width - self._case_width
        visible = self._visible_columns(room)
        if row.status == "not_run":
            selected = Ground(True, here, self.has_focus) if here else ground
            cells = [Segment(" not run ", palette.plain("skip", selected))]
            return self._assemble(first, cells, round(self.scroll_x), width, rest)
        cells: list[Segment] = []
        for index, column in visible:
            at = Ground(here, here and index == self._column, self.has_focus)
            judge = column.judge
            shown = mark(self._grid.cell(row.case, judge.name), judge, self.glyphs, self._frame)
            if shown.turning:
                self._turning.add(place)
            marked = CellKey(row.case, judge.name) in self.marked
            cells += cell_segments(shown, column, marked, at, palette, self.glyphs)
        return self._assemble(first, cells, visible[0][1].start if visible else 0, width, rest)

    def _head_line(self, y: int, width: int, palette: Palette) -> Strip:
        rest = palette.head("foreground")
        visible, tall = self._visible_columns(width - self._case_width), heights(self._columns)
        label = fit(f" {self._label(y)}", self._case_width, ellipsis=self.glyphs.ellipsis)
        cells: list[Segment] = []
        for index, column in visible:
            here = index == self._column
            line = head_line(y, column, tall, here, self.sort, palette, self.glyphs)
            cells += [Segment(" ", rest), line, Segment(" ", rest)]
        first = [Segment(label, palette.head("skip"))]
        return self._assemble(first, cells, visible[0][1].start if visible else 0, width, rest)

    def _label(self, y: int) -> str:
        """What stands above the cases: how many are shown, and which columns are out of sight."""
        total, shown = len(self._rows), len(self._order)
        if y == 0:
            noun = "case" if total == 1 else "cases"
            return f"{total:,} {noun}" if shown == total else f"{shown:,} of {total:,}"
        if y == 1:
            room = self.size.width - self._case_width
            return hidden_words(self._columns, round(self.scroll_x), room, self.glyphs)
        return ""
