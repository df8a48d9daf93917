"""What became of the parts of scores since the baseline: criteria, and the metrics of graders.

They tell where to look and are never counted beside their column (4.8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from eval_tui.config.grader_kinds import known_metrics
from eval_tui.config.schema import Direction, Judge
from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.compare import (
    CHANGED,
    GROUPS,
    Comparison,
    Group,
    JudgeChange,
    PartChange,
    change_of,
    judge_change,
    mark_direction,
    metric_direction,
)
from eval_tui.results.parts import part_cell, part_names
from eval_tui.scores import Measured, differ

Pairs = Mapping[str, tuple[Cell, Cell]]


def with_parts(
    found: Comparison, grid: Grid, baseline: Grid, flaky: Iterable[str] = ()
) -> Comparison:
    """The comparison of the same two grids with their parts in it."""
    unsure = frozenset(flaky)
    rows = {row.case for row in baseline.rows if row.status != "not_run"}
    cases = [row.case for row in grid.rows if row.status != "not_run" and row.case in rows]
    columns = {judge.name: judge for judge in grid.columns}
    judges: list[JudgeChange] = []
    changes: list[PartChange] = []
    for one in found.judges:
        judge = columns[one.judge]
        pairs = {c: (baseline.cell(c, judge.name), grid.cell(c, judge.name)) for c in cases}
        figures: list[JudgeChange] = []
        for part in _names(judge, pairs):
            figure, turned = _part(judge, part, pairs, unsure)
            figures.append(figure)
            changes += turned
        judges.append(replace(one, parts=tuple(figures)))
    return replace(found, judges=tuple(judges), parts=tuple(changes))


def _names(judge: Judge, pairs: Pairs) -> tuple[str, ...]:
    """The parts of a judge, without the one whose value is the column's own."""
    scores = [cell.score for pair in pairs.values() for cell in pair]
    own = known_metrics(judge.grader)[:1] if judge.grader is not None else ()
    return tuple(name for name in part_names(judge, scores) if name not in own)


def _part(
    judge: Judge, part: str, pairs: Pairs, flaky: frozenset[str]
) -> tuple[JudgeChange, list[PartChange]]:
    way = _direction(judge, part)
    cells = {
        case: (part_cell(old, part), part_cell(new, part)) for case, (old, new) in pairs.items()
    }
    groups: dict[str, Group] = {}
    for case, (old, new) in cells.items():
        whole = pairs[case]
        told = all(cell.score is not None and part in cell.score.parts for cell in whole)
        # One that only shares the reason of its whole has not changed by itself.
        unsure = case in flaky or any(map(_differs, whole))
        groups[case] = change_of(old, new, way, unsure) if told else "alone"
    figure = judge_change(part, (old for old, _ in cells.values()), cells, groups, way)
    turned = [
        PartChange(case, judge.name, part, group, cells[case][0].score, cells[case][1].score)
        for case, group in groups.items()
        if group in CHANGED
    ]
    return figure, sorted(turned, key=lambda one: GROUPS.index(one.group))


def _differs(cell: Cell) -> bool:
    """Whether the judge does not agree with itself; samples are of the whole."""
    return isinstance(cell.score, Measured) and differ(cell.score.samples)


def _direction(judge: Judge, part: str) -> Direction | None:
    """Whether more of a part is better: as of a judge for criteria, as declared for metrics."""
    if judge.grader is not None:
        return metric_direction(judge.grader, part)
    marks = (one.pass_if for one in judge.criteria if one.id == part)
    return mark_direction(next(marks, ""))
