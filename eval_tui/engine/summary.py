"""A run's `summary.yaml` on its way into the app: a large one is read by a worker.

Parsing a document of some MB holds up everything else in its process, so the app only puts
together what a worker has read, row by row and off its loop.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.record.recorded import Recorded, read_recorded
from eval_tui.scores import Score, from_plain, to_plain

SUMMARY = "summary.yaml"

SMALL = 1_000_000
"""Bytes that are parsed at once."""

YOUNG_S = 1.0
"""Seconds after its last change for which an unreadable document counts as being written (D13)."""

_ROWS = 50
"""Cases that are put together in one piece."""


def is_large(run_dir: str) -> bool:
    """Whether the summary is too large to be parsed where keys are waited for."""
    try:
        return os.stat(os.path.join(run_dir, SUMMARY)).st_size > SMALL
    except OSError:
        return False


def is_young(recorded: Recorded) -> bool:
    """Whether the document cannot be read and may be on its way to being written."""
    if recorded.readable or recorded.signature is None:
        return False
    return 0 <= time.time() - recorded.signature[2] / 1e9 < YOUNG_S


def keep_good(found: Recorded, last: Recorded | None) -> Recorded:
    """The last good values stay while the file cannot be read; why it cannot is told with them."""
    if found.readable or last is None or last.path != found.path:
        return found
    return replace(last, problems=found.problems, readable=False, signature=found.signature)


def without_problems(recorded: Recorded) -> Recorded:
    return replace(recorded, problems=()) if recorded.problems else recorded


def packed(run_dir: str) -> dict[str, Any]:
    """Worker side: the recorded scores as plain data, in pieces that are quickly read."""
    recorded = read_recorded(run_dir)
    rows = list(recorded.cells.items())
    pieces = [
        json.dumps(
            {
                case: {
                    judge: [to_plain(score), recorded.made_by.get(case, {}).get(judge, "")]
                    for judge, score in row.items()
                }
                for case, row in rows[start : start + _ROWS]
            }
        )
        for start in range(0, len(rows), _ROWS)
    ]
    problems = [
        [p.severity, p.code, p.message, p.file, p.line, p.column, p.judge, p.hint]
        for p in recorded.problems
    ]
    return {
        "path": recorded.path,
        "exists": recorded.exists,
        "readable": recorded.readable,
        "signature": recorded.signature,
        "pieces": pieces,
        "problems": problems,
    }


def unpacked(answer: Mapping[str, Any]) -> Recorded:
    """App side, off the loop: the scores and problems that `packed` told."""
    signature = answer["signature"]
    problems = tuple(
        Problem(severity, code, message, file, line, column, judge=judge, hint=hint)
        for severity, code, message, file, line, column, judge, hint in answer["problems"]
    )
    cells: dict[str, dict[str, Score]] = {}
    made_by: dict[str, dict[str, str]] = {}
    for case, row in _rows(answer["pieces"]):
        cells[case] = {judge: from_plain(score) for judge, (score, _) in row.items()}
        made_by[case] = {judge: digest for judge, (_, digest) in row.items() if digest}
    return Recorded(
        answer["path"],
        answer["exists"],
        answer["readable"],
        cells,
        made_by,
        problems=problems,
        signature=tuple(signature) if signature else None,
    )


def _rows(pieces: list[str]) -> Iterator[tuple[str, dict[str, tuple[Any, str]]]]:
    for piece in pieces:
        yield from json.loads(piece).items()


def unread(run_dir: str, why: str) -> Recorded:
    """No worker could read it."""
    path = os.path.join(run_dir, SUMMARY)
    problem = Problem(
        "warning",
        "recorded-unreadable",
        f"the recorded scores cannot be read: {why}",
        path,
        hint="scores that are computed here are not affected",
    )
    return Recorded(path, True, False, problems=(problem,))
