"""The files of a case: a list, and beside or below it the text of the one under the cursor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Container

from eval_tui.engine.grid import FileEntry, FileText
from eval_tui.tui.document import Document, Writer, plain
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.text import fit
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.row_list import RowList
from eval_tui.tui.widgets.squeeze import squeeze

MODIFIED: Final = "_modified/"
"""The folder of a case that holds the files which the agent changed."""

Load = Callable[[str], Awaitable[FileText]]
"""Loads the text of one file by its `FileEntry.name`."""


class FileList(RowList):
    """One line for each file: its name, what is special about it, its size."""

    def __init__(self, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id, glyphs=glyphs)
        self.files: Sequence[FileEntry] = ()

    def show(self, files: Sequence[FileEntry]) -> None:
        """Show these files; the cursor stays on the file that it is on, if that is still there."""
        before = self.file.name if self.file else ""
        self.files = files
        names = [file.name for file in files]
        self.cursor = names.index(before) if before in names else 0
        self.rows_changed()
        self.show_cursor()

    @property
    def file(self) -> FileEntry | None:
        """The file under the cursor."""
        return self.files[self.cursor] if self.cursor < len(self.files) else None

    @property
    def copy_text(self) -> str:
        return self.file.path if self.file else ""

    @property
    def row_count(self) -> int:
        return len(self.files)

    def row_segments(self, row: int) -> list[Segment]:
        file, base, width = self.files[row], self.rich_style, self.row_width
        name, words = file.name, [size_words(file.size)]
        if file.binary:
            words.insert(0, "binary")
        if name.startswith(MODIFIED):
            name = name.removeprefix(MODIFIED)
            words.insert(0, "modified")
        right = " " + " ".join(words)
        room = width - cell_len(right)
        if room < 8:
            right, room = "", width
        tone = self.style_of("changed" if words[0] == "modified" else "dim")
        shown = fit(squeeze(name, room, True, self.glyphs.ellipsis), room)
        return [Segment(shown, base), Segment(right, base + tone)]


class FilesPane(Container):
    """The list and the text. Texts are loaded when the cursor comes to a file, and only then."""

    DEFAULT_CSS = """
    FilesPane {
        layout: vertical;
        height: 1fr;
        & > FileList { height: auto; max-height: 35%; min-height: 1; border-bottom: solid $panel; }
        & > LineView { height: 1fr; }
    }
    """

    def __init__(self, load: Load, *, id: str | None = None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__(id=id)
        self._load = load
        self.list = FileList(id="file-list", glyphs=glyphs)
        self.text = LineView(id="file-text")
        self._shown: tuple[str, FileEntry] | None = None

    def compose(self) -> ComposeResult:
        yield self.list
        yield self.text

    @property
    def file(self) -> FileEntry | None:
        """The file under the cursor."""
        return self.list.file

    def show(self, case: str, files: Sequence[FileEntry], reload: bool = False) -> None:
        """Show the files of a case; with `reload` the text in view is loaded again."""
        self.list.show(files)
        if not files:
            self._shown = None
            self.text.show(note("This case has no files."))
            return
        self._open(case, keep_place=reload, again=reload)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if self._shown:
            self._open(self._shown[0])

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.text.focus()

    def _open(self, case: str, keep_place: bool = False, again: bool = False) -> None:
        """Show the text of the file under the cursor, once it is loaded."""
        file = self.list.file
        if file is None or (not again and self._shown == (case, file)):
            return
        same = (
            self._shown is not None and self._shown[0] == case and self._shown[1].name == file.name
        )
        self._shown = (case, file)
        if not same:
            self.text.show(note("Loading this file"))
        self.run_worker(self._fill(file, keep_place and same), group="file", exclusive=True)

    async def _fill(self, file: FileEntry, keep_place: bool) -> None:
        try:
            loaded = await self._load(file.name)
        except (OSError, LookupError, ValueError, RuntimeError) as error:
            document = note(f"{file.name} cannot be read: {error}")
        else:
            document = file_document(file, loaded)
        if self.list.file == file:
            self.text.show(document, keep_place)


def note(words: str) -> Document:
    """A few words of our own in the place of a text."""
    return Writer().text(words, "dim").done()


def file_document(file: FileEntry, loaded: FileText) -> Document:
    """The text of a file, or what there is to say about one that has none."""
    if loaded.binary:
        return note(f"A binary file of {size_words(loaded.size)}.")
    if not loaded.text:
        return note("An empty file.")
    document = plain(loaded.text)
    if not loaded.truncated:
        return document
    missing = max(loaded.size - len(loaded.text.encode(errors="replace")), 1)
    more = f"… +{missing:,} bytes: only the beginning was read; e opens the whole file."
    return Document([*document.lines, more], raw=loaded.text)


def size_words(size: int) -> str:
    """A number of bytes for people."""
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1000:.1f} kB"
    return f"{size / 1_000_000:.1f} MB"
