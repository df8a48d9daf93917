"""A document of values as a tree that is unfolded, searched and copied from."""

from __future__ import annotations

import json
from bisect import bisect_left

from rich.segment import Segment

from eval_tui.tui.document import search_pattern
from eval_tui.tui.files.data import DataRow, DataTree, Path, holds, words_of
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.widgets.reading import pieces
from eval_tui.tui.widgets.row_list import RowList
from eval_tui.tui.widgets.squeeze import squeeze


class DataView(RowList):
    """One line for each value in view. `o` and Enter unfold."""

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id, glyphs=glyphs)
        self._tree = DataTree(None)
        self._rows: list[DataRow] = []
        self._needle = ""
        self._found: list[Path] = []
        self._match = -1

    def show(self, tree: DataTree, keep_place: bool = False) -> None:
        """Show a document; with `keep_place` what is unfolded and the cursor stay."""
        if keep_place and self._rows:
            tree.opened = set(self._tree.opened)
        self._tree = tree
        if not keep_place:
            self.cursor = 0
            self._needle, self._found, self._match = "", [], -1
        self._remake()

    def _remake(self) -> None:
        self._rows = self._tree.rows()
        self.rows_changed()
        self.show_cursor()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def toggle(self) -> None:
        """Unfold the value under the cursor, or fold it or else the one that it is in."""
        path = self._rows[self.cursor].path if self._rows else ()
        if path and not holds(self._rows[self.cursor].value):
            path = path[:-1]
        if path:
            self._tree.toggle(path)
            self._go_to(path)

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.toggle()

    def _go_to(self, path: Path) -> None:
        self._remake()
        # The rows are sorted by their paths: a value stands before what is in it.
        self.move_to(bisect_left(self._rows, path, key=lambda row: row.path))

    @property
    def copy_text(self) -> str:
        """The value under the cursor: a text as it is, all else as JSON."""
        if not self._rows:
            return ""
        value = self._rows[self.cursor].value
        if isinstance(value, str):
            return value
        try:
            return json.dumps(value, indent=2, ensure_ascii=False, default=str)
        except (ValueError, TypeError, RecursionError):
            return words_of(value)

    # Searching -------------------------------------------------------------------------------

    @property
    def live_search(self) -> bool:
        return False

    def search(self, needle: str) -> int:
        self._needle, self._match = needle, -1
        self._found = self._tree.find(needle) if needle else []
        if self._found:
            here = self._rows[self.cursor].path if self._rows else ()
            self._go_to_match(bisect_left(self._found, here) % len(self._found))
        self.refresh()
        return len(self._found)

    def step_match(self, by: int) -> None:
        if self._found:
            self._go_to_match((self._match + by) % len(self._found))

    @property
    def match_place(self) -> tuple[int, int]:
        return self._match + 1, len(self._found)

    def _go_to_match(self, index: int) -> None:
        self._match = index
        self._tree.reveal(self._found[index])
        self._go_to(self._found[index])

    # Drawing ---------------------------------------------------------------------------------

    def row_segments(self, row: int) -> list[Segment]:
        path, label, value, more = self._rows[row]
        base, ellipsis = self.rich_style, self.glyphs.ellipsis
        indent = "  " * max(len(path) - 1, 0)
        if more:
            words = f"{indent}  {ellipsis} +{more:,} more; v shows the text"
            return [Segment(words, base + self.style_of("dim"))]
        mark = " "
        if holds(value):
            mark = self.glyphs.unfolded if path in self._tree.opened else self.glyphs.folded
        head = f"{indent}{mark} "
        key = squeeze(label, max(self.row_width // 2, 8), ellipsis=ellipsis)
        room = self.row_width - len(head) - len(key) - 2
        shown = squeeze(words_of(value), max(room, 8), ellipsis=ellipsis)
        parts = [(head, base), (key, base + self.style_of("label")), (": " if key else "", base)]
        parts.append((shown, base + self.style_of(_tone(value))))
        segments: list[Segment] = []
        for text, style in parts:
            marks = []
            if self._needle and text in (key, shown):
                hits = search_pattern(self._needle).finditer(text)
                marks = [(hit.start(), hit.end(), self.style_of("match")) for hit in hits]
            segments += pieces(text, style, marks)
        return segments


def _tone(value: object) -> str:
    match value:
        case dict() | list() | tuple() | set() | None:
            return "dim"
        case str():
            return "code-string"
        case _:
            return "code-number"
