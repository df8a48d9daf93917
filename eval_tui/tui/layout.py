"""Where the columns of the grid stand, and how wide they are: pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Grid, Row
from eval_tui.results.gates import GateState
from eval_tui.scores import Measured
from eval_tui.tui.marks import UNICODE, Glyphs, mark
from eval_tui.tui.text import cut, one_line

CASE_MIN: Final = 12
CASE_MAX: Final = 40
"""Bounds of the first column's width in cells."""
CASE_SHARE: Final = 0.3
"""The part of the width that the first column may take at most."""
NAME_MAX: Final = 28
"""A judge's name is cut beyond this width even where there is room."""
COLUMN_MIN: Final = 8
LOOKED_AT: Final = 500
"""Rows whose marks decide about the width of a column; wider ones further down are cut."""

SortWay = Literal["worst", "best"]


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above one column, cleaned: its name, aggregate and gate."""

    name: str
    summary: tuple[str, ...] = ()
    """Lines: the aggregate with its denominator, how much is measured, what else there is."""
    gate: str = ""
    gate_state: GateState | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the grid. Every width is in cells."""

    judge: Judge
    head: Head
    start: int
    """Distance from the right edge of the first column, unscrolled."""
    width: int
    """One for the lead, the content, and one for the gap."""
    field: int
    """Width to whose right end the values of this column are aligned."""
    name: tuple[str, ...]
    """The judge's name in one line or two."""

    @property
    def end(self) -> int:
        return self.start + self.width


@dataclass(frozen=True, slots=True)
class Sort:
    """Rows are sorted by the cells of one judge."""

    judge: str
    way: SortWay


def case_width(rows: Sequence[Row], total: int) -> int:
    """Width of the first column: as wide as the names need, within bounds."""
    longest = max((len(row.case) for row in rows), default=0)
    if longest < CASE_MAX and not all(row.case.isascii() for row in rows):
        longest = max(cell_len(one_line(row.case)) for row in rows)
    most = max(CASE_MIN, min(CASE_MAX, int(total * CASE_SHARE)))
    return min(most, max(CASE_MIN, longest + 3))


def plan_columns(
    grid: Grid, heads: Sequence[Head], room: int, glyphs: Glyphs = UNICODE
) -> tuple[Column, ...]:
    """The columns side by side, as wide as they like if `room` cells suffice, else narrower.

    Names are broken into two lines and cut first; aggregates, gates and marks keep their room.
    What still does not fit is reached by scrolling.
    """
    judges = grid.columns
    needs = [_needs(grid, judge, head, glyphs) for judge, head in zip(judges, heads, strict=True)]
    least = [narrow for narrow, _, _ in needs]
    widths = _shared(least, [wide for _, wide, _ in needs], room - 2 * len(judges))
    columns: list[Column] = []
    start = 0
    for judge, head, width, (_, _, field) in zip(judges, heads, widths, needs, strict=True):
        name = name_lines(head.name, width, glyphs.ellipsis)
        columns.append(Column(judge, head, start, width + 2, field, name))
        start += width + 2
    return tuple(columns)


def _needs(grid: Grid, judge: Judge, head: Head, glyphs: Glyphs) -> tuple[int, int, int]:
    """The least and the wanted content width of a column, and the width of its field."""
    field, suffix, whole = 1, 0, 1
    for row in grid.rows[:LOOKED_AT]:
        cell = grid.cell(row.case, judge.name)
        shown = mark(cell, judge, glyphs)
        if isinstance(cell.score, Measured):
            field = max(field, cell_len(shown.field))
            suffix = max(suffix, cell_len(shown.suffix))
        else:
            whole = max(whole, cell_len(shown.field) + cell_len(shown.suffix))
    # Room for one state mark: columns do not change their width when cells begin to run.
    marks = max(field + max(suffix, 1) + 1, whole + 1)
    lines = max((cell_len(line) for line in (*head.summary, head.gate)), default=0)
    narrow = max(COLUMN_MIN, marks, lines)
    return narrow, max(narrow, min(NAME_MAX, cell_len(head.name))), field


_BREAK: Final = re.compile(r"(?<=[_\-./ :])")
"""Where a long name may go on in a second line."""


def name_lines(name: str, width: int, ellipsis: str) -> tuple[str, ...]:
    """A name in as few lines as it needs, two at most: broken between words, else anywhere."""
    if cell_len(name) <= width:
        return (name,)
    first = ""
    for word in _BREAK.split(name):
        if cell_len(first + word) > width:
            break
        first += word
    if not first or cell_len(name) - cell_len(first) > 2 * width:
        first = cut(name, width, "")
    return first, cut(name[len(first) :], width, ellipsis)


def _shared(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """Widths between least and wanted that use the room, given out evenly."""
    widths = list(least)
    spare = room - sum(widths)
    while spare > 0:
        hungry = [i for i, width in enumerate(widths) if width < wanted[i]]
        if not hungry:
            break
        for i in hungry[:spare]:
            widths[i] += 1
        spare -= min(spare, len(hungry))
    return widths
