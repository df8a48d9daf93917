"""What changed since the baseline: the cells in groups, what matters most first, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

from eval_tui.engine.grid import CellKey, Dirty, Grid
from eval_tui.engine.threads import in_thread
from eval_tui.results.compare import Comparison, Group, JudgeChange, compare
from eval_tui.results.words import number, percent
from eval_tui.tui.beside import Beside, cell_words, group_words
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.screens.lists import Entry, ListScreen
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
        beside = self._beside
        return compare(self._grid(), beside.grid, self.driver.status.run_id, beside.run)

    def headline(self) -> str:
        return f"{self.HEADLINE} {self._beside.what}"

    def nothing(self) -> str:
        return self.NOTHING if self._found is not None else self.COMPARING

    def entries(self) -> Sequence[Entry]:
        found = self._found
        if found is None:
            return []
        return [*self._figures(found), *self._cells(found), *self._cases(found)]

    def open_entry(self, entry: Entry) -> None:
        case, _, judge = entry.key.partition("\0")
        self.dismiss(CellKey(case, judge))

    def _figures(self, found: Comparison) -> Iterator[Entry]:
        changed = [one for one in found.judges if one.was != one.now]
        if changed:
            yield _heading("figures")
        width = widest((one.judge for one in changed), NAME_MOST)
        for one in changed:
            words = _figure_words(one, self._glyphs)
            shown = content(f"  {fit(one_line(one.judge), width)}  {words}")
            yield Entry(f"\0{one.judge}", shown, f"{one.judge}: {words}", opens=False)

    def _cells(self, found: Comparison) -> Iterator[Entry]:
        judges = {judge.name: judge for judge in self._grid().columns}
        cells = [one for one in found.cells[:SHOWN_MOST] if one.judge in judges]
        case_width = widest((one.case for one in cells), NAME_MOST)
        judge_width = widest((one.judge for one in cells), NAME_MOST)
        group: Group | None = None
        for one in cells:
            if one.group != group:
                group = one.group
                group_name = group_words(one.group, self._glyphs)
                yield _heading(f"{group_name} ({found.counts[one.group]:,})")
            judge = judges[one.judge]
            was, now = (cell_words(cell, judge, self._glyphs) for cell in (one.before, one.after))
            case, name = fit(one_line(one.case), case_width), fit(one_line(one.judge), judge_width)
            words = f"{was} {self._glyphs.arrow} {now}"
            yield Entry(
                f"{one.case}\0{one.judge}",
                content(f"  {case}  {name}  {words}"),
                f"{group_words(one.group, self._glyphs)}: {one.case}, {one.judge}: {words}",
            )
        if len(found.cells) > SHOWN_MOST:
            more = plural(len(found.cells) - SHOWN_MOST, "cell")
            yield _heading(f"and {more} more: see the filter `changed`")

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
    return f"{what} {was} {glyphs.arrow} {now}{sign} of {plural(one.shared, 'cell')} in both"
