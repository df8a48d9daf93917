"""The runs to choose from for a comparison with the one in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.screens.lists import Entry
from eval_tui.tui.screens.runs import RunsScreen


class OtherRunScreen(RunsScreen, inherit_bindings=False):
    """Choose a run; it does not come into view, and none is marked."""

    CONTEXT: ClassVar[Context] = "list"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("list")]

    HEADLINE: ClassVar[str] = "Side by side with which run?"

    def __init__(self, driver: Driver, glyphs: Glyphs, choose: Callable[[str], None]) -> None:
        super().__init__(driver, glyphs)
        self._choose = choose

    def entries(self) -> Sequence[Entry]:
        here = self.driver.status.run_id
        return [entry for entry in super().entries() if entry.key != here]

    def initial(self) -> str:
        return ""

    def open_entry(self, entry: Entry) -> None:
        self.dismiss()
        self._choose(entry.key)
