"""What changed since the baseline: the cells in groups, what matters most first, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from eval_tui.engine.grid import EMPTY_CELL, Cell, CellKey, CellState, Dirty, Grid
from eval_tui.engine.threads import in_thread
from eval_tui.results.compare import Comparison, Group, JudgeChange, compare
from eval_tui.results.noise import chance_words, noise_note
from eval_tui.results.part_changes import with_parts
from eval_tui.results.words import number, percent
from eval_tui.scores import Score
from eval_tui.tui.beside import Beside, cell_words, group_words
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.still import StillGrid
from eval_tui.tui.text import content, fit, one_line, widest
from eval_tui.tui.words import plural

SHOWN_MOST: Final = 2_000
"""Cells that are listed; of more the filter `changed` shows the cases."""
NAME_MOST: Final = 28
"""Cells that a name takes at most."""


class ChangesScreen(ListScreen):
    """The grid beside its baseline. Opening an entry goes to its cell."""

    HEADLINE: ClassVar[str] = "Changed since"
    COUNTED: ClassVar[bool] = False
    NOTHING: ClassVar[str] = "Nothing has changed since then, as far as that is compared."
    COMPARING: ClassVar[str] = "Comparing."

    def __init__(
        self, driver: Driver, grid: Callable[[], Grid], beside: Beside, glyphs: Glyphs
    ) -> None:
        super().__init__(driver)
        self._grid, self._beside, self._glyphs = grid, beside, glyphs
        self._found: Comparison | None = None
        self._again = False

    def on_mount(self) -> None:
        super().on_mount()
        self.run_worker(self._compare, group="compare")

    def take(self, dirty: Dirty) -> None:
        if dirty.cells or dirty.structure:
            self._again = True
            if not any(one.group == "compare" and one.is_running for one in self.workers):
                self.run_worker(self._compare, group="compare")

    async def _compare(self) -> None:
        """Compare all cells, off the loop, until nothing changes any more."""
        while True:
            self._again = False
            self._found = await in_thread(self._compared)
            self._fill("")
            if not self._again:
                return

    def _compared(self) -> Comparison:
        beside, grid = self._beside, StillGrid.of(self._grid())  # both looks are at the same grid
        found = compare(grid, beside.grid, self.driver.status.run_id, beside.run)
        return with_parts(found, grid, beside.grid)

    def headline(self) -> str:
        return f"{self.HEADLINE} {self._beside.what}"

    def nothing(self) -> str:
        return self.NOTHING if self._found is not None else self.COMPARING

    def entries(self) -> Sequence[Entry]:
        found = self._found
        if found is None:
            return []
        cells, parts = self._cells(found), self._parts(found)
        return [*self._figures(found), *cells, *parts, *self._cases(found)]

    def open_entry(self, entry: Entry) -> None:
        case, judge, *_ = entry.key.split("\0")
        self.dismiss(CellKey(case, judge))

    def _figures(self, found: Comparison) -> Iterator[Entry]:
        """Of judges and of their parts, those that are others now."""
        changed = {
            self._called(judge, part): one
            for judge, part, one in _figures_of(found.judges)
            if one.was != one.now
        }
        if changed:
            yield _heading("figures")
        width = widest(changed, NAME_MOST)
        for name, one in changed.items():
            words = _figure_words(one, self._glyphs)
            shown = content(f"  {fit(one_line(name), width)}  {words}")
            yield Entry(f"\0{name}", shown, f"{name}: {words}", opens=False)
        for note in noise_note(found):
            yield Entry("\0", content(f"  {note}", "$skip"), note, indent=2, opens=False)

    def _cells(self, found: Comparison) -> Iterator[Entry]:
        turns = [
            _Turn(one.case, one.judge, "", one.group, one.before, one.after) for one in found.cells
        ]
        counts = found.counts
        yield from self._turns(
            turns, lambda group: f"{group_words(group, self._glyphs)} ({counts[group]:,})"
        )
        if len(turns) > SHOWN_MOST:
            more = plural(len(turns) - SHOWN_MOST, "cell")
            yield _heading(f"and {more} more: see the filter `changed`")

    def _parts(self, found: Comparison) -> Iterator[Entry]:
        """The parts of scores that changed: the cells above may say nothing of them."""
        turns = [
            _Turn(one.case, one.judge, one.part, one.group, _cell(one.before), _cell(one.after))
            for one in found.parts
        ]
        yield from self._turns(turns, lambda _: f"parts of scores ({len(turns):,})")
        if len(turns) > SHOWN_MOST:
            yield _heading(f"and {plural(len(turns) - SHOWN_MOST, 'part')} more")

    def _turns(self, turns: Sequence[_Turn], heading: Callable[[Group], str]) -> Iterator[Entry]:
        """The first of them, below the headings of their groups."""
        judges = {judge.name: judge for judge in self._grid().columns}
        turns = [one for one in turns[:SHOWN_MOST] if one.judge in judges]
        names = [self._called(one.judge, one.part) for one in turns]
        case_width = widest((one.case for one in turns), NAME_MOST)
        name_width = widest(names, NAME_MOST)
        above = ""
        for one, name in zip(turns, names, strict=True):
            if above != (above := heading(one.group)):
                yield _heading(above)
            judge = judges[one.judge]
            was, now = (cell_words(cell, judge, self._glyphs) for cell in (one.before, one.after))
            case, shown = fit(one_line(one.case), case_width), fit(one_line(name), name_width)
            words = f"{was} {self._glyphs.arrow} {now}"
            yield Entry(
                "\0".join((one.case, one.judge, one.part)),
                content(f"  {case}  {shown}  {words}"),
                f"{group_words(one.group, self._glyphs)}: {one.case}, {name}: {words}",
            )

    def _called(self, judge: str, part: str) -> str:
        """A judge, or a part of one. Raw."""
        return f"{judge} {self._glyphs.dot} {part}" if part else judge

    def _cases(self, found: Comparison) -> Iterator[Entry]:
        """Those that ran on one side only: nothing of them is compared."""
        columns = self._grid().columns
        first = columns[0].name if columns else ""
        for words, cases, opens in (
            ("cases that only this run has", found.new_cases, True),
            (f"cases that only {one_line(found.baseline)} has", found.gone_cases, False),
        ):
            if cases:
                yield _heading(f"{words} ({len(cases):,})")
            for case in cases[:SHOWN_MOST]:
                shown = content(f"  {one_line(case)}")
                yield Entry(f"{case}\0{first}", shown, f"{words}: {case}", opens=opens)
            if len(cases) > SHOWN_MOST:
                yield _heading(f"and {plural(len(cases) - SHOWN_MOST, 'case')} more")


class _Turn(NamedTuple):
    """A cell, or a part of one, on both sides."""

    case: str
    judge: str
    part: str
    group: Group
    before: Cell
    after: Cell


def _cell(score: Score | None) -> Cell:
    return EMPTY_CELL if score is None else Cell(CellState.FRESH, score)


def _figures_of(judges: Iterable[JudgeChange]) -> Iterator[tuple[str, str, JudgeChange]]:
    """Judge, part (empty for the judge itself) and figure."""
    for judge in judges:
        yield judge.judge, "", judge
        yield from ((judge.judge, part.judge, part) for part in judge.parts)


def _heading(text: str) -> Entry:
    return Entry(f"{text}\0", content(text, "bold $primary"), text, opens=False, heading=True)


def _figure_words(one: JudgeChange, glyphs: Glyphs) -> str:
    was, now = (
        "none" if value is None else percent(value) if one.is_rate else number(value)
        for value in (one.was, one.now)
    )
    fell = one.fell if one.direction not in (None, "neutral") else None
    sign = "" if not fell else f" {glyphs.worse if fell > 0 else glyphs.better}"
    what = "pass rate" if one.is_rate else "mean"
    told = f"{what} {was} {glyphs.arrow} {now}{sign} of {plural(one.shared, 'cell')} in both"
    chance = chance_words(one)
    return f"{told} {glyphs.dot} {chance}" if chance else told
