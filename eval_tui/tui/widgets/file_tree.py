"""The files of a case as a tree: one line for each, with what is special about it and its size."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment

from eval_tui.engine.grid import FileEntry
from eval_tui.results.words import count
from eval_tui.tui.files.kinds import KIND_WORDS, kind_of, size_words
from eval_tui.tui.files.tree import MODIFIED, FileRow, tree_rows
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.text import fit
from eval_tui.tui.widgets.row_list import RowList
from eval_tui.tui.widgets.squeeze import squeeze


class FileTree(RowList):
    """Files below their folders, which fold. The cursor stays on what it is on."""

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id, glyphs=glyphs)
        self.files: Sequence[FileEntry] = ()
        self._rows: list[FileRow] = []
        self._folded: set[str] = set()

    def show(self, files: Sequence[FileEntry]) -> None:
        """Show these files; the cursor begins at the first file."""
        self.files = files
        before = self.row.path if self.row else ""
        self._make()
        first = next((at for at, row in enumerate(self._rows) if row.file), 0)
        self._put_cursor(before, first)

    def _make(self) -> None:
        self._rows = tree_rows(self.files, self._folded)

    def _put_cursor(self, path: str, otherwise: int) -> None:
        paths = [row.path for row in self._rows]
        self.cursor = paths.index(path) if path in paths else otherwise
        self.rows_changed()
        self.show_cursor()

    @property
    def row(self) -> FileRow | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    @property
    def file(self) -> FileEntry | None:
        """The file under the cursor; None on a folder."""
        return self.row.file if self.row else None

    def toggle(self) -> None:
        """Fold or unfold the folder under the cursor, or the one that its file is in."""
        row = self.row
        if row is None:
            return
        folder = row
        if row.file is not None:
            around = [at for at in range(self.cursor) if self._rows[at].depth < row.depth]
            if not around:
                return
            folder = self._rows[around[-1]]
        self._folded ^= {folder.path}
        self._make()
        self._put_cursor(folder.path, 0)
        self.post_message(self.Highlighted(self, self.cursor))

    def go_to(self, name: str) -> bool:
        """Put the cursor on a file, unfolding what it is in. Whether there is one of that name."""
        if not any(file.name == name for file in self.files):
            return False
        self._folded = {folder for folder in self._folded if not name.startswith(folder)}
        before = self.row
        self._make()
        self._put_cursor(before.path if before else "", 0)
        self.move_to(next(at for at, row in enumerate(self._rows) if row.path == name))
        return True

    @property
    def copy_text(self) -> str:
        if self.file is not None:
            return self.file.path
        return self.row.path if self.row else ""

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row_segments(self, row: int) -> list[Segment]:
        shown, base = self._rows[row], self.rich_style
        indent = "  " * shown.depth
        if shown.file is None:
            mark = self.glyphs.folded if shown.path in self._folded else self.glyphs.unfolded
            head, words = f"{indent}{mark} ", count(shown.count, "file")
        else:
            head, words = f"{indent}  ", _file_words(shown.file)
        is_modified = shown.path.startswith(MODIFIED + "/")
        right = " " + words
        room = self.row_width - cell_len(right)
        if room < cell_len(head) + 8:
            right, room = "", self.row_width
        label = squeeze(shown.label, max(room - cell_len(head), 1), True, self.glyphs.ellipsis)
        tone = self.style_of("changed" if is_modified and shown.file else "dim")
        style = base + self.style_of("label") if shown.file is None else base
        return [Segment(fit(head + label, room), style), Segment(right, base + tone)]


def _file_words(file: FileEntry) -> str:
    words = [size_words(file.size)]
    kind = kind_of(file.name, file.binary)
    if kind in ("binary", "image", "table"):
        words.insert(0, KIND_WORDS[kind])
    if file.name.startswith(MODIFIED + "/"):
        words.insert(0, "modified")
    return " ".join(words)
