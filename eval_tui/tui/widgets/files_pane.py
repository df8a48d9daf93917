"""The files of a case: a tree, and beside or below it what is in the one under the cursor."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.events import Resize
from textual.worker import Worker, WorkerCancelled

from eval_tui.engine.grid import Counterpart, FileEntry, FileText, Side
from eval_tui.engine.threads import in_thread
from eval_tui.results.words import count
from eval_tui.tui.files.colours import Colours
from eval_tui.tui.files.data import DataTree
from eval_tui.tui.files.kinds import KIND_WORDS, kind_of, size_words
from eval_tui.tui.files.prepare import SIDE_WORDS, Prepared, note, prepare, prepare_diff
from eval_tui.tui.files.tree import FileRow
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.text import content
from eval_tui.tui.widgets.bars import Bar
from eval_tui.tui.widgets.data_view import DataView
from eval_tui.tui.widgets.file_tree import FileTree
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.picture import Picture
from eval_tui.tui.widgets.row_list import RowList
from eval_tui.tui.widgets.squeeze import squeeze

Load = Callable[[str], Awaitable[FileText]]
"""Loads the text of one file by its `FileEntry.name`."""

FindOthers = Callable[[str], Awaitable[Sequence[Counterpart]]]
"""Finds what one file, by its `FileEntry.name`, can be compared with."""

_ERRORS: Final = (OSError, LookupError, ValueError, RuntimeError)


class FilesPane(Container):
    """The tree and the file. Files are loaded when the cursor comes to them, and only then."""

    DEFAULT_CSS = """
    FilesPane {
        layout: vertical;
        height: 1fr;
        & > FileTree {
            height: auto;
            max-height: 35%;
            min-height: 1;
            scrollbar-size-horizontal: 0;
            border-bottom: solid $panel;
        }
        & > #file-body { height: 1fr; }
        & LineView, & DataView, & Picture { height: 1fr; }
        & #file-text.-captions { height: 2; }
    }
    """

    def __init__(
        self,
        load: Load,
        others: FindOthers,
        *,
        id: str | None = None,
        glyphs: Glyphs = UNICODE,
    ) -> None:
        super().__init__(id=id)
        self._load, self._others, self._glyphs = load, others, glyphs
        self.list = FileTree(id="file-list", glyphs=glyphs)
        self.text = LineView(id="file-text")
        self.table = LineView(id="file-table", wrap=False)
        self.values = DataView(id="file-data", glyphs=glyphs)
        self._picture = Picture(self._no_picture, id="file-picture")
        self._head = Bar(id="file-head")
        self._shown: tuple[str, FileEntry] | None = None
        self._loading: Worker[None] | None = None
        self._raw = False
        self._against: Side | None = None
        """What files are compared with, until the person says otherwise."""
        self._beside = False

    def compose(self) -> ComposeResult:
        yield self.list
        with Vertical(id="file-body"):
            yield self._head
            yield self.text
            yield self.table
            yield self.values
            yield self._picture

    def on_mount(self) -> None:
        for hidden in (self.table, self.values, self._picture):
            hidden.display = False

    @property
    def file(self) -> FileEntry | None:
        """The file under the cursor."""
        return self.list.file

    @property
    def body(self) -> LineView | DataView:
        """What shows the file."""
        if self.values.display:
            return self.values
        return self.table if self.table.display else self.text

    @property
    def reader(self) -> FileTree | LineView | DataView:
        """What is being read: the file if it has the focus, else the tree."""
        return self.body if self.screen.focused is self.body else self.list

    def show(self, case: str, files: Sequence[FileEntry], reload: bool = False) -> None:
        """Show the files of a case; with `reload` the file in view is loaded again."""
        self.list.show(files)
        if not files:
            self._shown = None
            self.say("This case has no files.")
            return
        self._open(case, keep_place=reload, again=reload)

    def say(self, words: str) -> None:
        """A few words in the place of a file."""
        self._head.show(lambda _: Content(""))
        self._put(Prepared(note(words)), False)

    async def go_to(self, name: str, line: int) -> None:
        """Show a file; at a line of its text (from 1) unless that is 0."""
        if self._shown is None or not self.list.go_to(name):
            return
        if line:
            self._raw, self._against = True, None
        self._open(self._shown[0], again=bool(line))
        if line and self._loading is not None:
            with contextlib.suppress(WorkerCancelled):
                await self._loading.wait()
                self.text.go_to_line(line - 1)

    # Ways to look at a file ------------------------------------------------------------------

    def toggle_raw(self) -> bool:
        """Show files as their text or as what they are; whether it is the text now."""
        self._raw, self._against = not self._raw, None
        self._again()
        return self._raw

    def toggle_beside(self) -> bool:
        """Show what changed side by side or in one text; whether it is side by side now."""
        self._beside = not self._beside
        if self._against:
            self._again()
        return self._beside

    async def next_comparison(self) -> str:
        """Compare with the next of what there is, in the end with nothing. What to say of it."""
        file = self.file
        if file is None:
            return "A folder is not compared."
        found = await self._counterparts(file)
        if not found and not self._against:
            return (
                "There is nothing to compare this file with: no baseline or other run with this case, "
                "and no file of this name in the dataset."
            )
        sides: list[Side] = [one.side for one in found]
        at = sides.index(self._against) + 1 if self._against in sides else 0
        ended = self._against is not None and at == len(sides)
        self._against = None if ended or not sides else sides[at]
        self._again()
        return f"Compared with {SIDE_WORDS[self._against]}." if self._against else "Not compared."

    async def _counterparts(self, file: FileEntry) -> Sequence[Counterpart]:
        try:
            return await self._others(file.name)
        except _ERRORS:
            return ()

    def toggle_fold(self) -> None:
        """Fold or unfold what is under the cursor."""
        if isinstance(reader := self.reader, FileTree | DataView):
            reader.toggle()

    # Opening ---------------------------------------------------------------------------------

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if self._shown and event.view is self.list:
            self._open(self._shown[0])

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        if self.list.file is None:
            self.list.toggle()
        else:
            self.body.focus()

    def on_resize(self, event: Resize) -> None:
        if self._against and self._beside:
            self._again()

    def _again(self) -> None:
        if self._shown:
            self._open(self._shown[0], keep_place=False, again=True)

    def _open(self, case: str, keep_place: bool = False, again: bool = False) -> None:
        """Show the file under the cursor, once it is loaded."""
        file = self.list.file
        if file is None:
            if (row := self.list.row) is not None:
                self._shown = (case, FileEntry(row.path, 0, False, ""))
                self.say(_folder_words(row))
            return
        if not again and self._shown == (case, file):
            return
        same = (
            self._shown is not None and self._shown[0] == case and self._shown[1].name == file.name
        )
        self._shown = (case, file)
        if not same:
            self.say("Loading this file")
        self._loading = self.run_worker(
            self._fill(file, keep_place and same), group="file", exclusive=True
        )

    async def _fill(self, file: FileEntry, keep_place: bool) -> None:
        try:
            loaded = await self._load(file.name)
        except _ERRORS as error:
            shown = Prepared(note(f"{file.name} cannot be read: {error}"))
        else:
            shown = await self._prepare(file, loaded)
        if self.list.file == file:
            self._head.show(partial(self._head_line, file, shown.how))
            self._put(shown, keep_place)

    async def _prepare(self, file: FileEntry, loaded: FileText) -> Prepared:
        if self._against is None:
            return await in_thread(partial(prepare, file, loaded, self._raw, self._glyphs))
        found = {one.side: one for one in await self._counterparts(file)}
        if (other := found.get(self._against)) is not None:
            width = self.text.scrollable_content_region.width or self.size.width
            return await in_thread(
                partial(prepare_diff, loaded, other, width if self._beside else 0, self._glyphs)
            )
        shown = await in_thread(partial(prepare, file, loaded, self._raw, self._glyphs))
        words = f"not in {SIDE_WORDS[self._against]}"
        return Prepared(shown.content, words, shown.is_table, shown.picture)

    def _head_line(self, file: FileEntry, how: str, width: int) -> Content:
        words = [KIND_WORDS[kind_of(file.name, file.binary)], size_words(file.size)]
        if how:
            words.append(how)
        facts = f" {self._glyphs.dot} ".join(words)
        name = file.name.rpartition("/")[2]
        room = width - len(facts) - 3
        if room < 8:
            return content(squeeze(facts, width, ellipsis=self._glyphs.ellipsis))
        shown = squeeze(name, room, ellipsis=self._glyphs.ellipsis)
        return Content.assemble(Content.styled(shown, "bold"), "  ", content(facts, "$skip"))

    def _put(self, shown: Prepared, keep_place: bool) -> None:
        """Show it in the view that it is for; the focus goes with it."""
        before = self.body
        had_focus = self.is_mounted and self.screen.focused is before
        made = shown.content
        self.values.display = isinstance(made, DataTree)
        self.table.display = shown.is_table
        self.text.display = not (self.values.display or self.table.display)
        body = self.body
        self._picture.show(shown.picture)
        self.text.set_class(bool(shown.picture), "-captions")
        if isinstance(made, DataTree):
            self.values.show(made, keep_place)
        elif isinstance(body, LineView):
            if isinstance(made.spans, Colours):
                made.spans.behind = partial(self.call_later, self._catch_up, made.spans)
            body.show(made, keep_place)
        if had_focus and body is not before:
            body.focus()

    def _no_picture(self, why: str) -> None:
        """An image is told by its words alone."""
        self._picture.show("")
        self.text.remove_class("-captions")
        file = self.file
        if file is not None:
            self._head.show(partial(self._head_line, file, why))

    def _catch_up(self, colours: Colours) -> None:
        """Read on where colours are wanted that are not known yet, a slice at a time."""
        if self.text.document.spans is not colours:
            return
        if colours.advance():
            self.call_later(self._catch_up, colours)
        else:
            self.text.refresh()


def _folder_words(row: FileRow) -> str:
    return f"A folder with {count(row.count, 'file')}, {size_words(row.size)}."
