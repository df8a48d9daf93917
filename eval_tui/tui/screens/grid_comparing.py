"""The grid beside its baseline: blessing one, what is said about a cell, and what has changed."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from eval_tui.config.schema import EvalConfig
from eval_tui.engine.grid import CellKey
from eval_tui.results.words import count
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say, trials_of
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.screens.grid_filter import GridFilter

if TYPE_CHECKING:
    from eval_tui.engine.baseline import Baseline
    from eval_tui.tui.widgets.trial_column import TrialColumn

NO_BASELINE = "There is no baseline yet: b makes this run, as it is now, the baseline."


class GridComparing(GridFilter):
    """A grid whose cells bear a sign where they are better or worse than in the baseline."""

    glyphs: Glyphs

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._baseline_of: object = None
        """The config and the columns for which the baseline was read."""

    def follow_baseline(self) -> None:
        """Read the baseline where another eval or other judges came into view."""
        config, columns = self.driver.config, self.grid.columns
        wanted = (config.path, columns) if config is not None else None
        if wanted != self._baseline_of:
            self._baseline_of = wanted
            if config is not None:
                read = partial(self._read_baseline, config)
                self.run_worker(read, exclusive=True, group="baseline")

    async def _read_baseline(self, config: EvalConfig) -> None:
        self._take_baseline(await self.driver.finding.baseline(config, self.grid.columns))

    def _take_baseline(self, baseline: Baseline | None) -> None:
        if baseline is None and self.cases.beside is None:
            return
        from eval_tui.tui.beside import Beside

        columns = self.grid.columns
        self.cases.beside = Beside.of(baseline, columns) if baseline is not None else None
        if self.cases.trials is not None:
            self.cases.trials.baseline = baseline
        self.show_grid()
        if self.filter_text:
            self.search()

    def trial_column(self) -> TrialColumn | None:
        """The column of trials beside the one of verdicts, where runs repeat the one in view."""
        trials, verdicts = trials_of(self), self.cases.verdicts
        if trials is None or verdicts is None:
            return None
        from eval_tui.tui.widgets.trial_column import trial_column

        beside, before = self.cases.beside, self.cases.trials
        baseline = beside.baseline if beside is not None else None
        return trial_column(verdicts.court, trials, before, baseline, self.glyphs)

    @abstractmethod
    def show_grid(self) -> None:
        """Lay the grid out anew."""

    def since(self, key: CellKey, text: Content) -> Content:
        """A text about a cell, below what became of it since the baseline."""
        beside, grid = self.cases.beside, self.grid
        judge = next((judge for judge in grid.columns if judge.name == key.judge), None)
        if beside is None or judge is None:
            return text
        line = beside.words(key.case, judge, grid.cell(*key), self.glyphs)
        return text if line is None else Content("\n").join([line, text])

    # Actions

    def action_bless(self) -> None:
        config, run = self.driver.config, self.driver.status.run_id
        if config is None or not run or self.driver.status.loading:
            say(self, "There is no run here to bless yet.")
            return
        beside = self.cases.beside
        if beside is None:
            self._bless(config, run)
            return
        from eval_tui.tui.screens.confirm import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self._bless(config, run)

        question = f"The baseline is {beside.name}. Have {run}, as it is now, in its place?"
        app_of(self).push_screen(ConfirmScreen(question), answered)

    def _bless(self, config: EvalConfig, run: str) -> None:
        self.run_worker(partial(self._blessing, config, run), exclusive=True, group="baseline")

    async def _blessing(self, config: EvalConfig, run: str) -> None:
        try:
            made = await self.driver.finding.bless(config, self.grid, run)
        except OSError as error:
            say(self, f"The baseline cannot be kept: {error}", "error")
            return
        self._take_baseline(made)
        left = f" {count(made.left_out, 'cell')} not settled, so left out." if made.left_out else ""
        say(self, f"{run} is the baseline: {count(len(made.cells), 'cell')}.{left}")

    def action_drop_baseline(self) -> None:
        config = self.driver.config
        if config is None or self.cases.beside is None:
            say(self, NO_BASELINE)
            return
        try:
            self.driver.finding.drop(config)
        except OSError as error:
            say(self, f"The baseline cannot be removed: {error}", "error")
            return
        self._take_baseline(None)
        say(self, "There is no baseline any more.")

    def action_changes(self) -> None:
        beside = self.cases.beside
        if beside is None:
            say(self, NO_BASELINE)
            return
        from eval_tui.tui.screens.changes import ChangesScreen

        def left(at: CellKey | None) -> None:
            if at is not None:
                self.cases.select(at)

        screen = ChangesScreen(self.driver, lambda: self.grid, beside, self.glyphs)
        app_of(self).push_screen(screen, left)

    def action_over_runs(self) -> None:
        key = self.cases.cursor
        judge = next((one for one in self.grid.columns if key and one.name == key.judge), None)
        if key is None or judge is None:
            return
        from eval_tui.tui.screens.over_runs import OverRunsScreen

        app_of(self).push_screen(OverRunsScreen(self.driver, key.case, judge, self.glyphs))

    def action_groups(self) -> None:
        from eval_tui.tui.screens.groups import GroupsScreen

        app_of(self).push_screen(GroupsScreen(self.driver, self.grid, self.set_filter))

    def action_lenses(self) -> None:
        from eval_tui.tui.screens.lenses import LensesScreen

        screen = LensesScreen(self.driver, self.filter_text, self.set_filter)
        app_of(self).push_screen(screen)
