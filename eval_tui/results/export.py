"""The document that `score --format json` prints: schema 1."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from eval_tui.config.problems import Problem
from eval_tui.config.schema import PAIRWISE
from eval_tui.engine.grid import Cell, CellState, Grid, Waiting
from eval_tui.results.aggregate import Aggregate, is_old
from eval_tui.results.gates import Gate
from eval_tui.results.pairwise import count_wins, pairwise_block
from eval_tui.results.words import WAITING_WORDS
from eval_tui.scores import Measured, Sample, Score, Unmeasured, recovery

SCHEMA = 1


@dataclass(frozen=True)
class Tally:
    """What a scoring did: cells that ran, values that were still valid, model calls, their price."""

    ran: int = 0
    reused: int = 0
    calls: int = 0
    cost_usd: float | None = None
    """US dollars; None when no call was made or a price is not known."""


def score_document(
    grid: Grid,
    *,
    eval_name: str,
    run: str,
    root: str,
    aggregates: Mapping[str, Aggregate],
    gates: Iterable[Gate],
    problems: Iterable[Problem] = (),
    scores: Mapping[tuple[str, str], Score] | None = None,
    tally: Tally | None = None,
    baseline: str = "",
    verdicts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The document as plain values; absent keys mean that there is nothing to say.

    `scores` gives whole scores by (case, judge), where the cells of the grid hold them without
    their rationales. Cases that did not run are named and have no cells (D7). A comparison with
    the run `baseline` has a block of its own, in the form of `summary.yaml`, with the win rate.
    `verdicts` are the blocks of `verdict_blocks`.
    """
    tally = tally or Tally()
    whole = scores or {}
    cells: dict[str, dict[str, Any]] = {}
    for row in grid.rows:
        if row.status == "not_run":
            continue
        found = {judge.name: grid.cell(row.case, judge.name) for judge in grid.columns}
        cells[row.case] = {
            judge: cell_document(cell, whole.get((row.case, judge)))
            for judge, cell in found.items()
            if cell.score is not None or cell.state is not CellState.EMPTY
        }
    compared = {"pairwise": _comparison(grid, whole, run, baseline)} if baseline else {}
    return {
        "schema": SCHEMA,
        "eval": eval_name,
        "run": run,
        "root": root,
        "cells": cells,
        "not_run": [row.case for row in grid.rows if row.status == "not_run"],
        "aggregates": {name: _aggregate(figures) for name, figures in aggregates.items()},
        "thresholds": [_gate(gate) for gate in gates],
        **compared,
        **(verdicts or {}),
        "problems": [problem_document(problem) for problem in problems],
        "ran": tally.ran,
        "reused": tally.reused,
        "calls": tally.calls,
        "cost_usd": tally.cost_usd,
    }


def _comparison(
    grid: Grid, whole: Mapping[tuple[str, str], Score], run: str, baseline: str
) -> dict[str, Any]:
    cells = {row.case: grid.cell(row.case, PAIRWISE) for row in grid.rows}
    scores = {case: whole.get((case, PAIRWISE), cell.score) for case, cell in cells.items()}
    rate = count_wins(cells.values()).rate
    return {**pairwise_block(scores, run, baseline), "win_rate": rate}


def cell_document(cell: Cell, score: Score | None = None) -> dict[str, Any]:
    """One cell; `score` is its whole score where the cell's own has no rationale."""
    value = score if score is not None else cell.score
    if value is None:
        return _without_value(cell)
    plain = _score(value)
    if cell.recorded:
        plain["recorded"] = True
    if is_old(cell):
        plain["stale"] = True
    if cell.waiting is not None:
        plain["waiting"] = _waiting(cell.waiting)
    return plain


def _waiting(why: Waiting) -> str:
    """As the document has it: without a key nothing is asked, as with `--auto off`."""
    return "off" if why == "secret" else why


def _without_value(cell: Cell) -> dict[str, Any]:
    """A cell that never had a value: it waits, or its work was never finished."""
    if cell.waiting is not None:
        return {
            "status": "unmeasured",
            "reason": "policy_skip",
            "detail": WAITING_WORDS[cell.waiting],
            "waiting": _waiting(cell.waiting),
        }
    detail = f"not finished: {cell.state.value}"
    return {
        "status": "unmeasured",
        "reason": "policy_skip",
        "detail": detail,
        "waiting": "cancelled",
    }


def _score(score: Score) -> dict[str, Any]:
    match score:
        case Measured():
            return _measured(score)
        case Unmeasured():
            return _unmeasured(score)
        case _:
            assert_never(score)


def _measured(score: Measured) -> dict[str, Any]:
    plain: dict[str, Any] = {"status": "measured", "value": score.value}
    if score.passed is not None:
        plain["pass"] = score.passed
    if score.label is not None:
        plain["label"] = score.label
    if score.rationale:
        plain["rationale"] = score.rationale
    if score.samples:
        plain["samples"] = [_sample(sample) for sample in score.samples]
    if score.parts:
        plain["parts"] = {metric: _score(part) for metric, part in score.parts.items()}
    return plain


def _unmeasured(score: Unmeasured) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "status": "unmeasured",
        "reason": score.reason.value,
        "detail": score.detail,
        **recovery(score),
    }
    if score.parts:
        plain["parts"] = {metric: _score(part) for metric, part in score.parts.items()}
    return plain


def _sample(sample: Sample) -> dict[str, Any]:
    plain: dict[str, Any] = {"value": sample.value}
    if sample.rationale:
        plain["rationale"] = sample.rationale
    if sample.error:
        plain["error"] = sample.error
    return plain


def _aggregate(figures: Aggregate) -> dict[str, Any]:
    labels = {"labels": dict(figures.labels), "mode": figures.mode} if figures.labels else {}
    return {
        "measured": figures.measured,
        "total": figures.total,
        "skipped": figures.skipped,
        "passed": figures.passed,
        "pass_rate": figures.pass_rate,
        "mean": _finite(figures.mean),
        "error_rate": figures.error_rate,
        "stale": figures.stale,
        **labels,
    }


def _gate(gate: Gate) -> dict[str, Any]:
    return {
        "judge": gate.judge,
        "metric": gate.metric,
        "limit": _finite(gate.limit),
        "actual": _finite(gate.actual),
        "state": gate.state,
    }


def problem_document(problem: Problem) -> dict[str, Any]:
    """One problem; places that are not known are left out."""
    plain: dict[str, Any] = {
        "severity": problem.severity,
        "code": problem.code,
        "message": problem.message,
    }
    for key in ("file", "line", "column", "judge", "hint"):
        value = getattr(problem, key)
        if value:
            plain[key] = value
    return plain


def _finite(value: float | None) -> float | None:
    """The number, or None for what JSON cannot hold."""
    return value if value is not None and math.isfinite(value) else None
