"""The case screen: everything there is to read about one case and one judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CaseView, CellKey, CellState, Detail, Dirty
from eval_tui.tui import pages
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.case_head import CaseHead, FailedCases, Head, head_lines
from eval_tui.tui.case_tabs import TabId, file_behind, missing_tab, tabs_of
from eval_tui.tui.costs import agent_cost, cell_costs
from eval_tui.tui.document import Document
from eval_tui.tui.editor import edit
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.rerun import rerun
from eval_tui.tui.screens.case_beside import CaseBeside, OtherReason
from eval_tui.tui.screens.case_request import Requests
from eval_tui.tui.widgets.bars import Bar
from eval_tui.tui.widgets.data_view import DataView
from eval_tui.tui.widgets.file_tree import FileTree
from eval_tui.tui.widgets.files_pane import FilesPane, note
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.search_bar import SearchBar
from eval_tui.tui.widgets.tab_strip import TabStrip
from eval_tui.tui.widgets.trace_pane import TracePane
from eval_tui.tui.widgets.trace_view import TraceView

if TYPE_CHECKING:
    from eval_tui.tui.beside import Beside

_CELL_PAGES: Final[dict[str, Callable[[Detail, Judge, Glyphs], Document]]] = {
    "reason": pages.reason_page,
    "why": pages.why_page,
    "history": pages.history_page,
}
"""Pages made of what is known about the cell."""

_CASE_PAGES: Final[dict[str, Callable[[CaseView], Document]]] = {
    "inputs": pages.inputs_page,
    "logs": pages.logs_page,
}
"""Pages made of the case's files."""

Reader = LineView | TraceView | FileTree | DataView
"""What a person can read, search and copy."""


class CaseScreen(CaseBeside):
    """Reads one cell. What is known is shown at once; the case's files come when they are loaded.

    Changes of the cell refresh the header and the pages in place: scroll, selection, folds and
    the tab stay as they are.
    """

    CSS_PATH = "case.tcss"
    CONTEXT: ClassVar[Context] = "case"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("case")]
    # Textual declares these without ClassVar; they are never set on an instance.
    HORIZONTAL_BREAKPOINTS: ClassVar = [(0, "-narrow"), (100, "-wide")]  # pyright: ignore
    VERTICAL_BREAKPOINTS: ClassVar = [(0, "-tiny"), (16, "-short"), (28, "-tall")]  # pyright: ignore

    def __init__(
        self,
        driver: Driver,
        case: str,
        judge: str,
        glyphs: Glyphs = UNICODE,
        shown: Callable[[], Sequence[str]] | None = None,
        beside: Beside | None = None,
    ) -> None:
        """`shown`: the cases that the grid shows, in its order; `n` and `N` follow it. `beside`:
        the run whose reasons stand with those of the run in view."""
        super().__init__(driver, beside)
        self._shown = shown
        self.case = case
        self.judge = judge
        self.glyphs = glyphs
        self.tab: TabId = "reason"
        self.detail = driver.detail(case, judge)
        self.case_view: CaseView | None = None
        """The case's files; None until they are loaded."""
        self._unreadable = ""
        self._gone = ""
        self._column = self._find_column() or Judge(judge, "unknown")
        self._failed = self._find_failed()
        self._filled: dict[str, object] = {}
        self._requests = Requests(self, self._fill)

    def compose(self) -> ComposeResult:
        yield CaseHead(self.driver, lambda: self.cell, self.glyphs, id="case-head")
        yield TabStrip(tabs_of(self.detail, self._column), self.tab, id="case-tabs")
        with Container(id="case-body"):
            yield OtherReason(id="then")
            with ContentSwitcher(initial=self.tab, id="case-pages"):
                yield LineView(id="reason")
                yield TracePane(id="trace", glyphs=self.glyphs)
                yield FilesPane(self.load_file, self.find_others, id="files", glyphs=self.glyphs)
                yield LineView(id="inputs")
                yield LineView(id="logs")
                yield LineView(id="why")
                yield LineView(id="history")
                yield LineView(id="request")
        yield SearchBar(id="case-search")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        self._show_head()
        self._show_tab()
        self.load_case()

    def on_unmount(self) -> None:
        self._filled.clear()

    @property
    def cell(self) -> CellKey:
        return CellKey(self.case, self.judge)

    # What is known ---------------------------------------------------------------------------

    def take(self, dirty: Dirty) -> None:
        if dirty.structure:
            self._failed = self._find_failed()
        else:
            self._failed.update(dirty.cells)
        if dirty.structure or self.cell in dirty.cells:
            self._refresh(dirty.structure)
        elif dirty:
            self._show_head()

    def _find_failed(self) -> FailedCases:
        return FailedCases(self.driver.grid, self.judge, self._shown() if self._shown else None)

    def _find_column(self) -> Judge | None:
        return next((c for c in self.driver.grid.columns if c.name == self.judge), None)

    def _refresh(self, structure: bool) -> None:
        """Look at the cell again; a cell that is gone keeps what was known, and says so."""
        column = self._find_column()
        there = any(row.case == self.case for row in self.driver.grid.rows) if structure else True
        if column is None or not there:
            self._gone = (
                "this judge is no longer in the config" if there else "no longer in this run"
            )
        else:
            before, self._gone, self._column = self.detail, "", column
            self.detail = self.driver.detail(self.case, self.judge)
            if structure or self._judged_since(before):
                self.load_case()
        self._show_head()
        self._fill()

    def _judged_since(self, before: Detail) -> bool:
        """Whether the cell was judged anew, which is when its case's files are worth a look."""
        now = self.detail
        settled = now.cell.state is CellState.FRESH and before.cell.state is not CellState.FRESH
        return settled or now.at != before.at

    def _show_head(self) -> None:
        spent = agent_cost(self.case_view.metrics) if self.case_view else None
        facts = Head(
            self.detail,
            self._column,
            self._failed.place(self.case),
            self.driver.status.run_id,
            self._gone,
            cell_costs(spent, self.detail.paid, self.glyphs),
        )
        self.query_one("#case-head", Bar).show(partial(head_lines, facts, self.glyphs))
        self.say_hints()

    @property
    def idle(self) -> frozenset[str]:
        searching = self.query_one(SearchBar).is_open
        does = {
            "next-case": searching or self._failed.others(self.case),
            "next-cited": self.cites,
            "case-rerun": not self.driver.status.document,
            "case-edit": bool(self._edited()[0]),
        }
        return frozenset(action for action, anything in does.items() if not anything)

    # The case's files ------------------------------------------------------------------------

    def case_loaded(self, view: CaseView | None, problem: str) -> None:
        self.case_view, self._unreadable = view, problem
        self.view_loaded(view)
        self._show_head()
        self._fill()

    # Tabs ------------------------------------------------------------------------------------

    def _show_tab(self) -> None:
        self.query_one(ContentSwitcher).current = self.tab
        self._fill()
        self.say_hints()
        self.reader.focus()

    def _fill(self) -> None:
        """Put what is known into the page in view; the others wait until they are seen."""
        self.query_one(TabStrip).show(tabs_of(self.detail, self._column), self.tab)
        self.show_then(self.detail, self._column)
        source = self._source()
        if self.tab in self._filled and self._filled[self.tab] is source:
            return
        keep = self.tab in self._filled
        self._filled[self.tab] = source
        if self.tab in _CELL_PAGES:
            page = _CELL_PAGES[self.tab](self.detail, self._column, self.glyphs)
            if self.tab == "reason":
                page = self.reason_now(page, self.detail, self._column)
            self.query_one(f"#{self.tab}", LineView).show(page, keep)
            self.cite()
        elif self.tab == "request":
            self.query_one("#request", LineView).show(self._requests.document, keep)
        else:
            self._fill_case_page(self.tab, keep)

    def _source(self) -> object:
        """What the page in view is made of."""
        if self.tab == "request":
            return self._requests.of(self.detail)
        return self.detail if self.tab in _CELL_PAGES else (self.case_view or self._unreadable)

    def _fill_case_page(self, tab: str, keep: bool) -> None:
        view = self.case_view
        waiting = note(self._unreadable or "Loading this case")
        if tab == "trace":
            self.fill_trace(view, self._unreadable, keep)
        elif tab == "files":
            files = self.query_one(FilesPane)
            if view:
                files.show(self.case, view.files, keep)
            else:
                files.say(self._unreadable or "Loading this case")
        else:
            there = view is not None and (tab != "logs" or view.events_part == 1)
            page = _CASE_PAGES[tab](view) if view and there else waiting
            self.query_one(f"#{tab}", LineView).show(page, keep)

    @property
    def reader(self) -> Reader:
        """What is being read: the part of the page in view that has the focus, else its first."""
        page = self.query_one(f"#{self.tab}", Widget)
        if self.then.has_focus and self.then.display:
            return self.then
        if isinstance(page, FilesPane):
            return page.reader
        return page.view if isinstance(page, TracePane) else cast("LineView", page)

    @property
    def searched(self) -> LineView | TraceView | DataView:
        """What a search looks at."""
        reader = self.reader
        return self.query_one(FilesPane).body if isinstance(reader, FileTree) else reader

    def on_tab_strip_chosen(self, event: TabStrip.Chosen) -> None:
        self.action_tab(cast("TabId", event.tab))

    def action_tab(self, tab: TabId) -> None:
        """Go to a tab."""
        if why := missing_tab(tab, self.detail, self._column):
            say(self, why)
        elif tab != self.tab:
            self._end_search()
            self.tab = tab
            self._show_tab()

    # Cases and matches -----------------------------------------------------------------------

    def action_next(self, by: int) -> None:
        """The next or previous failed case, or match while there is a search."""
        if self.query_one(SearchBar).is_open:
            self.searched.step_match(by)
            self._say_place()
            return
        case = self._failed.step(self.case, by)
        if case is None:
            say(self, "No other case failed this judge.")
            return
        self._go_to(case)

    def _go_to(self, case: str) -> None:
        self.case = case
        self.detail = self.driver.detail(case, self.judge)
        self.case_view, self._unreadable, self._gone = None, "", ""
        self._filled.clear()
        if missing_tab(self.tab, self.detail, self._column):
            self.tab = "reason"
        self._show_head()
        self._show_tab()
        self.load_case()

    def action_search(self) -> None:
        """Open the search line."""
        self.query_one(SearchBar).open()
        self.say_hints()

    def on_search_bar_typed(self, event: SearchBar.Typed) -> None:
        view = self.searched
        if event.done:
            if not event.needle:
                self._end_search()
            elif not view.live_search:
                view.search(event.needle)
            view.focus()
        elif view.live_search:
            view.search(event.needle)
        self._say_place()

    def _say_place(self) -> None:
        bar = self.query_one(SearchBar)
        at, count = self.searched.match_place
        unit = "entry" if isinstance(self.searched, TraceView) else "match"
        if count:
            bar.say(f"{unit} {at:,} of {count:,}")
        else:
            bar.say("nothing found" if bar.input.value and self.searched.live_search else "")

    def _end_search(self) -> None:
        bar = self.query_one(SearchBar)
        if bar.is_open:
            self.searched.search("")
            bar.close()
            self.say_hints()
            self.reader.focus()

    def action_back(self) -> None:
        """End the search if there is one, else go back to the grid."""
        if self.query_one(SearchBar).is_open:
            self._end_search()
        else:
            self.dismiss(self.cell)

    # Trace and text --------------------------------------------------------------------------

    def action_wrap(self) -> None:
        """Wrap long lines of the text in view, or cut them."""
        reader = self.searched
        if isinstance(reader, LineView):
            say(
                self, "Long lines wrap." if reader.toggle_wrap() else "Long lines are cut; w wraps."
            )

    def action_copy(self) -> None:
        """Copy what is selected, else what is being read; always the raw text."""
        text = self.get_selected_text() or self.reader.copy_text
        if not text:
            say(self, "There is nothing to copy here.")
            return
        app_of(self).copy_to_clipboard(text)
        whole = isinstance(self.reader, FileTree)
        say(self, f"Copied {text}" if whole else f"Copied {len(text):,} characters.")

    def action_edit(self) -> None:
        """Open the file behind the page in view in the person's editor."""
        path, line = self._edited()
        if path:
            edit(self, path, line)
        else:
            say(self, "There is no file behind this page.")

    def _edited(self) -> tuple[str, int]:
        """Path and line of the file behind the page in view; an empty path if there is none."""
        if self.tab == "files":
            file = self.query_one(FilesPane).file
            return (file.path if file else ""), 0
        config = self.driver.config
        return file_behind(self.tab, self.case_view, config.path if config else "", self._column)

    # Work ------------------------------------------------------------------------------------

    def action_rerun(self) -> None:
        """Rerun this judge on this case, unless its value is known to be valid."""
        rerun(self, self.driver, (self.cell,), name=self.judge)

    def action_rerun_forced(self) -> None:
        """Rerun this judge on this case, whatever is known."""
        rerun(self, self.driver, (self.cell,), force=True, name=self.judge)

    def action_cancel(self) -> None:
        """Cancel this judge on this case."""
        cancelled = self.driver.cancel((self.cell,))
        say(self, "Cancelled." if cancelled else "Nothing to cancel here.")
