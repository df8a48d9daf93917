"""What of the case screen is about the trace: following its file, and going from the reason to it."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from textual.events import Click

from eval_tui.engine.grid import CaseView
from eval_tui.engine.threads import in_thread
from eval_tui.record.tail import Tail
from eval_tui.tui.case_cell import CaseCell
from eval_tui.tui.case_tabs import TabId
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.trace import Trace, TraceBuilder
from eval_tui.tui.trace_links import Citation, FilePlace, find_citations, with_links
from eval_tui.tui.widgets.files_pane import FilesPane
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.trace_pane import TracePane

FOLLOW_S: Final = 0.2
"""Seconds between two looks at the file of the trace in view."""

RELOAD_S: Final = 1.0
"""Seconds between two readings of a whole case whose trace cannot be added to."""

LOADING: Final = "Loading this case"

SLICE: Final = 1_000
"""Events taken up between two looks at the keyboard."""


class CaseTrace(LiveScreen):
    """Knows the trace and what the reason cites of the case; the case screen builds on this."""

    tab: TabId
    case_view: CaseView | None

    def __init__(self, driver: Driver, known: CaseCell) -> None:
        super().__init__(driver)
        self.known = known
        self._tail: Tail | None = None
        self._read_whole = False
        self._ahead = False
        self._rests_until = 0.0
        self._built: tuple[CaseView, TraceBuilder] | None = None
        """The trace of the view known last: made once, for its page and for what is cited of it."""
        self._citations: Sequence[Citation] = ()
        self._cited = -1

    def on_mount(self) -> None:
        self.set_interval(FOLLOW_S, self._follow)

    def on_unmount(self) -> None:
        """Let go of what may be a hundred thousand events: a collector that walks over them halts
        the app, and what is closed hangs together in circles until it does."""
        self.case_view = self._built = None

    @property
    def case(self) -> str:
        return self.known.key.case

    @abstractmethod
    def action_tab(self, tab: TabId) -> None:
        """Go to a tab."""

    @abstractmethod
    def case_loaded(self, view: CaseView | None, problem: str) -> None:
        """Show what the case's files hold, or why they cannot be read."""

    # Reading ---------------------------------------------------------------------------------

    def load_case(self) -> None:
        """Read the case's files, also again."""
        self.run_worker(partial(self._read_case, self.case), group="case", exclusive=True)

    async def _read_case(self, case: str) -> None:
        view, problem = await self._asked(case, beginning=self.case_view is None)
        if view is not None and view.events_part < 1 and case == self.case:
            self.case_loaded(view, "")
            view, problem = await self._asked(case)
        known = self.case_view
        if case != self.case or await in_thread(lambda: view is not None and view == known):
            return
        if view is not None or known is None:
            self.case_loaded(view, problem)
            return
        # What is being read stays, as the last that was known.
        say(self, problem, "warning")
        if known.events_part < 1:
            self.case_loaded(replace(known, notes=(*known.notes, problem)), problem)

    async def _asked(self, case: str, beginning: bool = False) -> tuple[CaseView | None, str]:
        """What the driver knows of a case, or why that is nothing."""
        try:
            return await self.driver.view(case, beginning), ""
        except (OSError, LookupError, ValueError, RuntimeError) as error:
            return None, f"This case cannot be read: {error}"

    # The file of the trace -------------------------------------------------------------------

    def view_loaded(self, view: CaseView | None) -> None:
        """The case's files were read."""
        whole, self._read_whole = self._read_whole, False
        path, end = (view.events_path, view.events_end) if view is not None else ("", 0)
        tail = self._tail
        # What was followed meanwhile is not taken back by a view that was made before it.
        self._ahead = tail is not None and tail.path == path and not whole and tail.end > end > 0
        if not self._ahead:
            self._tail = Tail(path, end) if path else None
        self.cite()

    def fill_trace(self, view: CaseView | None, unreadable: str, keep: bool) -> None:
        """Show the trace of a view, or what there is to say in its place."""
        if keep and self._ahead:
            return
        done = len(self._builder_of(view).trace.events) if view is not None else 0
        if view is not None and len(view.events) - done <= SLICE:
            self._show_trace(view, keep)
            return
        if view is None or not keep:
            self.query_one(TracePane).show(TraceBuilder(), keep, unreadable or LOADING)
        if view is not None:
            self.run_worker(partial(self._make_trace, view, keep), group="trace", exclusive=True)

    async def _make_trace(self, view: CaseView, keep: bool) -> None:
        await self._trace_of(view)
        if view is self.case_view:
            self._show_trace(view, keep)

    def _show_trace(self, view: CaseView, keep: bool) -> None:
        pane, builder = self.query_one(TracePane), self._builder_of(view)
        builder.extend(view.events[len(builder.trace.events) :])
        words = view.events_words or "No events were recorded."
        pane.show(builder, keep, words, view.events_part)
        self._built = view, pane.builder

    def _follow(self) -> None:
        """Add to the trace in view what was appended to its file."""
        tail, now = self._tail, time.monotonic()
        if tail is None or self.tab != "trace" or not self.is_current:
            return
        if getattr(app_of(self), "frozen", False):
            return
        reading = any(
            work.group in ("case", "trace") and not work.is_finished for work in self.workers
        )
        if reading or now < self._rests_until:
            return
        events = tail.more()
        if events is None:
            self._read_whole = True
            self._rests_until = now + RELOAD_S
            self.load_case()
        elif events:
            self.query_one(TracePane).add(events)

    # Keys ------------------------------------------------------------------------------------

    def action_error(self, by: int) -> None:
        """The next or previous error in the trace, from any tab."""
        self.action_tab("trace")
        if not self.query_one(TracePane).view.step_error(by):
            say(self, "No errors in this trace." if self.case_view else "Still loading.")

    def action_fold(self) -> None:
        """Fold or unfold the entry of the trace under the cursor."""
        if self.tab == "trace":
            self.query_one(TracePane).view.toggle()

    def action_narrow(self) -> None:
        """Only entries of the tool, or the speaker, under the cursor; or all again."""
        if self.tab == "trace":
            self.query_one(TracePane).narrow()

    # What the reason cites -------------------------------------------------------------------

    def cite(self) -> None:
        """Look for what the reason cites, now that it or the case's files are known anew."""
        if self.case_view is None:
            self._citations, self._cited = (), -1
            self.say_hints()
        else:
            find = partial(self._find_cited, self.case_view)
            self.run_worker(find, group="cite", exclusive=True)

    async def _find_cited(self, view: CaseView) -> None:
        document = self.query_one("#reason", LineView).document
        files = [file.name for file in view.files]
        found = await find_citations(document, await self._trace_of(view), files)
        if found != self._citations:
            self._citations, self._cited = found, -1
            self.say_hints()
        self._mark_cited()

    async def _trace_of(self, view: CaseView) -> Trace:
        """The trace of a view, made while the keyboard has its turn too."""
        builder = self._builder_of(view)
        while (done := len(builder.trace.events)) < len(view.events):
            builder.extend(view.events[done : done + SLICE])
            await asyncio.sleep(0)
        return builder.trace

    def _builder_of(self, view: CaseView) -> TraceBuilder:
        """What makes the trace of a view; it may not have got to the last event yet."""
        if self._built is None or self._built[0] is not view:
            self._built = view, TraceBuilder()
        return self._built[1]

    @property
    def cites(self) -> bool:
        """Whether the reason is known to cite anything of the case."""
        return bool(self._citations)

    def _mark_cited(self) -> None:
        if self._citations:
            reason = self.query_one("#reason", LineView)
            reason.show(with_links(reason.document, self._citations, self._cited), keep_place=True)

    def action_cited(self, by: Literal[1, -1]) -> None:
        """Go to the next or previous thing that the reason cites, from any tab."""
        if not self._citations:
            say(
                self,
                "The reason cites nothing of this case." if self.case_view else "Still loading.",
            )
            return
        self._go_to_cited(0 if self._cited < 0 else (self._cited + by) % len(self._citations))

    def on_click(self, event: Click) -> None:
        """A click on something that the reason cites leads there."""
        offset = event.style.meta.get("offset") if self.tab == "reason" else None
        for number, (line, start, end, _) in enumerate(self._citations if offset else ()):
            if offset is not None and offset[1] == line and start <= offset[0] < end:
                self._go_to_cited(number)
                return

    def _go_to_cited(self, number: int) -> None:
        self._cited = number
        self._mark_cited()
        place = self._citations[number].place
        if isinstance(place, FilePlace):
            self.action_tab("files")
            self.run_worker(partial(self._open_file, place), group="cited-file", exclusive=True)
        else:
            self.action_tab("trace")
            view = self.query_one(TracePane).view
            # A trace that was never seen has no rows yet.
            view.call_after_refresh(view.go_to_text, place.entry, place.text)

    async def _open_file(self, place: FilePlace) -> None:
        """Show a file at a line, once its text is there."""
        await self.query_one(FilesPane).go_to(place.name, place.line)
