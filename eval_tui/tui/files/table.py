"""CSV as a table: columns of one width each, rows put together as they are looked at."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import islice
from typing import Final, overload

from rich.cells import cell_len

from eval_tui.tui.document import Document, Span
from eval_tui.tui.files.kinds import suffix_of
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.text import fit, one_line

LARGEST: Final = 5_000_000
"""Characters up to which a file is read as a table."""

WIDEST: Final = 40
"""Cells of a column; the text as it is shows what is cut."""

MOST_COLUMNS: Final = 200
"""Columns that are shown."""

_LOOKED_AT: Final = 500
"""Rows that decide how wide a column is."""


class NoTable(ValueError):
    """A text that is no table, with the reason in words."""


class Rows(Sequence[str]):
    """The lines of a table; the first is its head, the second a rule."""

    def __init__(self, rows: Sequence[Sequence[str]], glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._rows = rows
        columns = min(max(map(len, rows), default=0), MOST_COLUMNS)
        widths, numbers = [1] * columns, [True] * columns
        for at, row in enumerate(islice(rows, _LOOKED_AT)):
            for column, cell in enumerate(row[:columns]):
                shown = one_line(cell[: WIDEST * 4])
                widths[column] = max(widths[column], min(cell_len(shown), WIDEST))
                numbers[column] &= not at or not cell.strip() or _is_number(cell)
        self._widths = widths
        self._aligns = ["right" if number else "left" for number in numbers]

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if index == 1:
            return "  ".join(self._glyphs.rule * width for width in self._widths)
        row = self._rows[index - (index > 1)]
        cells = [*row[: len(self._widths)], *[""] * (len(self._widths) - len(row))]
        shown = zip(cells, self._widths, self._aligns, strict=True)
        ellipsis = self._glyphs.ellipsis
        return "  ".join(
            fit(one_line(cell), width, align, ellipsis) for cell, width, align in shown
        )

    def __len__(self) -> int:
        return len(self._rows) + 1 if self._rows else 0


def read_table(name: str, text: str, glyphs: Glyphs) -> Document:
    """The table in a text. Raises NoTable."""
    if len(text) > LARGEST:
        raise NoTable(f"too large for a table (up to {LARGEST:,} characters)")
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text), delimiter=_delimiter(name, text)) if row
        ]
    except csv.Error as error:
        raise NoTable(str(error)) from None
    if not rows:
        raise NoTable("it holds no rows")
    lines = Rows(rows, glyphs)
    width = len(lines[1])
    spans = {0: (Span(0, len(lines[0]), "label"),), 1: (Span(0, width, "dim"),)}
    return Document(lines, spans, text)


def _delimiter(name: str, text: str) -> str:
    """What stands between cells: the head uses nothing else as often."""
    if suffix_of(name) == "tsv":
        return "\t"
    head = text.partition("\n")[0]
    return max(",;\t|", key=head.count)


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().removesuffix("%"))
    except ValueError:
        return False
    return True
