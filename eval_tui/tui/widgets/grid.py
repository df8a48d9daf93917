"""The grid of cases x judges, drawn line by line from rows and columns.

Its cost does not depend on the number of rows: only visible lines and columns are drawn. The
selection is a (case, judge) pair, never a position, so it stays on its cell, and that cell on its
line of the screen, when rows arrive, sort or are filtered around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message

from eval_tui.engine.grid import CellKey, Grid
from eval_tui.engine.select import failed
from eval_tui.tui.keys import moves
from eval_tui.tui.layout import Head, Needs, column_needs
from eval_tui.tui.order import arrange, following, ranks_of, rectangle
from eval_tui.tui.widgets.grid_picture import GridPicture


class CaseGrid(GridPicture, can_focus=True):
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

    # What is shown

    def show(self, grid: Grid, heads: Iterable[Head]) -> None:
        """Lay out anew, as rows, columns or cells are others. The selection stays."""
        self._grid, self._heads = grid, tuple(heads)
        self._needs = self._needs_of(grid)
        self.rearrange()

    def rearrange(self) -> None:
        """Apply a changed `found`, `only` or `sort`. The selection stays."""
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
        known = [(column.head.name, column.part) for column in self._columns]
        if fresh == self._heads or self._grid is None:
            return
        if known != [(head.name, head.part) for head in fresh]:
            return
        self._heads = fresh
        self._needs = self._needs_of(self._grid)
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

    def _needs_of(self, grid: Grid) -> tuple[Needs, ...]:
        return column_needs(grid, self._heads, self.glyphs, self._signs, self.split)

    @property
    def _signs(self) -> int:
        """Cells that a comparison takes behind the values of a column."""
        return 1 if self.beside is not None else 0

    # The selection

    @property
    def cursor(self) -> CellKey | None:
        """The cell under the cursor; None while there is none."""
        if not self._columns or not self._order:
            return None
        return CellKey(self._case_at(self._row), self._columns[self._column].judge.name)

    @property
    def part(self) -> str:
        """The part of the judge that the cursor is on; empty on the judge itself."""
        return self._columns[self._column].part if self._columns else ""

    def leave_part(self) -> None:
        """The parts of the judge under the cursor are about to be folded: go to the judge itself."""
        self._anchor_part = ""

    def select(self, key: CellKey) -> None:
        """Put the cursor on a cell, or as near as what is shown allows."""
        if self._anchor is not None and key.judge != self._anchor.judge:
            self._anchor_part = ""
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
            name, part = self._columns[column].what
            if not part and failed(grid.cell(self._case_at(row), name)):
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
        self._anchor, self._anchor_part = self.cursor, self.part
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
        self._rows = grid.rows
        if self._order_due:
            self.ranks, self._order_due = ranks_of(grid, self.sort), False
        self._order = arrange(grid, self.found, self.only, self.ranks)
        rows = self._rows
        self._places = {rows[index].case: place for place, index in enumerate(self._order)}

    def _plan(self) -> None:
        self._place_columns()
        self._column = max(0, min(self._column, len(self._columns) - 1))
        columns_width = self._columns[-1].end if self._columns else 0
        self.virtual_size = Size(
            self._case_width + columns_width, len(self._order) + self.header_height
        )

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
        shown = [column.what for column in self._columns]
        for what in ((key.judge, self._anchor_part), (key.judge, "")):
            if what in shown:
                self._column = shown.index(what)
                break
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

    # Events

    def on_resize(self) -> None:
        line = self._row - round(self.scroll_y)
        self._plan()
        if self._anchor is not None:
            self.scroll_to(y=self._row - line, animate=False, immediate=True)
            self._scroll_into_view()
        self.refresh()

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
