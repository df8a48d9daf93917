"""Another run beside the grid: what became of a cell, as a sign, as two values, and in words."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from textual.content import Content

from eval_tui.config.schema import Direction, Judge
from eval_tui.engine.baseline import Baseline
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellState, Row
from eval_tui.engine.stored import StoredGrid
from eval_tui.results.compare import CHANGED, GROUP_WORDS, Group, change_of, direction_of
from eval_tui.results.parts import cell_at, part_cell
from eval_tui.results.sides import Figures, Presence, presence
from eval_tui.tui.marks import UNICODE, Glyphs, Mark, mark
from eval_tui.tui.text import content, one_line

_BETTER: Final[frozenset[Group]] = frozenset({"fixed", "gained", "better"})
_WORSE: Final[frozenset[Group]] = frozenset({"broke", "lost", "worse"})

GONE: Final = "gone"
"""In place of the value now, of a case that only the other run has."""
NEW: Final = "new"
"""In place of the value then, of a case that only the run in view has."""


class Pair(NamedTuple):
    """A cell of both runs."""

    then: Mark
    now: Mark
    changed: bool


@dataclass(frozen=True, slots=True)
class Beside:
    """What cells are compared with: the baseline, or another run as it was last scored."""

    grid: StoredGrid
    run: str
    blessed: float | None
    """When it was made the baseline, in seconds since the epoch; None for any other run."""
    ways: Mapping[str, Direction | None]
    """By judge: whether more of its value is better. Others are not compared."""
    cases: frozenset[str]
    """Those that ran."""
    figures: Figures

    @classmethod
    def of(cls, baseline: Baseline, columns: Sequence[Judge]) -> Beside:
        """The baseline."""
        return cls._of(baseline, baseline.run, baseline.at, columns)

    @classmethod
    def of_run(cls, run: str, grid: StoredGrid, columns: Sequence[Judge]) -> Beside:
        """Another run."""
        return cls._of(grid, run, None, columns)

    @classmethod
    def _of(
        cls, grid: StoredGrid, run: str, blessed: float | None, columns: Sequence[Judge]
    ) -> Beside:
        ways: dict[str, Direction | None] = {
            judge.name: direction_of(judge) for judge in columns if not judge.compares
        }
        ran = frozenset(row.case for row in grid.rows if row.status != "not_run")
        return cls(grid, run, blessed, ways, ran, Figures(grid))

    def cell(self, case: str, judge: str, part: str = "") -> Cell:
        """The cell as it was; empty where nothing is known of it, or nothing is to be compared."""
        score = cell_at(self.grid, case, judge, part).score if judge in self.ways else None
        return EMPTY_CELL if score is None else Cell(CellState.FRESH, score)

    def group(self, case: str, judge: str, cell: Cell, part: str = "") -> Group:
        """What became of a cell, or of a part of it: of its number nobody says which way is up."""
        if judge not in self.ways:
            return "alone"
        way = None if part else self.ways[judge]
        return change_of(self.cell(case, judge, part), part_cell(cell, part), way)

    def changed(self, case: str, judge: str, cell: Cell) -> bool:
        """Whether a cell became anything else."""
        return self.group(case, judge, cell) in CHANGED

    def signed(self, shown: Mark, case: str, judge: str, cell: Cell, glyphs: Glyphs) -> Mark:
        """The mark of a cell with the sign of its change; a change that may be noise has none."""
        return _signed(shown, self.group(case, judge, cell), glyphs)

    def pair(
        self, row: Row, judge: Judge, part: str, cell: Cell, glyphs: Glyphs, frame: int = 0
    ) -> Pair:
        """A cell, or a part of it, then and now: quiet where both are the same.

        There is no room for the reasons of what is not measured; the preview has them.
        """
        group = self.group(row.case, judge.name, cell, part)
        then = _brief(mark(self.cell(row.case, judge.name, part), judge, glyphs))
        now = _brief(mark(part_cell(cell, part), judge, glyphs, frame))
        where = self.presence(row)
        if not then.field:
            then = Mark(NEW if where == "now" else glyphs.nothing, look="skip")
        if not now.field:
            now = Mark(GONE if where == "then" else glyphs.nothing, look="skip")
        if group in CHANGED:
            return Pair(replace(then, dim=True), _signed(now, group, glyphs), True)
        same = group == "same"
        return Pair(replace(then, quiet=same), replace(now, quiet=same), False)

    def presence(self, row: Row) -> Presence:
        """Which of the runs the case of a row ran in."""
        return presence(row, self.cases)

    def words(self, case: str, judge: Judge, cell: Cell, glyphs: Glyphs) -> Content | None:
        """What a changed cell was, in a line; None for one that did not change."""
        group = self.group(case, judge.name, cell)
        if group not in CHANGED:
            return None
        was = cell_words(self.cell(case, judge.name), judge, glyphs)
        became = f"{group_words(group, glyphs)} {glyphs.dot} was {was}"
        return content(f"{became} in {self.what}", "$skip")

    def presence_words(self, row: Row, judge: Judge, glyphs: Glyphs) -> Content | None:
        """That a case is in one of the runs only, in a line; None for others."""
        where = self.presence(row)
        if where == "now":
            return content(f"new {glyphs.dot} not in {self.what}", "$skip")
        if where != "then":
            return None
        was = cell_words(self.cell(row.case, judge.name), judge, glyphs)
        return content(f"gone {glyphs.dot} was {was} in {self.what}", "$skip")

    @property
    def knows_any(self) -> bool:
        """Whether anything is known of it. Looks at cells until one has a value."""
        return any(cell.score is not None for cell in self.grid.cells.values())

    @property
    def unknown(self) -> int:
        """Cells of cases that ran of which nothing is known. Looks at all of them."""
        return sum(self.cell(case, name).score is None for case in self.cases for name in self.ways)

    @property
    def name(self) -> str:
        """The run, and as of when."""
        if self.blessed is None:
            return f"{one_line(self.run)} as last scored"
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.blessed))
        return f"{one_line(self.run)} as of {at}"

    @property
    def brief(self) -> str:
        """The run; of a copy also as of when, for the run may have changed since."""
        return one_line(self.run) if self.blessed is None else self.name

    @property
    def what(self) -> str:
        """The run in a sentence."""
        return f"{'run' if self.blessed is None else 'the baseline,'} {self.name}"


def _signed(shown: Mark, group: Group, glyphs: Glyphs) -> Mark:
    if group == "gained" and shown.look == "fail":
        return shown  # to know that it fails is no step up
    if group in _BETTER:
        return replace(shown, suffix=glyphs.better + shown.suffix)
    return replace(shown, suffix=glyphs.worse + shown.suffix) if group in _WORSE else shown


def _brief(shown: Mark) -> Mark:
    """The mark of what is not measured without the word for why."""
    return replace(shown, field=shown.field.split()[0]) if shown.look == "unmeasured" else shown


def group_words(group: Group, glyphs: Glyphs) -> str:
    """What became of cells, in words."""
    return GROUP_WORDS[group].replace(UNICODE.arrow, glyphs.arrow)


def cell_words(cell: Cell, judge: Judge, glyphs: Glyphs) -> str:
    """A cell as it stands in the grid, in text."""
    shown = mark(cell, judge, glyphs)
    return (shown.field + shown.suffix).strip() or "nothing"
