"""The saved filters of the eval on screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual.content import Content

from eval_tui.tui.face import Driver
from eval_tui.tui.host import say
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, fit, one_line, widest

SAVE: Final = "\0save"
FORGET: Final = "\0forget"
TEXT_MOST: Final = 60
"""Cells before the words `in force`."""


class LensesScreen(ListScreen):
    """Save the filter in force, forget it, or have another one in force."""

    HEADLINE: ClassVar[str] = "Saved filters"
    NOTHING: ClassVar[str] = (
        "None yet. Type a filter with /, press Enter, and come back to save it."
    )

    def __init__(self, driver: Driver, now: str, choose: Callable[[str], None]) -> None:
        """`now` is the filter in force; `choose` is told the one that was opened."""
        super().__init__(driver)
        self._now, self._choose = now.strip(), choose

    def entries(self) -> Sequence[Entry]:
        config = self.driver.config
        saved = self.driver.finding.lenses(config) if config is not None else ()
        width = widest(saved, TEXT_MOST)
        found: list[Entry] = []
        if self._now:
            known = self._now in saved
            words = "Forget the filter in force: " if known else "Save the filter in force: "
            shown = Content.assemble(
                Content.styled(words, "$primary"), content(one_line(self._now), "bold")
            )
            found.append(Entry(FORGET if known else SAVE, shown, self._now))
        for text in saved:
            here = "  in force" if text == self._now else ""
            shown = content(f"  {fit(one_line(text), width) if here else one_line(text)}{here}")
            found.append(Entry(text, shown, text))
        return found

    def open_entry(self, entry: Entry) -> None:
        config = self.driver.config
        if entry.key not in (SAVE, FORGET):
            self.dismiss()
            self._choose(entry.copied)
        elif config is not None:
            try:
                self.driver.finding.keep_lens(config, entry.copied, entry.key == SAVE)
            except OSError as error:
                say(self, f"It cannot be kept: {error}", "error")
            self._fill("")
