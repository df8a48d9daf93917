"""`open --format`: a document in one of the output formats, without a screen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from eval_tui.imports.opened import Opened, opened_or_told
from eval_tui.output import publish, say, tell_problems
from eval_tui.results.board import make_board
from eval_tui.results.exit_code import PASSED, UNUSABLE
from eval_tui.results.export import score_document
from eval_tui.results.formats import FORMATS
from eval_tui.results.report import Report
from eval_tui.results.verdict_export import verdict_blocks
from eval_tui.results.verdicts import make_verdicts
from eval_tui.verdicts.trials import CaseTrials, by_case


def print_document(path: str, form: str, output: str = "") -> int:
    """Print what a file holds; the exit code: 2 where that is no grid, or it cannot be written."""
    opened = opened_or_told(path)
    if opened is None or not publish(FORMATS[form](report_of(opened)), output):
        return UNUSABLE
    for note in opened.document.notes:
        say(f"{opened.document.what}: {note}")
    for row in opened.grid.rows:
        for note in row.notes:
            say(f"{row.case}: {note}")
    tell_problems(opened.problems, os.path.dirname(opened.path))
    return PASSED


def report_of(opened: Opened) -> Report:
    """The document as the formats take it; it has no thresholds, so no gate either."""
    board = make_board(opened.grid, opened.config)
    verdicts = make_verdicts(opened.grid, opened.rulebook)
    trials = trials_of(opened)

    def build() -> Mapping[str, Any]:
        return score_document(
            opened.grid,
            eval_name=opened.document.name,
            run=opened.document.run,
            root=opened.config.root,
            aggregates={column.judge.name: column.aggregate for column in board.columns},
            gates=(),
            problems=opened.problems,
            verdicts={**verdict_blocks(verdicts, trials=trials), "document": _origin(opened)},
        )

    return Report(opened.grid, board, build, opened.document.run, verdicts=verdicts, trials=trials)


def _origin(opened: Opened) -> dict[str, Any]:
    return {
        "path": opened.path,
        "kind": opened.document.what,
        "policy_resolution": opened.ruling.resolution,
        "notes": list(opened.document.notes),
        "cases": {row.case: list(row.notes) for row in opened.grid.rows if row.notes},
    }


def trials_of(opened: Opened) -> tuple[CaseTrials, ...]:
    """The trials of each case, where any case has several."""
    given = opened.rulebook.given
    found = by_case((result.case, given[name].value) for name, result in opened.results.items())
    return found if any(len(one.verdicts) > 1 for one in found) else ()
