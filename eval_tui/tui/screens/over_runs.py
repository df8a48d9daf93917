"""One cell and its judge's figure over the runs, as small plots and as a list."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from textual.content import Content

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellState, RunInfo
from eval_tui.results.aggregate import Aggregate, aggregate
from eval_tui.results.words import summary
from eval_tui.scores import Measured, Score
from eval_tui.tui.beside import cell_words
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import ASCII, Glyphs, scale_of
from eval_tui.tui.opening import open_run
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.sparkline import ASCII_BARS, BARS, sparkline
from eval_tui.tui.text import content, fit, one_line

RUNS_MOST: Final = 40
"""How many runs are looked at, the newest ones."""
NAME_MOST: Final = 28


@dataclass(frozen=True, slots=True)
class Point:
    """What there is in one run."""

    run: RunInfo
    cell: Cell
    figure: Aggregate


class OverRunsScreen(ListScreen):
    """Newest first. Opening an entry shows that run."""

    NOTHING: ClassVar[str] = "No run has a value of this judge."
    COUNTED: ClassVar[bool] = False

    def __init__(self, driver: Driver, case: str, judge: Judge, glyphs: Glyphs) -> None:
        super().__init__(driver)
        self._case, self._judge, self._glyphs = case, judge, glyphs
        self._points: tuple[Point, ...] = ()

    def on_mount(self) -> None:
        super().on_mount()
        self.run_worker(self._look, group="runs")

    async def _look(self) -> None:
        for run in self.driver.runs()[:RUNS_MOST]:
            told = await self.driver.finding.column(run, self._judge)
            here = run.id == self.driver.status.run_id
            scores = self._now() if here else told
            cells = {case: Cell(CellState.FRESH, score) for case, score in scores.items()}
            cell = cells.get(self._case, EMPTY_CELL)
            self._points += (Point(run, cell, aggregate(cells.values())),)
            self._fill(run.id if here else "")

    def _now(self) -> Mapping[str, Score]:
        """What the live grid holds."""
        grid, name = self.driver.grid, self._judge.name
        cells = ((row.case, grid.cell(row.case, name).score) for row in grid.rows)
        return {case: score for case, score in cells if score is not None}

    def headline(self) -> str:
        return (
            f"{one_line(self._case)} {self._glyphs.dot} {one_line(self._judge.name)} over the runs"
        )

    def entries(self) -> Sequence[Entry]:
        if not any(point.cell.score or point.figure.total for point in self._points):
            return []
        return [*self._plots(), *map(self._entry, self._points)]

    def _plots(self) -> Sequence[Entry]:
        bars = ASCII_BARS if self._glyphs is ASCII else BARS
        low, high = scale_of(self._judge)
        own = [_number(point.cell.score, low, high) for point in reversed(self._points)]
        rates = [point.figure.pass_rate for point in reversed(self._points)]
        means = [point.figure.mean for point in reversed(self._points)]
        is_rate = any(rate is not None for rate in rates)
        figures = sparkline(rates, 0, 1, bars) if is_rate else sparkline(means, low, high, bars)
        return [
            _plot("this case", sparkline(own, low, high, bars)),
            _plot("pass rate" if is_rate else "mean", figures),
        ]

    def _entry(self, point: Point) -> Entry:
        run = point.run
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started))
        value, figure = cell_words(point.cell, self._judge, self._glyphs), summary(point.figure)
        here = "* " if run.id == self.driver.status.run_id else "  "
        return Entry(
            run.id,
            Content.assemble(
                Content.styled(here, "bold $primary"),
                content(fit(one_line(run.id), NAME_MOST)),
                content(f"  {at}  ", "$skip"),
                content(fit(value, 14), "bold"),
                content(figure),
            ),
            f"{run.id}: {value}; {figure}",
            str(Path(run.path) / "run_result.json"),
        )

    def open_entry(self, entry: Entry) -> None:
        self.dismiss()
        open_run(self, self.driver, entry.key)


def _plot(name: str, plot: str) -> Entry:
    shown = Content.assemble(content(f"  {fit(name, 12)}"), content(plot, "$primary"))
    return Entry(f"\0{name}", shown, f"{name}: {plot}", opens=False)


def _number(score: Score | None, low: float, high: float) -> float | None:
    if not isinstance(score, Measured):
        return None
    if isinstance(score.value, bool):
        return high if score.value else low
    try:
        return float(score.value)
    except OverflowError:
        return high if score.value > 0 else low
