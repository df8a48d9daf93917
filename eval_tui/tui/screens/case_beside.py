"""What of the case screen is about another run: what the same judge said of the same case there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.events import Click, Resize

from eval_tui.engine.grid import CellKey
from eval_tui.scores import Score
from eval_tui.tui.case_cell import CaseCell
from eval_tui.tui.document import Document
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.pages import reason_page
from eval_tui.tui.screens.case_files import CaseFiles
from eval_tui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from eval_tui.tui.beside import Beside

ROOMY: Final = 118
"""From this width on then and now stand side by side, else one below the other."""


class OtherReason(LineView):
    """A reason that cites another run: nothing of it leads to the trace of the one in view."""

    def on_click(self, event: Click) -> None:
        event.stop()


class CaseBeside(CaseFiles):
    """Shows the reason of another run with that of the run in view; the case screen builds on this."""

    AUTO_FOCUS = ""  # the page in view gets it, not the first that there is

    glyphs: Glyphs

    def __init__(self, driver: Driver, known: CaseCell, beside: Beside | None) -> None:
        super().__init__(driver, known)
        self._beside = beside
        if beside is not None and beside.blessed is None:
            self.compares_with = beside.run
        self._told: dict[CellKey, Score | None] = {}
        """What was said in the other run, with the whole reason."""

    @property
    def then(self) -> OtherReason:
        """The page of the other run."""
        return self.query_one("#then", OtherReason)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width >= ROOMY, "-roomy")

    def reason_now(self) -> Document:
        """The reason page, under a head that says which run it is where there are two."""
        detail, judge = self.known.detail, self.known.column
        page = reason_page(detail, judge, self.glyphs)
        if self._beside is None:
            return page
        from eval_tui.tui.then_page import under

        return under("now", self.driver.status.run_id, detail.score, judge, self.glyphs, page)

    def show_then(self) -> None:
        """Show the other run's reason where the reason is read, else nothing of it."""
        beside, key, detail = self._beside, self.known.key, self.known.detail
        shown = beside is not None and self.tab == "reason"
        self.set_class(shown, "-then")
        if beside is None or not shown:
            return
        from eval_tui.tui.then_page import then_page

        kept, loading = beside.cell(*key).score, key not in self._told
        if kept is not None and loading:
            self.run_worker(self._look_up(beside, key), group="then", exclusive=True)
        told = [score for score in (self._told.get(key),) if score is not None]
        if beside.run == self.driver.status.run_id:  # as it was before it was judged again
            told += [past.score for past in detail.history]
        page = then_page(key, self.known.column, self.glyphs, beside.name, kept, told, loading)
        self.then.show(page, keep_place=True)

    async def _look_up(self, beside: Beside, key: CellKey) -> None:
        """Find the whole reason; of a run that has gone there is none."""
        run = next((run for run in self.driver.runs() if run.id == beside.run), None)
        self._told[key] = await self.driver.finding.said(run, key) if run is not None else None
        if key == self.known.key:
            self.show_then()
