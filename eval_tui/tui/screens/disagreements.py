"""Where a judge says something else than the person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.content import Content

from eval_tui.engine.grid import CellKey
from eval_tui.results.review import agreement, agreement_words, disagreements
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.opinion_words import opinion_line
from eval_tui.tui.opinions import Opinions
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, one_line


class DisagreementsScreen(ListScreen):
    """Judge by judge; opening one goes to its cell."""

    HEADLINE: ClassVar[str] = "Judges that disagree with you"
    NOTHING: ClassVar[str] = (
        "No judge says something else than you. V on a case gives it a verdict of yours, which"
        " stands here beside those of the judges."
    )

    def __init__(
        self, driver: Driver, opinions: Opinions, glyphs: Glyphs, go: Callable[[CellKey], None]
    ) -> None:
        """`go` is called with the cell that was chosen."""
        super().__init__(driver)
        self._opinions, self._glyphs, self._go = opinions, glyphs, go

    def entries(self) -> Sequence[Entry]:
        book, grid = self._opinions.book, self.driver.grid
        told = {
            judge.name: agreement_words(agreement(grid, judge.name, book)) for judge in grid.columns
        }
        return [self._entry(key, told[key.judge]) for key in disagreements(grid, book)]

    def _entry(self, key: CellKey, told: str) -> Entry:
        opinion, score = self._opinions.book.of(key.case), self.driver.grid.cell(*key).score
        line = opinion_line(opinion, score, self._glyphs) or Content("")
        names = Content.assemble(
            content(one_line(key.judge), "bold $primary"),
            Content.styled(f" {self._glyphs.dot} ", "$skip"),
            content(one_line(key.case), "bold"),
            Content.styled(f"  {told}", "$skip"),
        )
        shown = Content("\n").join([names, Content.assemble("  ", line)])
        return Entry("\0".join(key), shown, shown.plain, self._opinions.path)

    def open_entry(self, entry: Entry) -> None:
        case, judge = entry.key.split("\0")
        self.dismiss()
        self._go(CellKey(case, judge))
