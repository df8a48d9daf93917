"""The cells of the grid in groups, with counts that add up to those of the grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

from textual.content import Content

from eval_tui.engine.grid import Grid
from eval_tui.engine.threads import in_thread
from eval_tui.results.groups import CellGroup, Fate, Grouping, by_annotation, by_kind, by_reason
from eval_tui.tui.face import Driver
from eval_tui.tui.host import say
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, fit, one_line
from eval_tui.tui.words import plural

FATES: Final[tuple[Fate, ...]] = ("passed", "failed", "valued", "unmeasured", "skipped", "open")
BY_FATE: Final = "what became of the cells"
NAME_MOST: Final = 24
"""Cells that a group's name takes."""
VALUES_MOST: Final = 100
"""An annotation with more values than this is no group: it is another name of the case."""


class GroupsScreen(ListScreen):
    """By what became of the cells, by kind of judge, and by each annotation."""

    HEADLINE: ClassVar[str] = "Groups"
    COUNTED: ClassVar[bool] = False
    NOTHING: ClassVar[str] = "Counting; where there are no cells there are no groups."

    def __init__(self, driver: Driver, grid: Grid, choose: Callable[[str], None]) -> None:
        """`choose` is told the filter of the group that was opened."""
        super().__init__(driver)
        self._grid, self._choose = grid, choose
        self._filters: dict[str, str] = {}
        self._found: tuple[tuple[str, Grouping], ...] = ()

    def on_mount(self) -> None:
        super().on_mount()
        self.run_worker(self._count, group="count")

    async def _count(self) -> None:
        """Count by what is known, then by annotations as well: off the loop, with many cells."""
        self._found = await in_thread(lambda: tuple(self._groupings()))
        self._fill("")
        await self.driver.finding.facts.learn([row.case for row in self._grid.rows])
        self._found = await in_thread(lambda: tuple(self._groupings()))
        self._fill("")

    def entries(self) -> Sequence[Entry]:
        found: list[Entry] = []
        for title, grouping in self._found:
            found.append(
                Entry(
                    title,
                    content(one_line(title), "bold $primary"),
                    title,
                    indent=0,
                    opens=False,
                    heading=True,
                )
            )
            for group in (*grouping.groups, grouping.whole):
                entry = _entry(title, group, whole=group is grouping.whole)
                self._filters[entry.key] = group.filter
                found.append(entry)
        return found

    def _groupings(self) -> Iterator[tuple[str, Grouping]]:
        if not self._grid.columns or not self._grid.rows:
            return
        yield BY_FATE, by_reason(self._grid)
        yield "kind of judge", by_kind(self._grid)
        for key in self._keys():
            found = by_annotation(self._grid, key, self._annotations)
            if len(found.groups) <= VALUES_MOST:
                yield f"annotations.{key}", found

    def _keys(self) -> Sequence[str]:
        """The annotations whose values are words or numbers, or lists of such."""
        told = (self._annotations(row.case) or {} for row in self._grid.rows)
        found = {key: None for one in told for key, value in one.items() if _is_plain(value)}
        return list(found)

    def _annotations(self, case: str) -> dict[str, object] | None:
        facts = self.driver.finding.facts.known(case)
        return dict(facts.annotations) if facts and facts.annotations else None

    def open_entry(self, entry: Entry) -> None:
        text = self._filters.get(entry.key, "")
        if not text:
            say(self, "No filter lets just the cases of these cells through.")
            return
        self.dismiss()
        self._choose(text)


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, (str, int, float)) for item in value)  # pyright: ignore
    return isinstance(value, (str, int, float)) and "\n" not in str(value)


def _fate(fate: Fate, count: int) -> str:
    return plural(count, "number") if fate == "valued" else f"{count:,} {fate}"


def _entry(title: str, group: CellGroup, whole: bool) -> Entry:
    """One group: its cases, its cells, and what became of them where that is not its name."""
    name = "together" if whole else group.name
    told = [_fate(fate, group.cells[fate]) for fate in FATES if group.cells.get(fate)]
    counts = f"{plural(group.cases, 'case'):>11}{plural(group.total, 'cell'):>13}"
    named = title == BY_FATE and len(told) < 2
    fates = "" if named else f"  {', '.join(told)}"
    shown = Content.assemble(
        content(f"  {fit(one_line(name), NAME_MOST)}", "bold" if whole else ""),
        content(counts, "bold" if whole else ""),
        content(fates, "" if whole else "$skip"),
    )
    copied = f"{title}: {name}: {counts.strip()}{fates}"
    return Entry(f"{title}\0{name}", shown, copied, indent=0)
