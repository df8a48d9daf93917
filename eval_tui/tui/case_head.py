"""The header of the case screen: which cell this is, what its value is, and its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellKey, Detail
from eval_tui.tui.face import Driver
from eval_tui.tui.host import book_of, shows_verdicts, trials_of
from eval_tui.tui.marks import Glyphs, mark, score_words, sign_of, state_words
from eval_tui.tui.text import content, one_line
from eval_tui.tui.widgets.bars import Bar
from eval_tui.tui.words import LOOK_STYLES, beside

if TYPE_CHECKING:
    from eval_tui.results.verdicts import Court


class CaseHead(Bar):
    """The header; further lines say the case's verdict, its trials, and what the person thinks."""

    def __init__(
        self, driver: Driver, cell: Callable[[], CellKey], glyphs: Glyphs, *, id: str
    ) -> None:
        super().__init__(id=id)
        self._driver, self._cell, self._glyphs = driver, cell, glyphs
        self._court: Court | None = None

    def show(self, make: Callable[[int], Content]) -> None:
        lines = (self._verdict(), self._trials(), self._opinion())
        more = [line for line in lines if line is not None]
        self.styles.height = 2 + len(more)
        cut = self._glyphs.ellipsis
        super().show(
            lambda width: Content("\n").join(
                [make(width), *(beside(line, Content(""), width, cut) for line in more)]
            )
        )

    def _opinion(self) -> Content | None:
        book = book_of(self)
        if book is None:
            return None
        from eval_tui.results.review import agreement
        from eval_tui.tui.opinion_words import opinion_line

        grid, (case, judge) = self._driver.grid, self._cell()
        found = agreement(grid, judge, book)
        return opinion_line(book.of(case), grid.cell(case, judge).score, self._glyphs, found)

    def _verdict(self) -> Content | None:
        config = self._driver.config
        if config is None or not shows_verdicts(self, config):
            return None
        from eval_tui.tui.verdict_words import case_line, court_for

        self._court = court_for(self._driver, self._court)
        return case_line(self._court, self._driver.grid, self._cell().case, self._glyphs)

    def _trials(self) -> Content | None:
        trials = trials_of(self)
        if trials is None or trials.repeats is None or self._court is None:
            return None
        from eval_tui.tui.trials import case_trials_line

        grid, case = self._driver.grid, self._cell().case
        return case_trials_line(trials.repeats, self._court, grid, case, self._glyphs)


@dataclass(frozen=True, slots=True)
class Head:
    """What the header says."""

    detail: Detail
    judge: Judge
    place: tuple[int, int]
    """Place among the failed cases, see `FailedCases.place`."""
    run: str = ""
    gone: str = ""
    """Why the cell is no longer there; what is shown then is the last that was known."""
    costs: str = ""
    """What agent and judge cost, see `costs.cell_costs`."""


def head_lines(head: Head, glyphs: Glyphs, width: int) -> Content:
    """Two lines: case, judge and place among the failed; mark, value in words and state."""
    dot = Content.styled(f" {glyphs.dot} ", "$skip")
    detail, judge = head.detail, head.judge
    name = Content.assemble(
        content(one_line(detail.key.case), "bold"),
        dot,
        content(one_line(judge.name), "bold $primary"),
    )
    facts = [place_words(head.place), f"run {head.run}" if head.run and width >= 98 else ""]
    side = content(one_line(f" {glyphs.dot} ".join(filter(None, facts))), "$skip")
    if name.cell_length + side.cell_length + 2 > width:
        side = Content("")
    cell = Cell(detail.cell.state, detail.score, detail.cell.recorded, detail.cell.waiting)
    shown = mark(cell, judge, glyphs)
    sign = sign_of(cell.score, shown, glyphs)
    value = content(sign + score_words(cell.score, judge), LOOK_STYLES[shown.look])
    state = head.gone or state_words(cell)
    if state:
        value = Content.assemble(value, dot, content(state, "$stale"))
    cut = glyphs.ellipsis
    spent = Content.styled(head.costs, "$skip") if head.costs else Content("")
    if value.cell_length + spent.cell_length + 2 > width:
        spent = Content("")
    return Content("\n").join([beside(name, side, width, cut), beside(value, spent, width, cut)])


def place_words(place: tuple[int, int]) -> str:
    """`failed 3 of 7`, or how many others failed; empty when none did."""
    at, count = place
    if at:
        return f"failed {at} of {count}"
    return f"{count} failed" if count else ""
