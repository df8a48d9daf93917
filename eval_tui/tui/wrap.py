"""Lines laid out in rows of a given width, from the top, only as far as they are needed.

A row is never kept as text: a line index and a character offset are enough, so that a document
of any size costs a few bytes per row and nothing is lost: the rows of a line tile it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from eval_tui.tui.text import graphemes, shorten

UNWRAPPED_LIMIT: Final = 2_000
"""Characters of one line that an unwrapped view shows; the rest is counted, and wrapping shows it."""

ROW_COST: Final = 16
"""What a row costs besides its characters, in characters, when work is cut into slices."""

SLOW: Final = 4
"""How much more a character of a line that is not plain ASCII costs."""

_ONE_CELL: Final = "\\x20-\\x7e\\xa1-\\xac\\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2500-\u25fc"
_TWO_CELLS: Final = (
    "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\u3001-\u3029"
)
# Characters that stand alone, whatever follows of the same kind; most texts hold nothing else.
_SINGLE: Final = re.compile(f"[{_ONE_CELL}]*")
_DOUBLE: Final = re.compile(f"[{_TWO_CELLS}]")
_SINGLE_OR_DOUBLE: Final = re.compile(f"[{_ONE_CELL}{_TWO_CELLS}]*")


class Layout:
    """The rows of some lines at one width; `extend` adds rows until `done`."""

    def __init__(self, lines: Sequence[str], width: int, wrap: bool = True) -> None:
        self.lines = lines
        self.width = max(width, 1)
        """Cells of a row."""
        self.wrap = wrap
        self.widest = 0
        """Cells of the widest line so far; only counted when lines are not wrapped."""
        self._row_line = array("I")
        self._row_start = array("I")
        self._line = 0
        self._offset = 0

    def __len__(self) -> int:
        """Rows laid out so far."""
        return len(self._row_line)

    @property
    def done(self) -> bool:
        """Whether every line is laid out."""
        return self._line >= len(self.lines)

    def place(self, row: int) -> tuple[int, int]:
        """The line of a row and the offset of the row's first character in it."""
        return self._row_line[row], self._row_start[row]

    def row_of(self, line: int, offset: int = 0) -> int:
        """The row that holds a character, laying out as far as that; the last row beyond the end."""
        while not self.done and (self._line, self._offset) <= (line, offset):
            self.extend(4_096)
        first = bisect_left(self._row_line, line)
        last = bisect_right(self._row_line, line, first)
        row = bisect_right(self._row_start, offset, first, last) - 1
        return min(max(row, first, 0), max(len(self) - 1, 0))

    def span(self, row: int) -> tuple[int, int]:
        """First and last offset (exclusive) of a row in its line."""
        line, start = self.place(row)
        if row + 1 < len(self) and self._row_line[row + 1] == line:
            return start, self._row_start[row + 1]
        if line == self._line:
            return start, self._offset
        return start, len(self.lines[line])

    def text(self, row: int) -> str:
        """What a row shows. Unwrapped lines over the limit end with `… +N chars`."""
        line = self.lines[self._row_line[row]]
        if not self.wrap:
            return shorten(line, UNWRAPPED_LIMIT)
        start, end = self.span(row)
        return line[start:end]

    def extend(self, budget: int) -> None:
        """Lay out further lines, stopping after about `budget` characters."""
        while budget > 0 and not self.done:
            budget -= self._wrap_some(budget) if self.wrap else self._take_line()

    def extend_rows(self, rows: int) -> None:
        """Lay out until there are that many rows, or none are left."""
        while len(self) < rows and not self.done:
            self.extend(4_096)

    def finish(self) -> Layout:
        """Lay out everything."""
        while not self.done:
            self.extend(1_000_000)
        return self

    def _take_line(self) -> int:
        shown = shorten(self.lines[self._line], UNWRAPPED_LIMIT)
        self.widest = max(self.widest, cell_len(shown))
        self._row_line.append(self._line)
        self._row_start.append(0)
        self._line += 1
        return len(shown) + ROW_COST

    def _wrap_some(self, budget: int) -> int:
        """Rows of the line at hand, at most `budget` characters of it. Returns the cost."""
        line, width, offset, cost = self.lines[self._line], self.width, self._offset, 0
        size = len(line)
        add_line, add_start = self._row_line.append, self._row_start.append
        while True:
            add_line(self._line)
            add_start(offset)
            end = size if size - offset <= width // 2 else row_end(line, offset, width)
            cost += (end - offset) * (1 if line.isascii() else SLOW) + ROW_COST
            offset = end
            if offset >= size:
                self._line += 1
                self._offset = 0
                return cost
            if cost >= budget:
                self._offset = offset
                return cost


def row_end(line: str, start: int, width: int) -> int:
    """Where a row of at most `width` cells that starts at `start` ends (exclusive).

    Rows end after a space where there is one, never within a grapheme, and hold one character
    at the least. The space that ends a row may stand beyond the width: it is not seen.
    """
    limit = _fitting(line, start, width)
    if limit >= len(line):
        return len(line)
    if line[limit] == " ":
        return limit + 1
    space = line.rfind(" ", start, limit)
    if space > start and not line[start:space].isspace():
        return space + 1
    return limit


def _fitting(line: str, start: int, width: int) -> int:
    """The end of the longest piece from `start` that fits into `width` cells."""
    end = start + width
    if line[start : end + 1].isascii():
        return min(end, len(line))
    if _SINGLE.fullmatch(line, start, end + 1):
        return min(end, len(line))
    if _SINGLE_OR_DOUBLE.fullmatch(line, start, end + 1):
        room = width
        for at in range(start, min(end, len(line))):
            room -= 1 if line[at] < "\u1100" or not _DOUBLE.match(line, at) else 2
            if room < 0:
                return max(at, start + 1)
        return min(end, len(line))
    # A cluster of endless combining marks is cut rather than measured whole.
    room, end = width, 0
    for _, stop, cells in graphemes(line[start : start + 2 * width + 64]):
        room -= cells
        if room < 0:
            break
        end = stop
    return start + max(end, 1)
