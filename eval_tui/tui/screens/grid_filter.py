"""The filter line of the grid: what is typed, what is found by it, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.suggester import Suggester
from textual.widgets import Input, Static

from eval_tui.engine.grid import CellKey, Grid
from eval_tui.tui.face import Driver
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.still import StillGrid
from eval_tui.tui.text import one_line
from eval_tui.tui.widgets.bars import Query
from eval_tui.tui.widgets.grid import CaseGrid

if TYPE_CHECKING:
    from eval_tui.results.filter.terms import Filter
    from eval_tui.results.sides import BothRuns
    from eval_tui.tui.finder import Finder


class Completion(Suggester):
    """Goes on with the word that is being typed; the right arrow takes it."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._driver = driver

    async def get_suggestion(self, value: str) -> str | None:
        from eval_tui.results.filter.complete import completions

        grid = self._driver.grid
        facts = self._driver.finding.facts
        seen = (facts.known(row.case) for row in grid.rows[:100])
        keys = dict.fromkeys(key for one in seen if one for key in one.annotations or ())
        offers = completions(value, [judge.name for judge in grid.columns], keys)
        return offers[0] if offers else None


class GridFilter(LiveScreen):
    """A grid of which only the cases are shown that a filter lets through."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._still: StillGrid | None = None
        self._filter_text = ""
        """The filter in force, as it was typed."""
        self._term: Filter | None = None
        self._run: tuple[str, str] = "", ""
        self._joining: set[str] = set()
        """Cases that changed: the filter may let them through by now."""
        self._both: BothRuns | None = None

    @property
    def cases(self) -> CaseGrid:
        return self.query_one("#grid", CaseGrid)

    @property
    def grid(self) -> Grid:
        """The grid in the picture; side by side with another run it has the cases of both."""
        split = self.cases.split
        if split is None:
            return self.own_grid
        known = self._both
        if known is None or known.now is not self.own_grid or known.then is not split.grid:
            from eval_tui.results.sides import BothRuns

            known = self._both = BothRuns(self.own_grid, split.grid)
        return known

    @property
    def own_grid(self) -> Grid:
        """The grid of the run in view: the live one, or a still one."""
        return self._still or self.driver.grid

    @property
    def filter_text(self) -> str:
        """The filter in force; empty without one."""
        return self._filter_text

    def set_filter(self, text: str) -> None:
        """Put a text into the filter line, and have it in force."""
        self._show_line(bool(text))
        self.query_one("#filter", Query).value = text
        self._take_filter(text)

    def action_filter(self) -> None:
        self._show_line(True)
        self.set_focus(self.query_one("#filter", Query))  # at once: the next key is its own

    def _show_line(self, shown: bool) -> None:
        self.query_one("#filter-row").set_class(shown, "-shown")
        self.set_class(shown, "-filtering")

    @on(Input.Changed, "#filter")
    def _filter(self, event: Input.Changed) -> None:
        if event.value != self._filter_text:
            self._take_filter(event.value)

    @on(Input.Submitted, "#filter")
    def _filtered(self, event: Input.Submitted) -> None:
        self._show_line(bool(event.value))
        self.cases.focus()

    def find_anew(self) -> None:
        """Rows or columns are others: the filter is for them too, and another run has its order."""
        config = self.driver.config
        run = (config.path if config else "", self.driver.status.run_id)
        same, self._run = run == self._run, run
        if not same:
            self.cases.order_anew()
        if self._term is not None:
            self.search(keep=same)

    def _take_filter(self, text: str) -> None:
        """Have a filter in force; while it cannot be read the one before stays."""
        from eval_tui.results.filter.parse import FilterError, parse
        from eval_tui.results.filter.terms import EVERYTHING

        try:
            term = parse(text)
        except FilterError as error:
            self._say_filter(str(error) if error.unfinished else f"{_near(text, error)}{error}")
            return
        self._filter_text = text
        self._term = None if term == EVERYTHING else term
        self.search()

    def search(self, keep: bool = False) -> None:
        """Look through the whole grid; with `keep` what was found before stays."""
        self._joining.clear()
        if self._term is None:
            self._stop_searching()
            self._show_found(None)
            return
        finder = self._finder(self._term)
        before = self.cases.found if keep else None
        if finder.small:
            self._show_found(finder.at_once() | (before or frozenset()))
            if not finder.reads:
                self._stop_searching()
                return
        self.run_worker(partial(self._search, finder, before), exclusive=True, group="filter")

    def _stop_searching(self) -> None:
        self.workers.cancel_group(self, "filter")  # pyright: ignore[reportUnknownMemberType]

    def _finder(self, term: Filter) -> Finder:
        from eval_tui.tui.finder import Finder

        return Finder(term, self.grid, self.driver.finding, self.cases.beside)

    async def _search(self, finder: Finder, before: frozenset[str] | None) -> None:
        async for found in finder.search():
            self._show_found(found | (before or frozenset()))
            if finder.reads:
                self._say_filter("reading the cases")
        self._say_found()
        await self._join()

    def join(self, cells: Iterable[CellKey]) -> None:
        """These cells changed: cases that the filter lets through now join those shown.

        One that it lets through no more stays until the filter is set anew: nothing is taken away
        from under the cursor.
        """
        if self._term is not None:
            self._joining.update(key.case for key in cells)
            self._join_soon()

    def _join_soon(self) -> None:
        searching = any(
            worker.group in ("filter", "join") and worker.is_running for worker in self.workers
        )
        if self._joining and not searching:
            self.run_worker(self._join, group="join")

    async def _join(self) -> None:
        while self._joining and (term := self._term) is not None:
            some, self._joining = self._joining, set()
            finder = self._finder(term)
            if finder.reads:
                await self.driver.finding.facts.learn(some)
            fresh = await finder.among(some - (self.cases.found or frozenset()))
            if term is self._term and fresh:
                self._show_found(fresh | (self.cases.found or frozenset()))

    def _show_found(self, found: frozenset[str] | None) -> None:
        if found != self.cases.found:
            self.cases.found = found
            self.cases.rearrange()
        self._say_found()

    def _say_found(self) -> None:
        found, total = self.cases.found, len(self.grid.rows)
        if found is None:
            self._say_filter("")
        elif (
            self._term is not None
            and self._finder(self._term).compares
            and (self.cases.beside is None)
        ):
            self._say_filter("there is no baseline: b blesses this run, = compares with another")
        else:
            self._say_filter(f"{len(found):,} of {total:,}" if found else "no case is like that")

    def _say_filter(self, words: str) -> None:
        self.query_one("#filter-note", Static).update(one_line(words))


def _near(text: str, error: ValueError) -> str:
    """Where in the line the fault is, unless that is seen."""
    position: int = getattr(error, "position", 0)
    return f"at {position + 1}: " if len(text) > 1 else ""
