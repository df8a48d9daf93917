"""The baseline beside the grid: what became of a cell, as a sign and in words."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from textual.content import Content

from eval_tui.config.schema import Direction, Judge
from eval_tui.engine.baseline import Baseline
from eval_tui.engine.grid import Cell
from eval_tui.results.compare import CHANGED, GROUP_WORDS, Group, change_of, direction_of
from eval_tui.tui.marks import UNICODE, Glyphs, Mark, mark
from eval_tui.tui.text import content, one_line

_BETTER: Final[frozenset[Group]] = frozenset({"fixed", "gained", "better"})
_WORSE: Final[frozenset[Group]] = frozenset({"broke", "lost", "worse"})


@dataclass(frozen=True, slots=True)
class Beside:
    """What cells are compared with."""

    baseline: Baseline
    ways: Mapping[str, Direction | None]
    """By judge: whether more of its value is better. Others are not compared."""

    @classmethod
    def of(cls, baseline: Baseline, columns: Sequence[Judge]) -> Beside:
        ways: dict[str, Direction | None] = {
            judge.name: direction_of(judge) for judge in columns if not judge.compares
        }
        return cls(baseline, ways)

    def group(self, case: str, judge: str, cell: Cell) -> Group:
        """What became of a cell since the baseline."""
        if judge not in self.ways:
            return "alone"
        return change_of(self.baseline.cell(case, judge), cell, self.ways[judge])

    def signed(self, shown: Mark, case: str, judge: str, cell: Cell, glyphs: Glyphs) -> Mark:
        """The mark of a cell with the sign of its change; a change that may be noise has none."""
        group = self.group(case, judge, cell)
        if group in _BETTER:
            return replace(shown, suffix=glyphs.better + shown.suffix)
        return replace(shown, suffix=glyphs.worse + shown.suffix) if group in _WORSE else shown

    def words(self, case: str, judge: Judge, cell: Cell, glyphs: Glyphs) -> Content | None:
        """What a changed cell was, in a line; None for one that did not change."""
        group = self.group(case, judge.name, cell)
        if group not in CHANGED:
            return None
        was = cell_words(self.baseline.cell(case, judge.name), judge, glyphs)
        became = f"{group_words(group, glyphs)} {glyphs.dot} was {was}"
        return content(f"{became} in the baseline, {self.name}", "$skip")

    @property
    def name(self) -> str:
        """The baseline's run, and when it was blessed."""
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.baseline.at))
        return f"{one_line(self.baseline.run)} as of {at}"


def group_words(group: Group, glyphs: Glyphs) -> str:
    """What became of cells, in words."""
    return GROUP_WORDS[group].replace(UNICODE.arrow, glyphs.arrow)


def cell_words(cell: Cell, judge: Judge, glyphs: Glyphs) -> str:
    """A cell as it stands in the grid, in text."""
    shown = mark(cell, judge, glyphs)
    return (shown.field + shown.suffix).strip() or "nothing"
