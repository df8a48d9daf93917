"""The pane beside the grid: what is known about the cell under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from eval_tui.tui.keys import moves

SCROLLING: list[BindingType] = moves(
    {
        "scroll_down": ("j",),
        "scroll_up": ("k",),
        "scroll_home": ("g",),
        "scroll_end": ("G",),
        "page_up": ("ctrl+u",),
        "page_down": ("ctrl+d",),
    }
)
"""Keys that scroll a text, beside the arrows that Textual binds itself."""


class Preview(VerticalScroll, can_focus=True):
    """A short text; long ones are cut, and the case screen shows them whole."""

    BINDINGS: ClassVar[list[BindingType]] = SCROLLING

    def compose(self) -> ComposeResult:
        yield Static(id="preview-text", markup=False)

    def show(self, text: Content, same_cell: bool) -> None:
        """Show this text, from its beginning unless it is about the same cell as before."""
        self.query_one("#preview-text", Static).update(text)
        if not same_cell:
            self.scroll_home(animate=False)
