"""What stands above the columns of the grid: made anew when cells change, and no key waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual.timer import Timer

from eval_tui.engine.grid import Grid
from eval_tui.engine.threads import in_thread
from eval_tui.results.board import make_board
from eval_tui.tui.heads import heads_of, known_heads
from eval_tui.tui.host import book_of
from eval_tui.tui.layout import Head
from eval_tui.tui.screens.grid_finding import GridFinding
from eval_tui.tui.text import one_line

if TYPE_CHECKING:
    from eval_tui.results.review import ReviewBook

HEADS_SHARE: Final = 10
"""Aggregates are made anew after at least this many times as long as making them took."""
HEADS_SECONDS: Final = 0.1
"""... and after at least this long."""
AT_ONCE: Final = 30_000
"""Cells whose aggregates are made at once; those of a larger grid are made in a thread."""

VERDICT_CELLS: Final = 5
"""A case's verdict or reward takes about as long as the aggregates of so many cells."""


class GridHeads:
    """The heads of a grid screen's columns, with the figures of its verdicts, rewards and trials."""

    def __init__(self, screen: GridFinding, told: Callable[[], None]) -> None:
        """`told` is called when the figures are others."""
        self._screen, self._told = screen, told
        self.due: Timer | None = None
        """Until they follow what changed."""
        self._cost = 0.0
        self._heads: tuple[Head, ...] = ()

    def show_grid(self) -> None:
        """Lay the grid out; the aggregates of a large one follow, so that no key waits for them."""
        screen, grid = self._screen, self._screen.grid
        if self._counted(grid) > AT_ONCE:
            screen.cases.show(grid, known_heads(grid.columns, self._heads))
            self.follow()
        else:
            self._heads = self._made(grid, book_of(screen))
            screen.cases.show(grid, self._heads)
            self._told()

    def follow(self) -> None:
        """Cells have changed: make the aggregates anew, soon."""
        if self.due is None:
            wait = max(HEADS_SECONDS, self._cost * HEADS_SHARE)
            self.due = self._screen.set_timer(wait, self._make)

    def _make(self) -> None:
        screen, grid = self._screen, self._screen.grid
        if screen.driver.status.loading:  # nobody counts cells that are not there yet
            self.due = None
            self.follow()
        elif self._counted(grid) > AT_ONCE:
            screen.run_worker(self._make_apart(grid), exclusive=True, group="heads")
        else:
            self._show(self._made(grid, book_of(screen)))

    def _counted(self, grid: Grid) -> int:
        """How many cells are looked at for the aggregates; a verdict takes as long as some more."""
        of_cases = len(self._screen.cases.of_cases)
        return len(grid.rows) * (len(grid.columns) + VERDICT_CELLS * of_cases)

    def _made(self, grid: Grid, book: ReviewBook | None) -> tuple[Head, ...]:
        screen, began = self._screen, time.perf_counter()
        cases, unfolded = screen.cases, screen.unfolded
        board = make_board(grid, screen.driver.config, unfolded=unfolded)
        split = cases.split
        then = split.figures.of(grid.columns, unfolded) if split is not None else None
        heads = heads_of(board, screen.glyphs, then)
        if book:
            from eval_tui.tui.opinion_words import with_agreement

            heads = with_agreement(heads, grid, book, screen.glyphs)
        for column in cases.of_cases:
            column.count(grid)
        self._cost = time.perf_counter() - began
        return heads

    async def _make_apart(self, grid: Grid) -> None:
        book = book_of(self._screen)
        heads = await in_thread(lambda: self._made(grid, book))
        if not self._screen.driver.status.loading:  # else another grid came, and its heads will
            self._show(heads)

    def _show(self, heads: tuple[Head, ...]) -> None:
        screen = self._screen
        known = [head.part for head in self._heads]
        self._heads, self.due = heads, None
        self._told()
        if known == [head.part for head in heads]:
            screen.cases.update_heads(heads)
        elif [head.name for head in heads if not head.part] == [
            one_line(judge.name) for judge in screen.grid.columns
        ]:  # a part has come or gone
            screen.cases.show(screen.grid, heads)
