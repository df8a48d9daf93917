"""The grid beside another run: the baseline or any, as signs, side by side, and what has changed."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from eval_tui.config.schema import EvalConfig
from eval_tui.engine.grid import CellKey
from eval_tui.engine.threads import in_thread
from eval_tui.results.words import count
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say, trials_of
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.screens.grid_filter import GridFilter

if TYPE_CHECKING:
    from eval_tui.engine.baseline import Baseline
    from eval_tui.tui.beside import Beside
    from eval_tui.tui.widgets.trial_column import TrialColumn

NO_BASELINE = (
    "There is no baseline yet: b makes this run, as it is now, the baseline."
    " = compares with another run."
)


class GridComparing(GridFilter):
    """A grid whose cells bear a sign where they are better or worse than in the baseline."""

    glyphs: Glyphs

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._baseline_of: object = None
        """The config, the columns and the state of their code for which the baseline was read."""
        self._baseline: Baseline | None = None
        self._blessed: Beside | None = None
        """The baseline as something to compare with."""
        self._other: Beside | None = None
        """Another run that is compared with in its place."""

    def follow_baseline(self) -> None:
        """Read what is compared with where another eval or other judges came into view."""
        config, columns = self.driver.config, self.own_grid.columns
        code = self.driver.status.code
        wanted = (config.path, columns, code) if config is not None else None
        if wanted != self._baseline_of:
            self._baseline_of = wanted
            if config is not None:
                read = partial(self._read_baseline, config)
                self.run_worker(read, exclusive=True, group="baseline")

    async def _read_baseline(self, config: EvalConfig) -> None:
        baseline = await self.driver.finding.baseline(config, self.own_grid.columns)
        # What an edited judge said in the other run is not its word any more.
        other = await self._stored(self._other.run) if self._other is not None else None
        self._take_baseline(baseline)
        if self._other is not None:
            self._other = other
            self._compare()

    def _take_baseline(self, baseline: Baseline | None) -> None:
        if baseline is None and self._baseline is None:
            return
        from eval_tui.tui.beside import Beside

        columns = self.own_grid.columns
        self._baseline = baseline
        self._blessed = Beside.of(baseline, columns) if baseline is not None else None
        self._compare()

    def _compare(self) -> None:
        """Show the grid beside what it is compared with now."""
        cases = self.cases
        cases.beside = self._other or self._blessed
        cases.side_by_side = cases.side_by_side and cases.beside is not None
        if cases.trials is not None:
            cases.trials.baseline = self._baseline
        self.show_grid()
        if self.filter_text:
            self.search()

    async def _stored(self, run: str) -> Beside | None:
        """A run as it was last scored; None where it has gone, or was never scored."""
        from eval_tui.tui.beside import Beside

        infos = [info for info in self.driver.runs() if info.id == run]
        found = (await self.driver.finding.stored(infos)).get(run) if infos else None
        if found is None:
            return None
        other = Beside.of_run(run, found, self.own_grid.columns)
        return other if await in_thread(lambda: other.knows_any) else None

    def trial_column(self) -> TrialColumn | None:
        """The column of trials beside the one of verdicts, where runs repeat the one in view."""
        trials, verdicts = trials_of(self), self.cases.verdicts
        if trials is None or verdicts is None:
            return None
        from eval_tui.tui.widgets.trial_column import trial_column

        before = self.cases.trials
        return trial_column(verdicts.court, trials, before, self._baseline, self.glyphs)

    @abstractmethod
    def show_grid(self) -> None:
        """Lay the grid out anew."""

    def since(self, key: CellKey, text: Content) -> Content:
        """A text about a cell, below what became of it since the run that it is compared with."""
        beside, grid = self.cases.beside, self.grid
        judge = next((judge for judge in grid.columns if judge.name == key.judge), None)
        if beside is None or judge is None:
            return text
        line = beside.words(key.case, judge, grid.cell(*key), self.glyphs)
        if line is None and self.cases.split is not None:
            row = next((row for row in grid.rows if row.case == key.case), None)
            line = beside.presence_words(row, judge, self.glyphs) if row is not None else None
        return text if line is None else Content("\n").join([line, text])

    def compared(self, key: CellKey) -> Beside | None:
        """The run whose reason is worth reading with that of a cell; None where it says the same."""
        beside = self.cases.beside
        if beside is None or self.cases.split is not None:
            return beside
        return beside if beside.changed(*key, self.grid.cell(*key)) else None

    # Actions

    def action_bless(self) -> None:
        config, run = self.driver.config, self.driver.status.run_id
        if config is None or not run or self.driver.status.loading:
            say(self, "There is no run here to bless yet.")
            return
        beside = self._blessed
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
            made = await self.driver.finding.bless(config, self.own_grid, run)
        except OSError as error:
            say(self, f"The baseline cannot be kept: {error}", "error")
            return
        self._take_baseline(made)
        left = f" {count(made.left_out, 'cell')} not settled, so left out." if made.left_out else ""
        say(self, f"{run} is the baseline: {count(len(made.cells), 'cell')}.{left}")

    def action_drop_baseline(self) -> None:
        config = self.driver.config
        if config is None or self._baseline is None:
            say(self, NO_BASELINE)
            return
        try:
            self.driver.finding.drop(config)
        except OSError as error:
            say(self, f"The baseline cannot be removed: {error}", "error")
            return
        self._take_baseline(None)
        say(self, "There is no baseline any more.")

    def action_side_by_side(self) -> None:
        """Both runs in one grid, or the one in view alone again."""
        cases = self.cases
        if cases.side_by_side:
            cases.side_by_side, self._other = False, None
            self._compare()
        elif cases.beside is not None:
            cases.side_by_side = True
            self._compare()
        else:
            self.action_other_run()

    def action_other_run(self) -> None:
        """Ask which run to show side by side with the one in view."""
        if len(self.driver.runs()) < 2:
            say(self, "There is no other run to compare with.")
            return
        from eval_tui.tui.screens.other_run import OtherRunScreen

        def chosen(run: str) -> None:
            self.run_worker(partial(self._compare_with, run), exclusive=True, group="other-run")

        app_of(self).push_screen(OtherRunScreen(self.driver, self.glyphs, chosen))

    async def _compare_with(self, run: str) -> None:
        found = await self._stored(run)
        if found is None:
            say(self, f"{run} has no scores yet: look at it once (m), and its judges run.")
            return
        self._other, self.cases.side_by_side = found, True
        self._compare()
        if unknown := await in_thread(lambda: found.unknown):
            some = f"{count(unknown, 'cell')} of {run} without any value"
            say(self, f"{some}: look at that run once (m), and its judges run.")

    def action_changes(self) -> None:
        beside = self.cases.beside
        if beside is None:
            say(self, NO_BASELINE)
            return
        from eval_tui.tui.screens.changes import ChangesScreen

        def left(at: CellKey | None) -> None:
            if at is not None:
                self.cases.select(at)

        screen = ChangesScreen(self.driver, lambda: self.own_grid, beside, self.glyphs)
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
