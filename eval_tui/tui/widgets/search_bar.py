"""The line in which a search is typed, and which says where the reader is among the matches."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static

from eval_tui.tui.widgets.bars import Query
from eval_tui.tui.widgets.reading import Searchable


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

    def __init__(
        self, searched: Callable[[], Searchable], turned: Callable[[], None], *, id: str
    ) -> None:
        """`searched`: what is looked at now. `turned` is called when a search begins or has ended."""
        super().__init__(id=id)
        self._searched, self._turned = searched, turned

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
        self._turned()

    def end(self) -> None:
        """End the search, if there is one, and hide the line."""
        if not self.is_open:
            return
        self._searched().search("")
        self.remove_class("-open")
        with self.prevent(Input.Changed):
            self.input.value = ""
        self._say_place()
        self._turned()

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) match."""
        self._searched().step_match(by)
        self._say_place()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        view = self._searched()
        if view.live_search:
            view.search(event.value)
        self._say_place()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        view = self._searched()
        if not event.value:
            self.end()
        elif not view.live_search:
            view.search(event.value)
        view.focus()
        self._say_place()

    def _say_place(self) -> None:
        """Show where the reader is."""
        view = self._searched()
        at, count = view.match_place
        words = "nothing found" if self.input.value and view.live_search else ""
        if count:
            words = f"{view.match_unit} {at:,} of {count:,}"
        self.query_one(".search-place", Static).update(words)
