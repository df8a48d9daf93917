"""Finding cells in the grid: the filter, failures, the order of the cases, and marks."""

from __future__ import annotations

from textual import on
from textual.widgets import Input

from eval_tui.engine.grid import CellKey, Grid
from eval_tui.tui.face import Driver
from eval_tui.tui.host import say
from eval_tui.tui.layout import Sort
from eval_tui.tui.order import failing
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.still import StillGrid
from eval_tui.tui.widgets.bars import Query
from eval_tui.tui.widgets.grid import CaseGrid


class GridFinding(LiveScreen):
    """What of the grid is shown and marked; the screen that shows it builds on this."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._still: StillGrid | None = None
        self._range_start: CellKey | None = None

    @property
    def cases(self) -> CaseGrid:
        return self.query_one("#grid", CaseGrid)

    @property
    def grid(self) -> Grid:
        """The grid in the picture: the live one, or a still one."""
        return self._still or self.driver.grid

    # Finding

    def action_filter(self) -> None:
        self.query_one("#filter-row").add_class("-shown")
        self.set_focus(self.query_one("#filter", Query))  # at once: the next key is its own

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        self.cases.text = event.value
        self.cases.rearrange()

    @on(Input.Submitted, "#filter")
    def _filtered(self, event: Input.Submitted) -> None:
        self.query_one("#filter-row").set_class(bool(event.value), "-shown")
        self.cases.focus()

    def action_clear(self) -> None:
        filter_row = self.query_one("#filter-row")
        if filter_row.has_class("-shown"):
            self.query_one("#filter", Query).value = ""
            filter_row.remove_class("-shown")
        elif self.cases.marked or self._range_start:
            self.cases.set_marked(frozenset())
            self._range_start = None
        elif self.cases.only is not None:
            self.action_failures()
        self.cases.focus()

    def action_failures(self) -> None:
        if self.cases.only is not None:
            self.cases.only = None
        else:
            only = failing(self.grid)
            if not only:
                say(self, "No failures here.")
                return
            self.cases.only = only
        self.cases.rearrange()

    def action_failure(self, step: int) -> None:
        if not self.cases.next_failure(step):
            say(self, "No failures here.")

    def action_sort(self) -> None:
        key = self.cases.cursor
        if key is None:
            return
        now = self.cases.sort
        if now is None or now.judge != key.judge:
            self.cases.sort = Sort(key.judge, "worst")
        else:
            self.cases.sort = Sort(key.judge, "best") if now.way == "worst" else None
        self.cases.rearrange()

    # Marks

    def action_mark(self) -> None:
        key = self.cases.cursor
        if key is not None:
            self.cases.set_marked(self.cases.marked ^ {key})

    def action_mark_range(self) -> None:
        key = self.cases.cursor
        if key is None:
            return
        if self._range_start is None:
            self._range_start = key
            self.cases.set_marked(self.cases.marked | {key})
            say(self, "v again elsewhere marks all cells between.")
            return
        between = self.cases.between(self._range_start, key)
        self._range_start = None
        self.cases.set_marked(self.cases.marked | between)
