"""The pieces that the lines of the grid are put together from: pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment

from eval_tui.engine.grid import Row
from eval_tui.tui.extent import Then
from eval_tui.tui.layout import Column, Sort
from eval_tui.tui.marks import Glyphs, Mark
from eval_tui.tui.text import cut, fit, one_line
from eval_tui.tui.widgets.palette import Ground, Palette
from eval_tui.tui.words import plural

if TYPE_CHECKING:
    from eval_tui.tui.beside import Pair


class Heights(NamedTuple):
    """How many lines of the header are for what."""

    name: int
    summary: int
    gate: int


def heights(columns: Sequence[Column]) -> Heights:
    """The header's lines: as many as the tallest column needs."""
    return Heights(
        max((len(column.name) for column in columns), default=1),
        max((len(column.summary) for column in columns), default=0),
        int(any(column.head.gate for column in columns)),
    )


def head_line(
    y: int,
    column: Column,
    tall: Heights,
    here: bool,
    sort: Sort | None,
    palette: Palette,
    glyphs: Glyphs,
) -> Segment:
    """Line `y` of one column's header, without the cells around it."""
    head, room = column.head, column.width - 2
    if y < tall.name:
        text = _name_line(y, column, tall, sort, glyphs)
        whole = "skip" if column.part else "foreground"
        style = palette.head("primary" if here else whole, bold=not column.part or here)
    elif y < tall.name + tall.summary:
        at = y - tall.name
        text = column.summary[at] if at < len(column.summary) else ""
        style = palette.head("foreground")
    else:
        text, style = head.gate, palette.gate(head.gate_state)
    return Segment(fit(text, room, ellipsis=glyphs.ellipsis), style)


def _name_line(y: int, column: Column, tall: Heights, sort: Sort | None, glyphs: Glyphs) -> str:
    """A line of a judge's name; the last one bears the mark of the sort."""
    line = column.name[y] if y < len(column.name) else ""
    if y != tall.name - 1 or sort is None or (sort.judge, sort.part) != column.what:
        return line
    sign = glyphs.descending if sort.way == "worst" else glyphs.ascending
    return f"{cut(line, column.width - 4, glyphs.ellipsis)} {sign}".lstrip()


def case_segments(
    row: Row, width: int, here: bool, ground: Ground, palette: Palette, glyphs: Glyphs
) -> list[Segment]:
    """The first column of a row: the mark of the cursor, the name, the mark of a note."""
    colour = "skip" if row.status == "not_run" else "foreground"
    note = " !" if row.notes else ""
    name = fit(one_line(row.case), width - 2 - len(note), ellipsis=glyphs.ellipsis)
    return [
        Segment(glyphs.row if here else " ", palette.plain("primary", ground)),
        Segment(name, palette.plain(colour, ground, bold=here)),
        Segment(note + " ", palette.plain("unmeasured", ground)),
    ]


def cell_segments(
    shown: Mark, column: Column, marked: bool, ground: Ground, palette: Palette, glyphs: Glyphs
) -> list[Segment]:
    """One cell: whether it is marked, its value aligned with the others, what follows it."""
    lead = Segment(glyphs.marked if marked else " ", palette.plain("primary", ground, bold=True))
    value = cut(shown.field, column.width - 2, glyphs.ellipsis)
    return [lead, *_value(shown, value, column.field, column.width - 1, ground, palette, glyphs)]


def pair_segments(
    pair: Pair, column: Column, marked: bool, ground: Ground, palette: Palette, glyphs: Glyphs
) -> list[Segment]:
    """One cell of two runs: its value then, an arrow if that became another one, its value now."""
    lead = Segment(glyphs.marked if marked else " ", palette.plain("primary", ground, bold=True))
    gap = glyphs.arrow if pair.changed else " " * cell_len(glyphs.arrow)
    room, field = column.then or Then(0, 0)
    rest = column.width - 1 - room - len(gap)
    then, now = (
        cut(one.field, width, glyphs.ellipsis)
        for one, width in ((pair.then, room), (pair.now, rest - 1))
    )
    return [
        lead,
        *_value(pair.then, then, field, room, ground, palette, glyphs),
        Segment(gap, palette.plain("foreground", ground)),
        *_value(pair.now, now, column.field, rest, ground, palette, glyphs),
    ]


def _value(
    shown: Mark,
    value: str,
    field: int,
    room: int,
    ground: Ground,
    palette: Palette,
    glyphs: Glyphs,
) -> list[Segment]:
    """A value in `room` cells, right-aligned in the `field` if it was measured; what follows it."""
    if shown.measured:
        value = value.rjust(field)
    tail = fit(shown.suffix, room - len(value), ellipsis=glyphs.ellipsis)
    colour = "stale" if shown.dim else "skip" if shown.quiet else "foreground"
    return [
        Segment(value, palette.mark(shown, ground)),
        Segment(tail, palette.plain(colour, ground)),
    ]


def hidden_words(columns: Sequence[Column], left: int, room: int, glyphs: Glyphs) -> str:
    """How many judges are out of sight, and on which side; empty when all are seen."""
    judges = [column for column in columns if not column.part]
    before = sum(column.start < left for column in judges)
    after = sum(column.end > left + room for column in judges)
    if before and after:
        return f"{glyphs.back} +{before} +{after} {glyphs.arrow}"
    if after:
        return f"+{plural(after, 'judge')} {glyphs.arrow}"
    return f"{glyphs.back} +{plural(before, 'judge')}" if before else ""
