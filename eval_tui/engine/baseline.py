"""The baseline of an eval: what all cells of a run were when the person blessed it.

It is a copy, so it never drifts: neither by the judging of that run nor by an edited judge.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, cast

from eval_tui.atomic import write_whole
from eval_tui.config.schema import Judge
from eval_tui.engine.cells import without_rationale
from eval_tui.engine.finding import BASELINES
from eval_tui.engine.grid import Cell, CellKey, CellState, Grid, Row
from eval_tui.engine.stored import StoredGrid
from eval_tui.scores import Score, from_plain, to_plain

FORMAT: Final = 1

_SETTLED: Final = frozenset({CellState.FRESH, CellState.EMPTY, CellState.CHECKING})


@dataclass(frozen=True)
class Baseline(StoredGrid):
    """Only what had a settled value is in it; of columns those that were asked for."""

    run: str
    at: float
    """When it was blessed, in seconds since the epoch."""
    left_out: int = 0
    """Cells with a value that did not hold any more, or was about to be another one."""


def baseline_of(grid: Grid, run: str) -> Baseline:
    """A copy of a grid. May be asked for by a thread."""
    rows = tuple(Row(row.case, "ran") for row in grid.rows if row.status != "not_run")
    cells: dict[tuple[str, str], Cell] = {}
    left_out = 0
    for row in rows:
        for judge in grid.columns:
            cell = grid.cell(row.case, judge.name)
            if cell.score is None or judge.compares:
                continue
            if cell.state in _SETTLED or (cell.recorded and cell.state is CellState.WAITING):
                key = CellKey(row.case, judge.name)
                cells[key] = Cell(CellState.FRESH, cell.score, cell.recorded)
            else:
                left_out += 1
    return Baseline(rows, grid.columns, cells, run, time.time(), left_out)


def write_baseline(folder: str, eval_path: str, baseline: Baseline) -> None:
    """Keep the baseline of an eval in place of the one before. Raises OSError.

    A line for each case: a thread that writes or reads them one by one holds nobody up.
    """
    cases: dict[str, dict[str, Any]] = {row.case: {} for row in baseline.rows}
    for (case, judge), cell in baseline.cells.items():
        if cell.score is not None:
            cases[case][judge] = without_rationale(to_plain(cell.score))
    head = {"format": FORMAT, "run": baseline.run, "at": baseline.at}
    lines = [json.dumps(line) for line in (head, *([case, row] for case, row in cases.items()))]
    path = _path(folder, eval_path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_whole(path, "\n".join(lines) + "\n")


def read_baseline(folder: str, eval_path: str, columns: tuple[Judge, ...]) -> Baseline | None:
    """The baseline of an eval; None when there is none that can be read."""
    try:
        with open(_path(folder, eval_path), "rb") as file:
            head, *lines = [json.loads(line) for line in file]
    except (OSError, ValueError, RecursionError):
        return None
    plain = cast("dict[str, object]", head) if isinstance(head, dict) else {}
    run, at = plain.get("run"), plain.get("at")
    if (
        plain.get("format") != FORMAT
        or not isinstance(run, str)
        or not isinstance(at, (int, float))
    ):
        return None
    rows: list[Row] = []
    cells: dict[tuple[str, str], Cell] = {}
    for line in lines:
        match line:
            case [str() as case, dict() as judges]:  # pyright: ignore[reportUnknownVariableType]
                rows.append(Row(case, "ran"))
                told = cast("dict[str, Mapping[str, Any]]", judges)
                cells |= {(case, name): Cell(CellState.FRESH, one) for name, one in _scores(told)}
            case _:
                pass  # a damaged line is none
    return Baseline(tuple(rows), columns, cells, run, at)


def drop_baseline(folder: str, eval_path: str) -> None:
    """The eval has no baseline any more. Raises OSError when it cannot be removed."""
    try:
        os.unlink(_path(folder, eval_path))
    except FileNotFoundError:
        pass


def _scores(judges: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Score]]:
    for judge, plain in judges.items():
        try:
            yield judge, from_plain(plain)
        except (KeyError, ValueError, TypeError, AttributeError):
            continue  # a damaged score is none


def _path(folder: str, eval_path: str) -> str:
    name = blake2b(eval_path.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return os.path.join(folder, BASELINES, f"{name}.jsonl")
