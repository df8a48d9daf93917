"""The parts of scores: the criteria of a model judge, the metrics of a grader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.aggregate import Aggregate, aggregate
from eval_tui.results.words import summary
from eval_tui.scores import Score, Unmeasured


@dataclass(frozen=True, slots=True)
class PartView:
    """One part of a judge, over all cases."""

    name: str
    aggregate: Aggregate
    summary: str
    """As of a judge, e.g. `4.2 mean 12/12`."""


def part_names(judge: Judge, scores: Iterable[Score | None]) -> tuple[str, ...]:
    """What a judge's scores are made of: what the config lists, else what the scores hold."""
    if judge.criteria:
        return tuple(criterion.id for criterion in judge.criteria)
    names = tuple(dict.fromkeys(name for score in scores if score for name in score.parts))
    # The only metric of a grader is its column.
    return () if judge.grader is not None and len(names) == 1 else names


def part_score(score: Score | None, part: str) -> Score | None:
    """The score of one part; without any of its own it shares the reason why the whole has none."""
    if score is None:
        return None
    whole = score if isinstance(score, Unmeasured) else None
    return score.parts.get(part, whole)


def part_cell(cell: Cell, part: str) -> Cell:
    """The cell as it is for one part of its judge; without a part the cell itself."""
    if not part:
        return cell
    return Cell(cell.state, part_score(cell.score, part), cell.recorded, cell.waiting)


def cell_at(grid: Grid, case: str, judge: str, part: str = "") -> Cell:
    """A cell of the grid, or what one part of its judge makes of it."""
    return part_cell(grid.cell(case, judge), part)


def part_view(name: str, cells: Iterable[Cell]) -> PartView:
    """The figures of one part, from its judge's cells."""
    figures = aggregate(part_cell(cell, name) for cell in cells)
    return PartView(name, figures, summary(figures))
