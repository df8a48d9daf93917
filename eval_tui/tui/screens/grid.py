"""The first screen: the live grid, a preview of the cell under the cursor, and what is going on."""

from __future__ import annotations

import time
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CellKey, Dirty, Grid, Row, Scope
from eval_tui.engine.select import failed
from eval_tui.engine.threads import in_thread
from eval_tui.results.board import make_board
from eval_tui.tui import words
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.editor import edit
from eval_tui.tui.face import Driver
from eval_tui.tui.heads import heads_of, known_heads
from eval_tui.tui.host import app_of, say
from eval_tui.tui.layout import CASE_MAX, Head, longest_name
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.order import arrange, failing
from eval_tui.tui.placing import place
from eval_tui.tui.rerun import rerun
from eval_tui.tui.screens.grid_finding import GridFinding
from eval_tui.tui.still import StillGrid
from eval_tui.tui.widgets.bars import Bar, Query, hints
from eval_tui.tui.widgets.grid import CaseGrid
from eval_tui.tui.widgets.preview import Preview

REST_SECONDS: Final = 0.08
"""The preview follows when the cursor has rested this long."""
HEADS_SHARE: Final = 10
"""Aggregates are made anew after at least this many times as long as making them took."""
HEADS_SECONDS: Final = 0.1
"""... and after at least this long."""
AT_ONCE: Final = 30_000
"""Cells whose aggregates are made at once; those of a larger grid are made in a thread."""


class GridScreen(GridFinding):
    """Cases x judges, live."""

    CSS_PATH = "grid.tcss"
    CONTEXT: ClassVar[Context] = "grid"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("grid")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (14, "-short"), (20, "-tall")]  # noqa: RUF012

    def __init__(self, driver: Driver, glyphs: Glyphs) -> None:
        super().__init__(driver)
        self.glyphs = glyphs
        self._behind = 0
        self._previewed: CellKey | None = None
        self._rest: Timer | None = None
        self._heads_due: Timer | None = None
        self._heads_cost = 0.0
        self._heads: tuple[Head, ...] = ()
        self._counts = words.counts_of(())

    def compose(self) -> ComposeResult:
        yield Bar(id="title")
        with Container(id="body"):
            yield CaseGrid(self.glyphs, id="grid")
            with Container(id="empty"):
                yield Static(id="empty-text", markup=False)
            yield Preview(id="preview")
        with Horizontal(id="filter-row"):
            yield Static("/", id="filter-sign", markup=False)
            yield Query(id="filter", placeholder="part of a case's name", compact=True)
        # Below the grid: its lines stay where they are when the banner comes.
        yield Static(id="banner", markup=False)
        yield Bar(id="status")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        self.query_one("#hints", Bar).show(lambda width: hints("grid", width))
        self.cases.focus()
        self.take(Dirty(structure=True, problems=True, status=True))

    # What is shown

    @property
    def busy(self) -> bool:
        """Whether aggregates or the preview are still to follow what changed."""
        return self._heads_due is not None or self._rest is not None

    def on_resize(self) -> None:
        self._place_preview()

    def _place_preview(self) -> None:
        """Below or beside the grid, as the screen allows; only a new layout moves it."""
        rows, columns = self.grid.rows, self.grid.columns
        longest = min(CASE_MAX, longest_name(rows))
        at = place(self.size.width, self.size.height, len(rows), longest, len(columns))
        body, preview = self.query_one("#body"), self.query_one("#preview")
        body.set_class(at.where == "beside", "-beside")
        preview.display = at.where != "nowhere" and not self.cases.has_class("-hidden")
        preview.styles.width = at.size if at.where == "beside" else "1fr"
        preview.styles.height = at.size if at.where == "below" else "1fr"

    def take(self, dirty: Dirty) -> None:
        if dirty.structure or (self.driver.config is None and dirty):
            self._lay_out()
        elif dirty.cells:
            self._extend_failures(dirty.cells)
            self.cases.update_cells(dirty.cells)
            self._heads_soon()
        self._say_status()

    def behind(self, count: int) -> None:
        """So many cells changed behind the frozen picture."""
        self._behind = count
        self._say_status()

    def hold(self, frozen: bool) -> None:
        self._still = StillGrid.of(self.driver.grid) if frozen else None
        self._behind = 0
        self._lay_out()
        self._say_status()

    def _lay_out(self) -> None:
        driver = self.driver
        empty = words.empty_words(
            driver.config, self.grid, driver.status, driver.problems, bool(driver.evals())
        )
        self.query_one("#empty").set_class(empty is not None, "-shown")
        self.cases.set_class(empty is not None, "-hidden")
        if empty is not None:
            text = Content.assemble(Content.styled(empty[0], "bold"), "\n\n", empty[1])
            self.query_one("#empty-text", Static).update(text)
        if self.cases.only is not None:
            self.cases.only |= failing(self.grid)
        self._counts = words.counts_of(self.grid.rows)
        self._place_preview()
        self._show_grid()

    def _heads_soon(self) -> None:
        if self._heads_due is None:
            wait = max(HEADS_SECONDS, self._heads_cost * HEADS_SHARE)
            self._heads_due = self.set_timer(wait, self._make_heads)

    def _show_grid(self) -> None:
        """Lay the grid out; the aggregates of a large one follow, so that no key waits for them."""
        grid = self.grid
        if len(grid.rows) * len(grid.columns) > AT_ONCE:
            self.cases.show(grid, known_heads(grid.columns, self._heads))
            self._heads_soon()
        else:
            self._heads = self._heads_of(grid)
            self.cases.show(grid, self._heads)

    def _make_heads(self) -> None:
        grid = self.grid
        if len(grid.rows) * len(grid.columns) > AT_ONCE:
            self.run_worker(self._make_heads_apart(grid), exclusive=True, group="heads")
        else:
            self._show_heads(self._heads_of(grid))

    def _heads_of(self, grid: Grid) -> tuple[Head, ...]:
        began = time.perf_counter()
        heads = heads_of(make_board(grid, self.driver.config), self.glyphs)
        self._heads_cost = time.perf_counter() - began
        return heads

    async def _make_heads_apart(self, grid: Grid) -> None:
        self._show_heads(await in_thread(lambda: self._heads_of(grid)))

    def _show_heads(self, heads: tuple[Head, ...]) -> None:
        self._heads, self._heads_due = heads, None
        self.cases.update_heads(heads)

    def _extend_failures(self, cells: frozenset[CellKey]) -> None:
        """With failures only: new ones join; a row that recovers stays until `f` is pressed anew."""
        only = self.cases.only
        if only is None:
            return
        fresh = {key.case for key in cells if failed(self.grid.cell(*key))} - only
        if fresh:
            self.cases.only = only | fresh
            self.cases.rearrange()

    def _say_status(self) -> None:
        status, config, counts = self.driver.status, self.driver.config, self._counts
        frozen, behind = self._still is not None, self._behind
        self.query_one("#title", Bar).show(
            lambda width: words.title_line(config, status, counts, self.glyphs, width)
        )
        self.query_one("#status", Bar).show(
            lambda width: words.status_line(status, frozen, behind, self.glyphs, width)
        )
        banner = self.query_one("#banner", Static)
        text = words.banner(status)
        banner.update(text)
        # Without a config the page in the middle says it.
        banner.set_class(bool(text) and config is not None, "-shown")

    # The preview

    @on(CaseGrid.CellHighlighted)
    def _follow(self) -> None:
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST_SECONDS, self._preview)

    def _preview(self) -> None:
        self._rest = None
        key = self.cases.cursor
        judge, row = self._judge(key), self._row(key)
        detail = self.driver.detail(*key) if key and judge and row else None
        text = words.preview(detail, judge, row, self.glyphs)
        self.query_one("#preview", Preview).show(text, key == self._previewed)
        self._previewed = key

    def _judge(self, key: CellKey | None) -> Judge | None:
        name = key.judge if key else None
        return next((judge for judge in self.grid.columns if judge.name == name), None)

    def _row(self, key: CellKey | None) -> Row | None:
        case = key.case if key else None
        return next((row for row in self.grid.rows if row.case == case), None)

    # Work

    def _chosen(self) -> tuple[CellKey, ...]:
        key = self.cases.cursor
        return tuple(sorted(self.cases.marked)) or ((key,) if key else ())

    def action_rerun(self) -> None:
        self._rerun(self._chosen())
        self.cases.set_marked(frozenset())

    def action_rerun_forced(self) -> None:
        self._rerun(self._chosen(), force=True)
        self.cases.set_marked(frozenset())

    def action_rerun_scope(self, scope: Scope) -> None:
        key = self.cases.cursor
        cells = self.driver.select(scope, key.case if key else None, key.judge if key else None)
        self._rerun(cells)

    def _rerun(self, cells: tuple[CellKey, ...], force: bool = False) -> None:
        def told(queued: int) -> None:
            some = f"{words.plural(queued, 'cell')} queued."
            say(self, some if queued else "Nothing to run there.")

        rerun(self, self.driver, cells, told, force)

    def action_cancel(self) -> None:
        stopped = self.driver.cancel(self._chosen())
        some = f"{words.plural(stopped, 'cell')} cancelled."
        say(self, some if stopped else "Nothing to cancel there.")

    # Elsewhere

    @on(CaseGrid.CellChosen)
    def action_open(self) -> None:
        key = self.cases.cursor
        if key is None:
            return
        from eval_tui.tui.screens.case import CaseScreen

        def left(at: CellKey | None) -> None:
            if at is not None and at != self.cases.cursor:
                self.cases.select(at)

        screen = CaseScreen(self.driver, key.case, key.judge, self.glyphs, self._shown)
        app_of(self).push_screen(screen, left)

    def _shown(self) -> list[str]:
        """The cases that the grid shows, in its order, whether or not it is being seen."""
        cases, rows = self.cases, self.grid.rows
        return [rows[at].case for at in arrange(self.grid, cases.text, cases.only, cases.sort)]

    def action_copy(self) -> None:
        key = self.cases.cursor
        judge = self._judge(key)
        if key is not None and judge is not None:
            text = words.copied_text(self.driver.detail(*key), judge)
            app_of(self).copy_to_clipboard(text)
            say(self, "Copied.")

    def action_edit(self) -> None:
        config = self.driver.config
        if config is None:
            say(self, "There is no config to edit yet.")
            return
        judge = self._judge(self.cases.cursor)
        edit(self, config.path, judge.line if judge else 0)

    def action_runs(self) -> None:
        from eval_tui.tui.screens.runs import RunsScreen

        app_of(self).push_screen(RunsScreen(self.driver))

    def action_evals(self) -> None:
        from eval_tui.tui.screens.evals import EvalsScreen

        app_of(self).push_screen(EvalsScreen(self.driver))

    def action_problems(self) -> None:
        from eval_tui.tui.screens.problems import ProblemsScreen

        app_of(self).push_screen(ProblemsScreen(self.driver))

    def action_step_run(self, step: int) -> None:
        runs = [run.id for run in self.driver.runs()]
        current = self.driver.status.run_id
        at = runs.index(current) + step if current in runs else 0
        if not 0 <= at < len(runs):
            say(self, "There is no older run." if step > 0 else "This is the newest run.")
            return
        self.run_worker(self.driver.open_run(runs[at]), exclusive=True, group="open")
