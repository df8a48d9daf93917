"""One line of tabs, each with its key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget


class Tab(NamedTuple):
    """A tab: what it is for, the word that is shown, and the key in front of it."""

    id: str
    title: str
    key: str


class TabStrip(Widget):
    """The tabs, the active one set off without colour too; narrow: only its title is shown."""

    DEFAULT_CSS = """
    TabStrip { height: 1; padding: 0 1; }
    """

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        tab: str

    def __init__(self, tabs: Sequence[Tab], active: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tabs = tuple(tabs)
        self._active = active

    def show(self, tabs: Sequence[Tab], active: str) -> None:
        """Show these tabs, and one of them as active."""
        if (tuple(tabs), active) != (self._tabs, self._active):
            self._tabs, self._active = tuple(tabs), active
            self.refresh()

    def _labels(self) -> list[str]:
        whole = [f" {tab.key} {tab.title} " for tab in self._tabs]
        if sum(map(len, whole)) <= self.size.width:
            return whole
        return [
            label if tab.id == self._active else f" {tab.key} "
            for tab, label in zip(self._tabs, whole, strict=True)
        ]

    def render(self) -> Content:
        parts = [
            Content.styled(label, "bold reverse" if tab.id == self._active else "")
            for tab, label in zip(self._tabs, self._labels(), strict=True)
        ]
        return Content("").join(parts)

    def on_click(self, event: Click) -> None:
        at = event.get_content_offset_capture(self).x
        for tab, label in zip(self._tabs, self._labels(), strict=True):
            if 0 <= at < len(label):
                self.post_message(self.Chosen(tab.id))
                return
            at -= len(label)
