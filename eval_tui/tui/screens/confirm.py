"""A question before something that costs."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from eval_tui.tui.actions import actions_in, bindings
from eval_tui.tui.keys import key_names
from eval_tui.tui.text import content


class ConfirmScreen(ModalScreen[bool]):
    """Yes or no."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("confirm")]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        keys = [
            Content.assemble(Content.styled(key_names(a.keys), "bold $primary"), f"  {a.title}")
            for a in actions_in("confirm")
        ]
        with VerticalScroll(classes="box"):
            yield Static(
                Content("\n").join([content(self._question), Content(""), *keys]), markup=False
            )

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)
