"""The cells of a grid in groups: by a case's annotation, by what became of them, by kind of judge.

Each cell is in exactly one group, so the counts of the groups add up to those of the grid. Only
counts: no figure averages across judges (D54).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never, cast

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.filter.terms import All, Annotation, Compared, Filter, Is, Lacks, Not, shown
from eval_tui.results.words import REASON_WORDS
from eval_tui.scores import Measured, Reason, Unmeasured, pass_of

Fate = Literal["passed", "failed", "valued", "unmeasured", "skipped", "open"]
"""What became of a cell. valued: a number that is neither pass nor fail. open: nothing yet."""


@dataclass(frozen=True, slots=True)
class CellGroup:
    """Some cells of the grid, counted."""

    name: str
    cases: int
    """Cases with a cell in it."""
    cells: Mapping[Fate, int]
    filter: str = ""
    """The filter that lets its cases through; empty where there is none."""

    @property
    def total(self) -> int:
        """All its cells."""
        return sum(self.cells.values())


@dataclass(frozen=True, slots=True)
class Grouping:
    """A grid in groups, in the order in which they were met, and all of it."""

    groups: tuple[CellGroup, ...]
    whole: CellGroup


Found = Iterator[tuple[str, Judge, Cell]]


def by_annotation(
    grid: Grid, key: str, annotations: Callable[[str], Mapping[str, object] | None]
) -> Grouping:
    """By the value that a case's annotations have under a key; a list is one value."""
    names: dict[str, str] = {}
    filters: dict[str, str] = {}
    for row in grid.rows:
        values = _values((annotations(row.case) or {}).get(key))
        name = names[row.case] = " + ".join(values) or "(none)"
        terms = [Annotation((key,), Compared("=", value)) for value in values if value]
        filters[name] = _filter(terms) if terms else shown(Not(Annotation((key,))))
    return _grouped(grid, lambda case, judge, cell: names[case], filters)


def by_reason(grid: Grid) -> Grouping:
    """By what became of the cells, those without a value by their reason."""
    filters = {REASON_WORDS[reason]: shown(Lacks(reason)) for reason in Reason}
    filters |= {"passed": shown(Is("pass")), "failed": shown(Is("fail"))}
    return _grouped(grid, lambda case, judge, cell: _fate_name(cell), filters)


def by_kind(grid: Grid) -> Grouping:
    """By the kind of the judges."""
    return _grouped(grid, lambda case, judge, cell: kind_of(judge), {})


def kind_of(judge: Judge) -> str:
    """A judge's kind in a word, a grader's by its id."""
    return f"grader {judge.grader.id}" if judge.grader is not None else judge.kind


def fate_of(cell: Cell) -> Fate:
    """What became of a cell."""
    match cell.score:
        case None:
            return "open"
        case Unmeasured(reason=Reason.POLICY_SKIP):
            return "skipped"
        case Unmeasured():
            return "unmeasured"
        case Measured() as score:
            passed = pass_of(score)
            return "valued" if passed is None else "passed" if passed else "failed"
        case _:
            assert_never(cell.score)


def _grouped(
    grid: Grid, name_of: Callable[[str, Judge, Cell], str], filters: Mapping[str, str]
) -> Grouping:
    cells: dict[str, Counter[Fate]] = {}
    cases: dict[str, set[str]] = {}
    for case, judge, cell in _cells(grid):
        name = name_of(case, judge, cell)
        cells.setdefault(name, Counter())[fate_of(cell)] += 1
        cases.setdefault(name, set()).add(case)
    groups = tuple(
        CellGroup(name, len(cases[name]), found, filters.get(name, ""))
        for name, found in cells.items()
    )
    every = sum(cells.values(), Counter[Fate]())
    return Grouping(groups, CellGroup("all", len(set[str]().union(*cases.values())), every))


def _cells(grid: Grid) -> Found:
    """The cells that count: those of cases that ran."""
    for row in grid.rows:
        if row.status != "not_run":
            for judge in grid.columns:
                yield row.case, judge, grid.cell(row.case, judge.name)


def _fate_name(cell: Cell) -> str:
    score = cell.score
    if isinstance(score, Unmeasured):
        return REASON_WORDS[score.reason]
    fate = fate_of(cell)
    return {"valued": "a number", "open": "nothing yet"}.get(fate, fate)


def _values(value: object) -> list[str]:
    if value is None:
        return []
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    return [_plain(item) for item in items]


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _filter(terms: Iterable[Filter]) -> str:
    found = tuple(terms)
    return shown(found[0] if len(found) == 1 else All(found))
