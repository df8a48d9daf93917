"""The cell that is read in the case screen: what is known of it, and its place among the failed ones."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CellKey, CellState, Detail, Dirty, Grid
from eval_tui.engine.select import failed
from eval_tui.tui.face import Driver

Shown = Callable[[], Sequence[str]]
"""The cases that the grid shows, in its order."""


class CaseCell:
    """Looked at again with every change; one that is gone keeps what was known, and says so."""

    def __init__(self, driver: Driver, key: CellKey, shown: Shown | None = None) -> None:
        """`shown`: `step` follows it; without it the order is that of all cases."""
        self._driver, self._shown = driver, shown
        self.key = key
        self.detail: Detail = driver.detail(*key)
        self.column = self._find_column() or Judge(key.judge, "unknown")
        self.gone = ""
        """Why the cell is no longer there, in words."""
        self._failed = self._find_failed()

    def go_to(self, case: str) -> None:
        """Read the same judge on another case."""
        self.key = CellKey(case, self.key.judge)
        self.detail, self.gone = self._driver.detail(*self.key), ""

    def take(self, dirty: Dirty) -> bool:
        """What changed. Whether the case's files are worth another look because of it."""
        if dirty.structure:
            self._failed = self._find_failed()
        else:
            self._failed.update(dirty.cells)
        return (dirty.structure or self.key in dirty.cells) and self._look(dirty.structure)

    def _look(self, structure: bool) -> bool:
        rows, column, before = self._driver.grid.rows, self._find_column(), self.detail
        if column is None:
            self.gone = "this judge is no longer in the config"
        elif structure and all(row.case != self.key.case for row in rows):
            self.gone = "no longer in this run"
        else:
            self.detail, self.column, self.gone = self._driver.detail(*self.key), column, ""
            return structure or _judged_since(before, self.detail)
        return False

    @property
    def place(self) -> tuple[int, int]:
        """Which of the failed cases of the judge it is, see `FailedCases.place`."""
        return self._failed.place(self.key.case)

    @property
    def others(self) -> bool:
        """Whether any other case failed the judge."""
        return self._failed.others(self.key.case)

    def step(self, by: int) -> str | None:
        """The next (1) or previous (-1) case that failed the judge, if there is another."""
        return self._failed.step(self.key.case, by)

    def _find_failed(self) -> FailedCases:
        shown = self._shown() if self._shown is not None else None
        return FailedCases(self._driver.grid, self.key.judge, shown)

    def _find_column(self) -> Judge | None:
        columns = self._driver.grid.columns
        return next((one for one in columns if one.name == self.key.judge), None)


def _judged_since(before: Detail, now: Detail) -> bool:
    """Whether a cell was judged anew."""
    settled = now.cell.state is CellState.FRESH and before.cell.state is not CellState.FRESH
    return settled or now.at != before.at


class FailedCases:
    """The failed cases of one judge in the order shown, kept up to date cell by cell."""

    def __init__(self, grid: Grid, judge: str, shown: Sequence[str] | None = None) -> None:
        """`shown`: the cases in the order of the grid's filter and sort; None for all."""
        self._grid = grid
        self._judge = judge
        self._cases = [row.case for row in grid.rows] if shown is None else shown
        self._order = {case: at for at, case in enumerate(self._cases)}
        self._failed = {case for case in self._order if failed(grid.cell(case, judge))}
        self._sorted: list[int] | None = None

    def update(self, keys: Iterable[CellKey]) -> None:
        """Look at the cells that changed."""
        for case, judge in keys:
            if judge == self._judge and case in self._order:
                if failed(self._grid.cell(case, judge)):
                    self._failed.add(case)
                else:
                    self._failed.discard(case)
                self._sorted = None

    def _places(self) -> Sequence[int]:
        """Where in the grid the failed cases stand, in order."""
        if self._sorted is None:
            self._sorted = sorted(self._order[case] for case in self._failed)
        return self._sorted

    def place(self, case: str) -> tuple[int, int]:
        """Which of the failed cases this is (from 1; 0 if it did not fail), and of how many."""
        places = self._places()
        return (bisect_right(places, self._order[case]) if case in self._failed else 0), len(places)

    def others(self, case: str) -> bool:
        """Whether any other case failed."""
        return len(self._failed) > (case in self._failed)

    def step(self, case: str, by: int) -> str | None:
        """The next (1) or previous (-1) failed case, round the ends; None if there is no other."""
        here = self._order.get(case, -1)
        places = [place for place in self._places() if place != here]
        if not places:
            return None
        beyond = [place for place in places if (place > here if by > 0 else place < here)]
        return self._cases[(beyond or places)[0 if by > 0 else -1]]
