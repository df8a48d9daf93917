"""The line in which a search is typed, and which says where the reader is among the matches."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from eval_tui.tui.widgets.bars import Query


class SearchBar(Horizontal):
    """Hidden until a search begins; stays in view while there is one."""

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        padding: 0 1;
        display: none;
        &.-open { display: block; }
        & > .search-sign { width: 2; }
        & > Query { width: 1fr; height: 1; border: none; padding: 0; background: $surface; }
        & > .search-place { width: auto; padding: 0 0 0 1; color: $skip; }
    }
    """

    @dataclass
    class Typed(Message):
        """The needle changed; `done` when Enter ended the typing."""

        needle: str
        done: bool

    @property
    def is_open(self) -> bool:
        """Whether there is a search."""
        return self.has_class("-open")

    @property
    def input(self) -> Query:
        return self.query_one(Query)

    def compose(self) -> ComposeResult:
        yield Static("/", classes="search-sign")
        yield Query(placeholder="search, then Enter", compact=True)
        yield Static("", classes="search-place", markup=False)

    def open(self) -> None:
        """Show the line and put the focus into it."""
        self.add_class("-open")
        self.screen.set_focus(self.input)  # at once: the next key is its own

    def close(self) -> None:
        """End the search and hide the line."""
        self.remove_class("-open")
        with self.prevent(Input.Changed):
            self.input.value = ""
        self.say("")

    def say(self, words: str) -> None:
        """Show where the reader is."""
        self.query_one(".search-place", Static).update(words)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value, done=False))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Typed(event.value, done=True))
