"""The case screen: everything there is to read about one case and one judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, assert_never, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from eval_tui.engine.grid import CaseView, CellKey, Dirty
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.case_cell import CaseCell
from eval_tui.tui.case_head import CaseHead, Head, head_lines
from eval_tui.tui.case_tabs import TabId, file_behind, missing_tab, tabs_of
from eval_tui.tui.costs import agent_cost, cell_costs
from eval_tui.tui.editor import edit
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say
from eval_tui.tui.marks import UNICODE, Glyphs
from eval_tui.tui.pages import history_page, inputs_page, logs_page, why_page
from eval_tui.tui.rerun import rerun
from eval_tui.tui.screens.case_beside import CaseBeside, OtherReason
from eval_tui.tui.screens.case_request import Requests
from eval_tui.tui.screens.case_trace import LOADING
from eval_tui.tui.widgets.bars import Bar
from eval_tui.tui.widgets.data_view import DataView
from eval_tui.tui.widgets.file_tree import FileTree
from eval_tui.tui.widgets.files_pane import FilesPane, note
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.search_bar import SearchBar
from eval_tui.tui.widgets.tab_strip import Tab, TabStrip
from eval_tui.tui.widgets.trace_pane import TracePane
from eval_tui.tui.widgets.trace_view import TraceView

if TYPE_CHECKING:
    from eval_tui.tui.beside import Beside

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
        super().__init__(driver, CaseCell(driver, CellKey(case, judge), shown), beside)
        self.glyphs = glyphs
        self.tab: TabId = "reason"
        self.case_view: CaseView | None = None
        """The case's files; None until they are loaded."""
        self._unreadable = ""
        self._filled: dict[str, object] = {}
        self._requests = Requests(self, self._fill)

    def compose(self) -> ComposeResult:
        yield CaseHead(self.driver, lambda: self.cell, self.glyphs, id="case-head")
        yield TabStrip(self._tabs, self.tab, id="case-tabs")
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
        yield SearchBar(lambda: self.searched, self._search_turned, id="case-search")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        self._show_head()
        self._show_tab()
        self.load_case()

    def on_unmount(self) -> None:
        self._filled.clear()

    @property
    def cell(self) -> CellKey:
        return self.known.key

    # What is known ---------------------------------------------------------------------------

    def take(self, dirty: Dirty) -> None:
        if self.known.take(dirty):
            self.load_case()
        if dirty:
            self._show_head()
        if dirty.structure or self.cell in dirty.cells:
            self._fill()

    def _show_head(self) -> None:
        spent = agent_cost(self.case_view.metrics) if self.case_view else None
        facts = Head(
            self.known.detail,
            self.known.column,
            self.known.place,
            self.driver.status.run_id,
            self.known.gone,
            cell_costs(spent, self.known.detail.paid, self.glyphs),
        )
        self.query_one("#case-head", Bar).show(partial(head_lines, facts, self.glyphs))
        self.say_hints()

    @property
    def _tabs(self) -> Sequence[Tab]:
        return tabs_of(self.known.detail, self.known.column)

    @property
    def idle(self) -> frozenset[str]:
        searching = self.query_one(SearchBar).is_open
        does = {
            "next-case": searching or self.known.others,
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
        """Put what is known into the page in view; the others wait until they are seen.

        Not so the reason: from any page `c` leads to what it cites.
        """
        self.query_one(TabStrip).show(self._tabs, self.tab)
        self.show_then()
        seen: tuple[TabId, ...] = ("reason", self.tab)
        for tab in dict.fromkeys(seen):
            source = self._source(tab)
            if self._filled.get(tab) is not source:
                keep = tab in self._filled
                self._filled[tab] = source
                self._fill_page(tab, keep)

    def _source(self, tab: TabId) -> object:
        """What a page is made of."""
        match tab:
            case "reason" | "why" | "history":
                return self.known.detail
            case "request":
                return self._requests.of(self.known.detail)
            case "trace" | "files" | "inputs" | "logs":
                return self.case_view or self._unreadable
            case _:
                assert_never(tab)

    def _fill_page(self, tab: TabId, keep: bool) -> None:
        view, known = self.case_view, self.known
        waiting = note(self._unreadable or LOADING)
        match tab:
            case "trace":
                self.fill_trace(view, self._unreadable, keep)
                return
            case "files":
                self.fill_files(view, self._unreadable, keep)
                return
            case "reason":
                page = self.reason_now()
            case "request":
                page = self._requests.document
            case "why":
                page = why_page(known.detail, known.column, self.glyphs)
            case "history":
                page = history_page(known.detail, known.column, self.glyphs)
            case "inputs":
                page = inputs_page(view) if view else waiting
            case "logs":
                page = logs_page(view) if view and view.events_part == 1 else waiting
            case _:
                assert_never(tab)
        self.query_one(f"#{tab}", LineView).show(page, keep)
        if tab == "reason":
            self.cite()

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
        if why := missing_tab(tab, self.known.detail, self.known.column):
            say(self, why)
        elif tab != self.tab:
            self.query_one(SearchBar).end()
            self.tab = tab
            self._show_tab()

    # Cases and matches -----------------------------------------------------------------------

    def action_next(self, by: int) -> None:
        """The next or previous failed case, or match while there is a search."""
        if self.query_one(SearchBar).is_open:
            self.query_one(SearchBar).step(by)
            return
        case = self.known.step(by)
        if case is None:
            say(self, "No other case failed this judge.")
            return
        self._go_to(case)

    def _go_to(self, case: str) -> None:
        self.known.go_to(case)
        self.case_view, self._unreadable = None, ""
        self._filled.clear()
        if missing_tab(self.tab, self.known.detail, self.known.column):
            self.tab = "reason"
        self._show_head()
        self._show_tab()
        self.load_case()

    def action_search(self) -> None:
        """Open the search line."""
        self.query_one(SearchBar).open()

    def _search_turned(self) -> None:
        self.say_hints()
        if not self.query_one(SearchBar).is_open:
            self.reader.focus()

    def action_back(self) -> None:
        """End the search if there is one, else go back to the grid."""
        search = self.query_one(SearchBar)
        if search.is_open:
            search.end()
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
        return file_behind(
            self.tab, self.case_view, config.path if config else "", self.known.column
        )

    # Work ------------------------------------------------------------------------------------

    def action_rerun(self) -> None:
        """Rerun this judge on this case, unless its value is known to be valid."""
        rerun(self, self.driver, (self.cell,), name=self.cell.judge)

    def action_rerun_forced(self) -> None:
        """Rerun this judge on this case, whatever is known."""
        rerun(self, self.driver, (self.cell,), force=True, name=self.cell.judge)

    def action_cancel(self) -> None:
        """Cancel this judge on this case."""
        cancelled = self.driver.cancel((self.cell,))
        say(self, "Cancelled." if cancelled else "Nothing to cancel here.")
