"""The base of screens that show live data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

from textual.await_remove import AwaitRemove
from textual.content import Content
from textual.screen import Screen

from eval_tui.engine.grid import CellKey, Dirty
from eval_tui.tui.abstract import Abstract
from eval_tui.tui.actions import Context
from eval_tui.tui.face import NO_CHANGE, Driver, merged
from eval_tui.tui.widgets.bars import Bar, hints


def _nothing(_: int) -> Content:
    return Content("")


class LiveScreen(Screen[CellKey | None], metaclass=Abstract):
    """A screen that is told what changed, and does no work while another one covers it.

    Subclasses implement `take`, which is called on the app's timer (30 a second at most) with
    everything that changed since the last call, and name the context of their actions. What they
    are left with, if anything, is the cell that was being read.
    """

    CONTEXT: ClassVar[Context] = "app"

    def __init__(self, driver: Driver) -> None:
        super().__init__()
        self.driver = driver
        self._pending = NO_CHANGE

    @property
    def cell(self) -> CellKey | None:
        """The cell that the person looks at here, if any."""
        return None

    @property
    def idle(self) -> frozenset[str]:
        """Actions, by id, that would do nothing here and now; they are left out of the hints."""
        return frozenset()

    @abstractmethod
    def take(self, dirty: Dirty) -> None:
        """Show what changed."""

    def hold(self, frozen: bool) -> None:
        """The picture was frozen, or lives again; while frozen only the status is delivered."""

    def say_hints(self, beside: Callable[[int], Content] = _nothing) -> None:
        """Draw the line of hints, with what stands at its end for a width."""
        context, idle = self.CONTEXT, self.idle
        self.query_one("#hints", Bar).show(lambda width: hints(context, width, beside(width), idle))

    def deliver(self, dirty: Dirty) -> None:
        """Called by the app: pass changes on now, or keep them until this screen is seen."""
        self._pending = merged(self._pending, dirty)
        if self.is_current and self.is_mounted:
            self._flush()

    def remove(self) -> AwaitRemove:
        """Take the screen down: first what works for it, which would find it half gone."""
        for worker in list(self.workers):
            if self in worker.node.ancestors_with_self:
                worker.cancel()
        return super().remove()

    def on_screen_resume(self) -> None:
        self._flush()

    def _flush(self) -> None:
        pending, self._pending = self._pending, NO_CHANGE
        if pending:
            self.take(pending)
