"""The first screen: the live grid, a preview of the cell under the cursor, and what is going on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import Static

from eval_tui.engine.grid import CellKey, Dirty, Scope
from eval_tui.engine.select import failed
from eval_tui.tui import cell_words, words
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.costs import cost_line
from eval_tui.tui.editor import edit
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say, shows_verdicts
from eval_tui.tui.layout import CASE_MAX, longest_name
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.opening import open_run
from eval_tui.tui.order import arrange, failing
from eval_tui.tui.placing import place
from eval_tui.tui.rerun import rerun
from eval_tui.tui.screens.grid_filter import Completion
from eval_tui.tui.screens.grid_heads import GridHeads
from eval_tui.tui.screens.grid_preview import GridPreview
from eval_tui.tui.still import StillGrid
from eval_tui.tui.widgets.bars import Bar, Query, first_keys
from eval_tui.tui.widgets.grid import CaseGrid
from eval_tui.tui.widgets.preview import Preview

if TYPE_CHECKING:
    from eval_tui.tui.widgets.reward_column import RewardColumn
    from eval_tui.tui.widgets.verdict_column import VerdictColumn


class GridScreen(GridPreview):
    """Cases x judges, live."""

    CSS_PATH = "grid.tcss"
    CONTEXT: ClassVar[Context] = "grid"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("grid")]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (14, "-short"), (20, "-tall")]  # noqa: RUF012

    def __init__(self, driver: Driver, glyphs: Glyphs) -> None:
        super().__init__(driver, glyphs)
        self.welcome = False
        """The hint for the first time is shown."""
        self.heads = GridHeads(self, self._say_status)
        self._behind = 0
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
            yield Query(
                id="filter",
                placeholder="a word, fail, unmeasured:evidence, judge:name<3, tag:nav, and or not",
                suggester=Completion(self.driver),
                compact=True,
            )
            yield Static("", id="filter-note", markup=False)
        # Below the grid: its lines stay where they are when the banner comes.
        yield Static(id="banner", markup=False)
        if self.welcome:
            yield Bar(id="welcome")
        yield Bar(id="status")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        for bar in self.query("#welcome").results(Bar):
            bar.show(lambda width: words.welcome_line(first_keys(), width, self.glyphs))
        self.cases.focus()
        self.take(Dirty(structure=True, problems=True, status=True))

    # What is shown

    @property
    def busy(self) -> bool:
        """Whether aggregates or the preview are still to follow what changed."""
        return self.heads.due is not None or not self.resting

    @property
    def idle(self) -> frozenset[str]:
        found = {"rerun"} if self.driver.status.document else set[str]()
        if all(problem.severity == "note" for problem in self.driver.problems):
            found.add("problems")
        if self.cases.has_class("-hidden"):
            found |= {"open", "rerun", "failures", "filter"}
            found |= set() if self.driver.status.run_id else {"runs"}
        return frozenset(found)

    def on_screen_suspend(self) -> None:
        self.query("#welcome").remove()  # something else was found

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
            self.join(dirty.cells)
            self.cases.update_cells(dirty.cells)
            self.heads.follow()
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
        self.query("#welcome").set(display=empty is None)
        if empty is not None:
            text = Content.assemble(Content.styled(empty[0], "bold"), "\n\n", empty[1])
            self.query_one("#empty-text", Static).update(text)
        if self.cases.only is not None:
            self.cases.only |= failing(self.grid)
        self._counts = words.counts_of(self.own_grid.rows)
        self.cases.verdicts, self.cases.rewards = self._verdict_column(), self._reward_column()
        self.cases.trials = self.trial_column()
        self._place_preview()
        self.find_anew()
        self.follow_baseline()
        self.show_grid()

    def show_grid(self) -> None:
        self.heads.show_grid()

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
        of_cases, dot = self.cases.of_cases, f" {self.glyphs.dot} "
        split = self.cases.split
        self.query_one("#title", Bar).show(
            lambda width: words.title_line(
                config,
                status,
                counts,
                self.glyphs,
                width,
                dot.join(filter(None, (column.counted(width < 100) for column in of_cases))),
                split.brief if split is not None else "",
            )
        )
        self.query_one("#status", Bar).show(
            lambda width: words.status_line(status, frozen, behind, self.glyphs, width)
        )
        self.say_hints(lambda width: cost_line(status.costs, self.glyphs, width // 2))
        banner = self.query_one("#banner", Static)
        text = words.banner(status, bool(self.grid.rows))
        banner.update(text)
        # Without a config the page in the middle says it.
        banner.set_class(bool(text) and config is not None, "-shown")
        self.set_class(banner.has_class("-shown"), "-told")

    def _verdict_column(self) -> VerdictColumn | None:
        config = self.driver.config
        if config is None or not shows_verdicts(self, config):
            return None
        from eval_tui.tui.widgets.verdict_column import column_for

        return column_for(self.driver, self.cases.verdicts, self.glyphs)

    def _reward_column(self) -> RewardColumn | None:
        config = self.driver.config
        if config is None or config.reward is None:
            return None
        from eval_tui.tui.widgets.reward_column import reward_column

        return reward_column(self.driver, self.grid, self.cases.rewards, self.glyphs)

    # Work

    def _chosen(self) -> tuple[CellKey, ...]:
        key = self.cases.cursor
        return tuple(sorted(self.cases.marked)) or ((key,) if key else ())

    def action_rerun(self) -> None:
        rerun(self, self.driver, self._chosen())
        self.cases.set_marked(frozenset())

    def action_rerun_forced(self) -> None:
        rerun(self, self.driver, self._chosen(), force=True)
        self.cases.set_marked(frozenset())

    def action_rerun_scope(self, scope: Scope) -> None:
        key = self.cases.cursor
        cells = self.driver.select(scope, key.case if key else None, key.judge if key else None)
        rerun(self, self.driver, cells)

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

        beside = self.compared(key)
        screen = CaseScreen(self.driver, key.case, key.judge, self.glyphs, self._shown, beside)
        app_of(self).push_screen(screen, left)

    def _shown(self) -> list[str]:
        """The cases that the grid shows, in its order, whether or not it is being seen."""
        cases, rows = self.cases, self.grid.rows
        return [rows[at].case for at in arrange(self.grid, cases.found, cases.only, cases.ranks)]

    def action_copy(self) -> None:
        key = self.cases.cursor
        judge = self.judge_of(key)
        if key is not None and judge is not None:
            text = cell_words.copied_text(self.driver.detail(*key), judge, self.cases.part)
            app_of(self).copy_to_clipboard(text)
            say(self, "Copied.")

    def action_edit(self) -> None:
        config = self.driver.config
        if config is None:
            say(self, "There is no config to edit yet.")
            return
        judge = self.judge_of(self.cases.cursor)
        edit(self, config.path, judge.line if judge else 0)

    def action_runs(self) -> None:
        from eval_tui.tui.screens.runs import RunsScreen

        app_of(self).push_screen(RunsScreen(self.driver, self.glyphs))

    def action_evals(self) -> None:
        from eval_tui.tui.screens.evals import EvalsScreen

        app_of(self).push_screen(EvalsScreen(self.driver))

    def action_problems(self) -> None:
        from eval_tui.tui.screens.problems import ProblemsScreen

        app_of(self).push_screen(ProblemsScreen(self.driver))

    def action_write_summary(self) -> None:
        from eval_tui.tui.summary import write_run_summary

        work = write_run_summary(self, self.driver)
        self.run_worker(work, exclusive=True, group="summary")

    def action_authority(self) -> None:
        from eval_tui.tui.screens.authority import AuthorityScreen

        app_of(self).push_screen(AuthorityScreen(self.driver))

    def action_step_run(self, step: int) -> None:
        runs = [run.id for run in self.driver.runs()]
        current = self.driver.status.run_id
        at = runs.index(current) + step if current in runs else 0
        if not 0 <= at < len(runs):
            say(self, "There is no older run." if step > 0 else "This is the newest run.")
            return
        open_run(self, self.driver, runs[at])
