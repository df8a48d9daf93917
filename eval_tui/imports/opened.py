"""A document as a grid that is only read, with its verdicts and all that its cases hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path as FilePath

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge, VerdictRules
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellKey, CellState, Row, cell_key
from eval_tui.imports.columns import Column, column_names, columns_of
from eval_tui.imports.document import Document, Result
from eval_tui.imports.plain import path_words
from eval_tui.imports.reading import SLOW, Loaded, NoGrid, load, size_of
from eval_tui.imports.ruling import Ruling, ruling_of, verdict_of
from eval_tui.imports.scores import Address, Entry, entries_of
from eval_tui.imports.shapes import recognise
from eval_tui.output import say
from eval_tui.scores import Reason, Unmeasured
from eval_tui.verdicts.compile import Rulebook
from eval_tui.verdicts.evaluate import Verdict

PLACED = 50
"""Problems whose line in the file is looked up; further ones have their path alone."""


@dataclass(frozen=True)
class StillGrid:
    """Rows, columns and cells that do not change any more."""

    rows: tuple[Row, ...]
    columns: tuple[Judge, ...]
    cells: Mapping[CellKey, Cell]

    def cell(self, case: str, judge: str) -> Cell:
        return self.cells.get(cell_key((case, judge)), EMPTY_CELL)


@dataclass(frozen=True)
class Opened:
    """Everything that an opened document shows."""

    path: str
    document: Document
    ruling: Ruling
    grid: StillGrid
    config: EvalConfig
    """The document in the place of a config: its columns, and that there are verdicts."""
    rulebook: Rulebook
    results: Mapping[str, Result]
    """By the names of the rows."""
    entries: Mapping[str, Sequence[Entry]]
    """The score rows of each row of the grid, as they stand in the document."""
    titles: Mapping[Address, str]
    """The names of the columns."""
    problems: tuple[Problem, ...]


def open_document(path: str) -> Opened:
    """The document in a file as a grid. Raises NoGrid where there is none in it."""
    loaded = load(path)
    return make_grid(loaded, recognise(loaded))


def opened_or_told(path: str) -> Opened | None:
    """The document in a file; None where it holds no grid, with the reason on standard error."""
    try:
        size = size_of(path)
        if size > SLOW:
            say(f"reading {path} ({size / 1e6:,.0f} MB)")
        return open_document(path)
    except NoGrid as error:
        say(f"{path}: {error}")
        return None


def make_grid(loaded: Loaded, document: Document) -> Opened:
    """The grid of a document: rows grouped by case, columns for graders, then for judges."""
    names = row_names(document.results)
    in_order = sorted(range(len(names)), key=_by_case(document.results).__getitem__)
    results = {names[at]: document.results[at] for at in in_order}
    entries = {name: tuple(entries_of(result)) for name, result in results.items()}
    columns = columns_of(entries.values())
    titles = column_names(columns)
    judges = tuple(column.judge(titles[address]) for address, column in columns.items())
    ruling = ruling_of(document)
    rows: list[Row] = []
    given: dict[str, Verdict] = {}
    cells: dict[CellKey, Cell] = {}
    problems: list[Problem] = []
    for name, result in results.items():
        verdict, warning = verdict_of(ruling, result, [entry.row for entry in entries[name]])
        given[name] = verdict
        differs = "its verdict is not what its policy makes it (P)" if warning else ""
        rows.append(Row(name, "ran", notes=tuple(filter(None, (result.failed, differs)))))
        if warning:
            problems.append(_problem(loaded, result.at, "verdict-differs", f"{name}: {warning}"))
        by_column = _by_column(entries[name])
        for address, column in columns.items():
            cell = _cell(column, by_column.get(address, ()), result)
            if cell is not None:
                cells[CellKey(name, titles[address])] = cell
        for entry in entries[name]:
            if entry.problem:
                told = f"{path_words(entry.at)}: {entry.problem}"
                place = entry.at if len(problems) < PLACED else None
                problems.append(_problem(loaded, place, "score-unreadable", told))
    producers = tuple(column.producer(titles[address]) for address, column in columns.items())
    config = EvalConfig(
        loaded.path,
        str(FilePath(loaded.path).parent),
        name=document.name,
        eval_name=document.name,
        judges=judges,
        verdict=VerdictRules("ladder"),
    )
    return Opened(
        loaded.path,
        document,
        ruling,
        StillGrid(tuple(rows), judges, cells),
        config,
        Rulebook(ruling.shown, ruling.stamp, producers, (), given),
        results,
        entries,
        titles,
        tuple(problems),
    )


def row_names(results: Sequence[Result]) -> list[str]:
    """A name for each result: its case, and `#` with the trial where a case has several."""
    times = Counter(one.case for one in results)
    numbers: defaultdict[str, Iterator[int]] = defaultdict(count)
    taken: set[str] = set()
    names: list[str] = []
    for one in results:
        name = one.case if times[one.case] == 1 else f"{one.case} #{one.trial or 0}"
        if name in taken:
            others = (f"{one.case} #{at}" for at in numbers[one.case])
            name = next(other for other in others if other not in taken and other not in times)
        taken.add(name)
        names.append(name)
    return names


def _by_case(results: Sequence[Result]) -> list[tuple[int, int]]:
    """What to sort by, so that the trials of a case stand together and cases as they came."""
    first: dict[str, int] = {}
    for at, one in enumerate(results):
        first.setdefault(one.case, at)
    return [(first[one.case], one.trial or 0) for one in results]


def _by_column(entries: Sequence[Entry]) -> dict[Address, list[Entry]]:
    found: dict[Address, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.address, []).append(entry)
    return found


def _cell(column: Column, entries: Sequence[Entry], result: Result) -> Cell | None:
    """A cell; of a case that died nothing counts, whatever was written down of it."""
    if result.died:
        died = Unmeasured(Reason.MISSING_EVIDENCE, f"no outcome: {result.died}")
        return Cell(CellState.FRESH, died)
    return Cell(CellState.FRESH, column.score(entries)) if entries else None


def _problem(loaded: Loaded, at: tuple[str | int, ...] | None, code: str, told: str) -> Problem:
    line = loaded.line_of(at) if at is not None else 0
    return Problem("warning", code, told, loaded.path, line)
