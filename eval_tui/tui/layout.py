"""Where the columns of the grid stand, and how wide they are: pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from rich.cells import cell_len

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Grid, Row
from eval_tui.results.gates import GateState
from eval_tui.results.parts import cell_at
from eval_tui.scores import Measured
from eval_tui.tui.extent import Extent, Then
from eval_tui.tui.marks import UNICODE, Glyphs, mark
from eval_tui.tui.text import cut, one_line

if TYPE_CHECKING:
    from eval_tui.tui.beside import Beside

CASE_MIN: Final = 14
CASE_MAX: Final = 40
"""Bounds of the first column's width in cells."""
CASE_SHARE: Final = 0.3
"""The part of the width that the first column may take at most."""
NAME_MAX: Final = 28
"""A judge's name is cut beyond this width even where there is room."""
COLUMN_MIN: Final = 8
FIGURE: Final = 9
"""Width of a line like `83% 10/12` or `91.7 mean`, which is not broken."""
WORD_MAX: Final = 10
"""A word of a judge's name is broken only beyond this width."""
LOOKED_AT: Final = 500
"""Rows whose marks decide about the width of a column; wider ones further down are cut."""

SortWay = Literal["worst", "best"]


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above one column, cleaned: its name, aggregate and gate."""

    name: str
    summary: tuple[str, ...] = ()
    """Lines: the aggregate with its denominator, how much is measured, what else there is."""
    brief: tuple[str, ...] = ()
    """The same in fewer words, for where those do not fit."""
    steady: int = 0
    """Width that the aggregate may come to take, so that no other one moves the columns."""
    gate: str = ""
    gate_state: GateState | None = None
    part: str = ""
    """The part of the judge that the column is about, as the scores name it; empty for all of it."""
    sign: str = ""
    """Stands before the name: whether there are parts, and whether they are shown."""
    firm: bool = False
    """The lines of the summary are not broken: each stands beside its label."""

    @property
    def lead(self) -> str:
        """What stands in front of the name's first line."""
        return f"{self.sign} " if self.sign else ""


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
    """The judge's name in as many lines as it needs and may take."""
    summary: tuple[str, ...] = ()
    """The head's summary, in more lines where room is scarce."""
    then: Then | None = None
    """Where the value of the other run stands, side by side with that of the run in view."""

    @property
    def end(self) -> int:
        return self.start + self.width

    @property
    def part(self) -> str:
        return self.head.part

    @property
    def what(self) -> tuple[str, str]:
        """The judge's name and the part."""
        return self.judge.name, self.head.part


@dataclass(frozen=True, slots=True)
class Sort:
    """Rows are sorted by the cells of one judge."""

    judge: str
    way: SortWay
    part: str = ""


def longest_name(rows: Sequence[Row]) -> int:
    """The width at which the first column shows every name whole."""
    longest = max((len(row.case) for row in rows), default=0)
    if longest < CASE_MAX and not all(row.case.isascii() for row in rows):
        longest = max(cell_len(one_line(row.case)) for row in rows)
    notes = 2 if any(row.notes for row in rows) else 0
    return longest + 2 + notes


def case_width(rows: Sequence[Row], total: int) -> int:
    """Width of the first column: as wide as the names need, within bounds."""
    most = max(CASE_MIN, min(CASE_MAX, int(total * CASE_SHARE)))
    return min(most, max(CASE_MIN, longest_name(rows)))


def plan_columns(
    grid: Grid,
    heads: Sequence[Head],
    room: int,
    glyphs: Glyphs = UNICODE,
    name_rows: int = 2,
    needs: Sequence[Needs] | None = None,
) -> tuple[Column, ...]:
    """The columns side by side, as wide as they like if `room` cells suffice, else narrower.

    Aggregates are said in fewer words first, then they and names are broken into lines, names into
    `name_rows` at most; gates and marks keep their room. What still does not fit is reached by
    scrolling. `needs` spares looking at every cell again where only the room is another.
    """
    needs = needs or column_needs(grid, heads, glyphs)
    room -= 2 * len(heads)
    told = [head.summary for head in heads]
    least = _least(needs, told)
    if sum(least) > room:
        told = [head.brief or head.summary for head in heads]
        least = _least(needs, told)
    wanted = [max(need.wanted, width) for need, width in zip(needs, least, strict=True)]
    if sum(least) > room:
        least = _least(
            needs,
            [
                _broken(head, lines, max(FIGURE, need.least))
                for need, head, lines in zip(needs, heads, told, strict=True)
            ],
        )
    columns: list[Column] = []
    start = 0
    for (judge, head), lines, width, need in zip(
        lanes(grid.columns, heads), told, _shared(least, wanted, room), needs, strict=True
    ):
        lead = cell_len(head.lead)
        first, *others = name_lines(head.name, width - lead, glyphs.ellipsis, name_rows)
        name = (head.lead + first, *(" " * lead + line for line in others))
        summary = _broken(head, lines, width)
        columns.append(Column(judge, head, start, width + 2, need.field, name, summary, need.then))
        start += width + 2
    return tuple(columns)


def lanes(judges: Sequence[Judge], heads: Sequence[Head]) -> Iterator[tuple[Judge, Head]]:
    """Each head with its judge: one for the judge itself, then those of its parts if it is unfolded."""
    at = -1
    for head in heads:
        at += not head.part
        yield judges[at], head


class Needs(NamedTuple):
    """Content widths of a column, but for its aggregate."""

    least: int
    wanted: int
    field: int
    then: Then | None = None
    """Of the values of another run in front of them."""


def column_needs(
    grid: Grid,
    heads: Sequence[Head],
    glyphs: Glyphs = UNICODE,
    signs: int = 0,
    split: Beside | None = None,
) -> tuple[Needs, ...]:
    """What each column needs for its cells, with so many signs behind their values, and its name.

    `split`: the run whose values stand in front of those of the grid.
    """
    return tuple(
        _needs(grid, judge, head, glyphs, signs, split)
        for judge, head in lanes(grid.columns, heads)
    )


def _needs(
    grid: Grid, judge: Judge, head: Head, glyphs: Glyphs, signs: int, split: Beside | None
) -> Needs:
    # A state mark goes into the gap: columns do not change their width when cells begin to run.
    then, now = Extent(), Extent(suffix=1)
    for row in grid.rows[:LOOKED_AT]:
        cell = cell_at(grid, row.case, judge.name, head.part)
        shown = mark(cell, judge, glyphs)
        if split is not None:
            pair = split.pair(row, judge, head.part, grid.cell(row.case, judge.name), glyphs)
            was = split.cell(row.case, judge.name, head.part).score
            then = then.with_(pair.then, isinstance(was, Measured))
            # The sign of a change is counted among the signs.
            shown = replace(pair.now, suffix=shown.suffix)
        now = now.with_(shown, isinstance(cell.score, Measured))
    marks = now.width + signs
    if split is not None:
        marks += then.width + cell_len(glyphs.arrow)
    lead = cell_len(head.lead)
    words = [lead + min(WORD_MAX, cell_len(word)) for word in _BREAK.split(head.name)]
    least = max(COLUMN_MIN, head.steady, marks, cell_len(head.gate), *words)
    wanted = max(least, min(NAME_MAX, lead + cell_len(head.name)))
    before = Then(then.width, then.field) if split is not None else None
    return Needs(least, wanted, now.field, before)


def _widest(lines: Iterable[str]) -> int:
    return max((cell_len(line) for line in lines), default=0)


def _least(needs: Sequence[Needs], told: Sequence[Sequence[str]]) -> list[int]:
    """The width that each column needs where these are the lines of its aggregate."""
    return [max(need.least, _widest(lines)) for need, lines in zip(needs, told, strict=True)]


def _broken(head: Head, lines: Sequence[str], width: int) -> tuple[str, ...]:
    """Lines of its summary, those wider than `width` broken between words."""
    if head.firm:
        return tuple(lines)
    return tuple(piece for line in lines for piece in _pieces(line, width))


def _pieces(line: str, width: int) -> Iterator[str]:
    first, *words = line.split(" ")
    for word in words:
        if cell_len(first) + 1 + cell_len(word) > width:
            yield first
            first = word
        else:
            first = f"{first} {word}"
    yield first


_BREAK: Final = re.compile(r"(?<=[_\-./ :])")
"""Where a long name may go on in the next line."""


def name_lines(name: str, width: int, ellipsis: str, most: int = 2) -> tuple[str, ...]:
    """A name in as few lines as it needs, `most` at most: broken between words, else anywhere."""
    lines: list[str] = []
    rest = name
    while len(lines) < most - 1 and cell_len(rest) > width:
        line = ""
        for word in _BREAK.split(rest):
            if cell_len(line + word) > width:
                break
            line += word
        if not line or cell_len(rest) - cell_len(line) > (most - len(lines)) * width:
            line = cut(rest, width, "")
        lines.append(line)
        rest = rest[len(line) :]
    return (*lines, cut(rest, width, ellipsis))


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
