"""Finding cells in the grid: the filter, failures, the order of the cases, and marks."""

from __future__ import annotations

from eval_tui.engine.grid import CellKey
from eval_tui.results.parts import part_names
from eval_tui.tui import words
from eval_tui.tui.face import Driver
from eval_tui.tui.host import say
from eval_tui.tui.layout import Sort
from eval_tui.tui.order import failing, has_numbers
from eval_tui.tui.screens.grid_comparing import GridComparing
from eval_tui.tui.state import Place


class GridFinding(GridComparing):
    """What of the grid is shown and marked; the screen that shows it builds on this."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._range_start: CellKey | None = None
        self.unfolded: frozenset[str] = frozenset()
        """Judges whose parts have columns of their own."""

    @property
    def cell(self) -> CellKey | None:
        return self.cases.cursor

    # Where the person is

    @property
    def place(self) -> Place:
        """Cursor, filter, order and folds as they are now."""
        cases, key, sort = self.cases, self.cases.cursor, self.cases.sort
        return Place(
            case=key.case if key else "",
            judge=key.judge if key else "",
            filter=self.filter_text,
            failures=cases.only is not None,
            sort=sort.judge if sort else "",
            way=sort.way if sort else "",
            part=sort.part if sort else "",
            unfolded=tuple(sorted(self.unfolded)),
        )

    def put_back(self, place: Place) -> None:
        """Go where the person was."""
        self.unfolded = frozenset(place.unfolded)
        way = "best" if place.way == "best" else "worst"
        self.cases.sort = Sort(place.sort, way, place.part) if place.sort else None
        self.cases.only = failing(self.grid) if place.failures else None
        if place.filter != self.filter_text:
            self.set_filter(place.filter)
        if place.case:
            self.cases.select(CellKey(place.case, place.judge))
        self.show_grid()

    # Finding

    def action_clear(self) -> None:
        filter_row = self.query_one("#filter-row")
        if filter_row.has_class("-shown"):
            self.set_filter("")
        elif self.cases.marked or self._range_start:
            self.cases.set_marked(frozenset())
            self._range_start = None
        elif self.cases.only is not None:
            self.action_failures()
        self.cases.focus()

    def action_failures(self) -> None:
        if self.cases.only is not None:
            self.cases.only = None
        else:
            only = failing(self.grid)
            if not only:
                say(self, words.no_failures(has_numbers(self.grid)))
                return
            self.cases.only = only
        self.cases.rearrange()

    def action_failure(self, step: int) -> None:
        if not self.cases.next_failure(step):
            say(self, words.no_failures(has_numbers(self.grid)))

    def action_sort(self) -> None:
        key = self.cases.cursor
        if key is None:
            return
        now, part = self.cases.sort, self.cases.part
        if now is None or (now.judge, now.part) != (key.judge, part):
            self.cases.sort = Sort(key.judge, "worst", part)
        elif not self.cases.in_order:  # values have come since: the same order again
            self.cases.order_anew()
        else:
            self.cases.sort = Sort(key.judge, "best", part) if now.way == "worst" else None
        self.cases.rearrange()

    def action_unfold(self) -> None:
        key = self.cases.cursor
        if key is None:
            return
        if key.judge in self.unfolded:
            self.unfolded -= {key.judge}
            self.cases.leave_part()
        elif self._parts_of(key.judge):
            self.unfolded |= {key.judge}
        else:
            say(self, "The scores of this judge have no parts.")
            return
        self.show_grid()

    def _parts_of(self, judge: str) -> tuple[str, ...]:
        grid = self.grid
        column = next(column for column in grid.columns if column.name == judge)
        return part_names(column, (grid.cell(row.case, judge).score for row in grid.rows))

    # Marks

    def action_mark(self) -> None:
        key = self.cases.cursor
        if key is not None:
            self.cases.set_marked(self.cases.marked ^ {key})

    def action_mark_range(self) -> None:
        key = self.cases.cursor
        if key is None:
            return
        if self._range_start is None:
            self._range_start = key
            self.cases.set_marked(self.cases.marked | {key})
            say(self, "v again elsewhere marks all cells between.")
            return
        between = self.cases.between(self._range_start, key)
        self._range_start = None
        self.cases.set_marked(self.cases.marked | between)
