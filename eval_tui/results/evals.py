"""Several evals side by side: what `score --all` and the app's chooser say of each, in one place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_tui.engine.grid import Grid
from eval_tui.engine.stored import StoredEval
from eval_tui.results.board import Board, make_board
from eval_tui.results.critical import CriticalGate, critical_words
from eval_tui.results.gates import Gate, GateState
from eval_tui.results.table import aligned
from eval_tui.results.words import count

_STATES: Mapping[GateState, str] = {"fail": "not met", "cannot_tell": "cannot be told"}


@dataclass(frozen=True, slots=True)
class EvalSummary:
    """One run of an eval in counts: no figure averages across judges (D54)."""

    run: str
    """Its id; empty when the eval has no run."""
    cases: int = 0
    """Cases that ran, or have recorded values."""
    measured: int = 0
    """Cells with a value."""
    total: int = 0
    """Cells that should have one."""
    failed: int = 0
    """Cells whose value is a fail."""
    gates: tuple[Gate, ...] = ()
    critical: CriticalGate | None = None
    """The cases that must pass, where that was looked at."""

    @property
    def words(self) -> str:
        """`run r1 · 12 cases · 30/36 measured · 4 failed · 2 thresholds: 1 not met`."""
        if not self.run:
            return "no run yet"
        parts = [f"run {self.run}", count(self.cases, "case"), self.measured_words]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        return " · ".join([*parts, *([self.gate_words] if self.gate_words else [])])

    @property
    def measured_words(self) -> str:
        return f"{self.measured:,}/{self.total:,} measured"

    @property
    def gate_words(self) -> str:
        """What became of the thresholds, worst first, then of critical cases; empty without any."""
        found = {
            words: sum(gate.state == state for gate in self.gates)
            for state, words in _STATES.items()
        }
        bad = [f"{number:,} {words}" for words, number in found.items() if number]
        told = f"{count(len(self.gates), 'threshold')}: {', '.join(bad) or 'met'}"
        parts = [told] if self.gates else []
        parts += [critical_words(self.critical)] if self.critical is not None else []
        return " · ".join(parts)


def summary_of(
    run: str, grid: Grid, board: Board, critical: CriticalGate | None = None
) -> EvalSummary:
    """The summary of a run whose board is known."""
    columns = board.columns
    return EvalSummary(
        run,
        sum(row.status != "not_run" for row in grid.rows),
        sum(column.aggregate.measured for column in columns),
        sum(column.aggregate.total for column in columns),
        sum(column.failed for column in columns),
        tuple(gate for column in columns for gate in column.gates),
        critical,
    )


def stored_summary(stored: StoredEval) -> EvalSummary:
    """The summary of an eval's newest run as it was last scored."""
    if not stored.run:
        return EvalSummary("")
    return summary_of(stored.run, stored.grid, make_board(stored.grid, stored.config))


@dataclass(frozen=True)
class ScoredEval:
    """What became of one eval when all were scored."""

    name: str
    config: str
    """The config's path, relative to the root."""
    exit_code: int | None
    """What `score` would have ended with for it alone; None when there was nothing to score."""
    summary: EvalSummary
    words: str = ""
    """Why it could not be scored; empty when it was."""
    document: Mapping[str, Any] | None = None


def evals_table(evals: Sequence[ScoredEval]) -> str:
    """One line per eval."""
    rows = [["eval", "config", "run", "cases", "measured", "failed", "thresholds", "exit"]]
    for one in evals:
        summary, code = one.summary, "-" if one.exit_code is None else str(one.exit_code)
        if one.words or not summary.run:
            words = one.words or summary.words
            rows.append([one.name, one.config, summary.run, "", "", "", words, code])
            continue
        figures = [str(summary.cases), f"{summary.measured:,}/{summary.total:,}"]
        figures += [f"{summary.failed:,}", summary.gate_words or "none", code]
        rows.append([one.name, one.config, summary.run, *figures])
    return aligned(rows)


def evals_json(evals: Iterable[ScoredEval]) -> str:
    """`{"schema": 1, "evals": [...]}`: each eval's own document, with its config and exit code."""
    entries = [
        {
            "config": one.config,
            **(one.document or {"schema": 1, "eval": one.name}),
            **({"run": one.summary.run} if one.summary.run else {}),
            **({"not_scored": one.words} if one.words else {}),
            "exit_code": one.exit_code,
        }
        for one in evals
    ]
    return json.dumps({"schema": 1, "evals": entries}, indent=2, allow_nan=False)


def worst_code(codes: Iterable[int | None], nothing: int) -> int:
    """The weightiest exit code in the order of D31; `nothing` where nothing was scored at all."""
    found = {code for code in codes if code is not None}
    signals = [code for code in found if code > 128]
    order = [*signals, 2, 4, 1, 3, 0]
    return next((code for code in order if code in found), nothing)
