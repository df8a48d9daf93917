"""The picture of the grid of cases x judges, drawn line by line from rows and columns.

Its cost does not depend on the number of rows: only visible lines and columns are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip

from eval_tui.engine.grid import CellKey, Grid, Row
from eval_tui.results.parts import cell_at
from eval_tui.tui.host import app_of
from eval_tui.tui.layout import (
    Column,
    Head,
    Needs,
    Sort,
    case_width,
    longest_name,
    plan_columns,
)
from eval_tui.tui.marks import UNICODE, Glyphs, mark
from eval_tui.tui.order import Ranks, ranks_of
from eval_tui.tui.placing import HEADER
from eval_tui.tui.text import fit
from eval_tui.tui.widgets.drawing import (
    case_segments,
    cell_segments,
    head_line,
    heights,
    hidden_words,
    pair_segments,
)
from eval_tui.tui.widgets.palette import Ground, Palette

if TYPE_CHECKING:
    from eval_tui.tui.beside import Beside
    from eval_tui.tui.widgets.reward_column import RewardColumn
    from eval_tui.tui.widgets.trial_column import TrialColumn
    from eval_tui.tui.widgets.verdict_column import VerdictColumn

TALL: Final = 24
"""From this height on, or where all cases are seen, a judge's name may take three lines."""
SIDES: Final = "then", "now"
"""What stands in front of the figures of two runs, which are the first lines below the names."""
TURN_SECONDS: Final = 0.15
"""Time between two positions of the turning mark."""


class GridPicture(ScrollView):
    """What is shown, where it stands on the screen, and its drawing."""

    def __init__(self, glyphs: Glyphs = UNICODE, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.marked: frozenset[CellKey] = frozenset()
        self.found: frozenset[str] | None = None
        """The cases that the filter lets through; None without one."""
        self.only: frozenset[str] | None = None
        """If set, only these cases are shown."""
        self.beside: Beside | None = None
        """What cells are compared with: the baseline or another run; None without any."""
        self.side_by_side = False
        """Each value stands behind the one that it is compared with."""
        self._sort: Sort | None = None
        self.ranks: Ranks | None = None
        self._order_due = False
        self.verdicts: VerdictColumn | None = None
        """None where nobody said what passing means."""
        self.trials: TrialColumn | None = None
        """None where the run in view repeats no other."""
        self.rewards: RewardColumn | None = None
        """None where the config has no `reward` block."""
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
        self._anchor_part = ""
        self._row = 0
        self._column = 0
        self._palette: Palette | None = None
        self._frame = 0
        self._turning: set[int] = set()

    @property
    def sort(self) -> Sort | None:
        """What the rows are sorted by. The order is made when it is set, and then stays."""
        return self._sort

    @sort.setter
    def sort(self, sort: Sort | None) -> None:
        self._sort = sort
        self.order_anew()

    def order_anew(self) -> None:
        """Sort by the values as they are at the next `rearrange`."""
        self._order_due = True

    @property
    def split(self) -> Beside | None:
        """The run whose values stand in front of those of the run in view; None unless they do."""
        return self.beside if self.side_by_side else None

    @property
    def in_order(self) -> bool:
        """Whether the rows stand as their values are now."""
        return self._grid is None or self.ranks == ranks_of(self._grid, self._sort)

    @property
    def shown(self) -> int:
        """The number of rows shown."""
        return len(self._order)

    @property
    def header_height(self) -> int:
        return sum(heights(self._columns))

    @property
    def of_cases(self) -> Sequence[VerdictColumn | TrialColumn | RewardColumn]:
        """The columns that are about whole cases: they stand with the cases' names."""
        columns = (self.verdicts, self.trials, self.rewards)
        return [column for column in columns if column is not None]

    @property
    def _names_end(self) -> int:
        """Where the column of names ends, and those about whole cases begin."""
        return self._case_width - sum(column.width for column in self.of_cases)

    # Laying out

    def _place_columns(self) -> None:
        self._planned = width = self.size.width
        of_cases = sum(column.width for column in self.of_cases)
        self._case_width = case_width(self._rows, width) + of_cases
        if self._grid is not None:
            room = width - self._case_width
            tall = self.size.height >= min(TALL, len(self._rows) + HEADER)
            self._columns = plan_columns(
                self._grid, self._heads, room, self.glyphs, 3 if tall else 2, self._needs
            )
            spare = room - (self._columns[-1].end if self._columns else 0)
            wanted = longest_name(self._rows) + of_cases
            self._case_width += max(0, min(spare, wanted - self._case_width))

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

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._palette = None

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
        first = case_segments(row, self._names_end, here, ground, palette, self.glyphs)
        for column in self.of_cases:
            first += column.segments(self._grid, row, ground, palette)
        rest = palette.plain("skip", ground)
        room = width - self._case_width
        visible = self._visible_columns(room)
        split = self.split
        if row.status == "not_run" and (split is None or row.case not in split.cases):
            selected = Ground(True, here, self.has_focus) if here else ground
            cells = [Segment(" not run ", palette.plain("skip", selected))]
            return self._assemble(first, cells, round(self.scroll_x), width, rest)
        cells: list[Segment] = []
        for index, column in visible:
            at = Ground(here, here and index == self._column, self.has_focus)
            judge = column.judge
            marked = CellKey(row.case, judge.name) in self.marked
            if split is not None:
                cell = self._grid.cell(row.case, judge.name)
                pair = split.pair(row, judge, column.part, cell, self.glyphs, self._frame)
                shown = pair.now
                cells += pair_segments(pair, column, marked, at, palette, self.glyphs)
            else:
                cell = cell_at(self._grid, row.case, judge.name, column.part)
                shown = mark(cell, judge, self.glyphs, self._frame)
                if self.beside is not None and not column.part:
                    shown = self.beside.signed(shown, row.case, judge.name, cell, self.glyphs)
                cells += cell_segments(shown, column, marked, at, palette, self.glyphs)
            if shown.turning:
                self._turning.add(place)
        return self._assemble(first, cells, visible[0][1].start if visible else 0, width, rest)

    def _head_line(self, y: int, width: int, palette: Palette) -> Strip:
        rest = palette.head("foreground")
        visible, tall = self._visible_columns(width - self._case_width), heights(self._columns)
        label = fit(f" {self._label(y)}", self._case_width, ellipsis=self.glyphs.ellipsis)
        if self.of_cases and not label.strip():
            label = self._labels(y - (2 if self._label(1) else 1))
        if self.split is not None and 0 <= y - tall.name < len(SIDES):
            label = self._with_side(SIDES[y - tall.name], label)
        cells: list[Segment] = []
        for index, column in visible:
            here = index == self._column
            line = head_line(y, column, tall, here, self.sort, palette, self.glyphs)
            cells += [Segment(" ", rest), line, Segment(" ", rest)]
        first = [Segment(label, palette.head("skip"))]
        return self._assemble(first, cells, visible[0][1].start if visible else 0, width, rest)

    def _with_side(self, side: str, label: str) -> str:
        """What stands above the cases, with the word for the figures in the same line."""
        if label[: len(side) + 1].isspace():
            return f" {side}{label[len(side) + 1 :]}"
        return fit(f" {side}{label}", self._case_width, ellipsis=self.glyphs.ellipsis)

    def _labels(self, line: int) -> str:
        """What stands above the columns about whole cases, each right above its own."""
        labels, room = "", self._names_end
        for column in self.of_cases:
            room += column.width
            labels += fit(column.label(line).rjust(room - 1) + " ", room)
            room = 0
        return labels

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
