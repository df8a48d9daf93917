"""The base of the screens that are one list: runs, evals, problems."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from eval_tui.engine.grid import Dirty
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.editor import edit
from eval_tui.tui.host import app_of, say
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.text import content
from eval_tui.tui.widgets.bars import Bar, PickList
from eval_tui.tui.widgets.hanging import Hanging


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list."""

    key: str
    """What the entry is, among the others: the highlight stays with it when the list changes."""
    shown: Content
    copied: str
    """What copying it gives. Raw."""
    path: str = ""
    """The file that it is about, for the editor."""
    line: int = 0
    indent: int = 4
    """Cells before what does not fit into a line and stands below it; 0: the list's style says."""
    opens: bool = True
    """There is something to open."""
    heading: bool = False
    """It only says what follows: the highlight passes over it."""

    @property
    def visual(self) -> Content | Hanging:
        """How the list shows it."""
        return Hanging(self.shown, self.indent) if self.indent else self.shown


class ListScreen(LiveScreen):
    """A list that follows what changes. Subclasses say what is in it and what opening one does."""

    CSS_PATH = "lists.tcss"
    CONTEXT: ClassVar[Context] = "list"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]

    HEADLINE: ClassVar[str] = ""
    COUNTED: ClassVar[bool] = True
    """How many entries there are is said beside the headline."""
    NOTHING: ClassVar[str] = ""
    """What to say, and what to do, when the list is empty."""

    @abstractmethod
    def entries(self) -> Sequence[Entry]:
        """What is in the list now."""

    @abstractmethod
    def open_entry(self, entry: Entry) -> None:
        """Open an entry that opens."""

    def headline(self) -> str:
        """What the list is of."""
        return self.HEADLINE

    def nothing(self) -> str:
        """What to say in place of an empty list, as it is now."""
        return self.NOTHING

    def counted(self, entries: int) -> str:
        """How many entries there are, in words; empty where that says nothing."""
        return f"{entries:,}" if self.COUNTED else ""

    def initial(self) -> str:
        """The key of the entry to begin at, or empty."""
        return ""

    def compose(self) -> ComposeResult:
        yield Bar(id="list-title")
        yield PickList(id="list", markup=False, compact=True)
        yield Static(id="list-empty", markup=False)
        yield Bar(id="hints")

    def on_mount(self) -> None:
        self._entries: tuple[Entry, ...] = ()
        self._fill(self.initial())
        self.query_one(PickList).focus()

    def take(self, dirty: Dirty) -> None:
        self._fill("")

    def _fill(self, wanted: str) -> None:
        fresh = tuple(self.entries())
        listing = self.query_one(PickList)
        if fresh == self._entries and listing.option_count:
            return
        here = self._highlighted()
        wanted = wanted or (here.key if here else "")
        self._entries = fresh
        listing.set_options([Option(entry.visual, disabled=entry.heading) for entry in fresh])
        keys = [entry.key for entry in fresh]
        first = next((at for at, entry in enumerate(fresh) if entry.opens), 0)
        listing.highlighted = keys.index(wanted) if wanted in keys else (first if fresh else None)
        self.say_hints()
        self.set_class(not fresh, "-nothing")
        if not fresh:
            self.query_one("#list-empty", Static).update(self.nothing())
        self.query_one("#list-title", Bar).show(
            lambda _: Content.assemble(
                " ",
                content(self.headline(), "bold $primary"),
                Content.styled(f"  {self.counted(len(fresh))}", "$skip"),
            )
        )

    def _highlighted(self) -> Entry | None:
        at = self.query_one(PickList).highlighted
        return self._entries[at] if at is not None and at < len(self._entries) else None

    @property
    def idle(self) -> frozenset[str]:
        entry, found = self._highlighted(), set[str]()
        if entry is None or not entry.opens:
            found.add("list-open")
        if entry is None or not entry.path:
            found.add("list-edit")
        return frozenset(found)

    @on(OptionList.OptionHighlighted)
    def _hint_anew(self) -> None:
        self.say_hints()

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        entry = self._highlighted()
        if entry is not None and entry.opens:
            self.open_entry(entry)

    def action_back(self) -> None:
        self.dismiss()

    def action_copy(self) -> None:
        entry = self._highlighted()
        if entry is not None:
            app_of(self).copy_to_clipboard(entry.copied)
            say(self, "Copied.")

    def action_edit(self) -> None:
        entry = self._highlighted()
        if entry is None or not entry.path:
            say(self, "There is no file to edit here.")
            return
        edit(self, entry.path, entry.line)
