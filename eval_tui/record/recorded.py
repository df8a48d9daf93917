"""What a run's `summary.yaml` holds: scores that were paid for or computed before (D32)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from eval_tui.config.problems import Problem
from eval_tui.record.recorded_cell import digest_of, is_verdict, recorded_score
from eval_tui.record.summary_yaml import load_summary, text_of, what_is_wrong
from eval_tui.scores import Score

_MAX_BYTES = 256_000_000


def _empty() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Recorded:
    """A stored summary as far as it could be read; everything is empty where there is none."""

    path: str
    """Absolute path of the `summary.yaml`, whether it exists or not."""
    exists: bool = False
    readable: bool = True
    """False when the file exists and is no document, e.g. half-written."""
    cells: Mapping[str, Mapping[str, Score]] = field(default_factory=_empty)
    """Case -> judge -> score."""
    made_by: Mapping[str, Mapping[str, str]] = field(default_factory=_empty)
    """Case -> judge -> the version of the judge that made the score, where the file says so."""
    judge_types: Mapping[str, str] = field(default_factory=_empty)
    """Judge -> its recorded type, in the words of the tool that wrote it."""
    aggregates: Mapping[str, Mapping[str, Any]] = field(default_factory=_empty)
    run_metrics: Mapping[str, Any] = field(default_factory=_empty)
    pairwise: Mapping[str, Any] = field(default_factory=_empty)
    run_id: str = ""
    problems: tuple[Problem, ...] = ()
    signature: tuple[int, int, int, int] | None = None
    """Size, mtime_ns, ctime_ns and inode before the file was read; None where there is none."""


def read_recorded(run_dir: str) -> Recorded:
    """Reads `summary.yaml` of a run folder. Never raises for what the file holds.

    A file that is no document gives `readable=False` and a problem; whatever part of it has
    another form than expected is left out with a problem, and the rest is kept.
    """
    path = os.path.join(os.path.abspath(run_dir), "summary.yaml")
    try:
        stat = os.stat(path)
        signature = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        if not os.path.isfile(path):
            return _broken(path, signature, "it is no regular file")
        if stat.st_size > _MAX_BYTES:
            return _broken(path, signature, f"it is too large ({stat.st_size:,} bytes)")
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return Recorded(path)
    except OSError as exc:
        return _broken(path, None, exc.strerror or str(exc))
    try:
        document = load_summary(data)
    except Exception as exc:
        return _broken(path, signature, *what_is_wrong(exc))
    if document is None:
        document = {}
    if not isinstance(document, dict):
        return _broken(path, signature, "its top level is no mapping")
    return _recorded(path, signature, cast("dict[str, Any]", document))


def _broken(
    path: str, signature: tuple[int, int, int, int] | None, why: str, line: int = 0, column: int = 0
) -> Recorded:
    message = f"the recorded scores cannot be read: {why}"
    hint = "scores that are computed here are not affected"
    problem = Problem("warning", "recorded-unreadable", message, path, line, column, hint=hint)
    return Recorded(path, True, False, problems=(problem,), signature=signature)


def _recorded(
    path: str, signature: tuple[int, int, int, int], document: Mapping[str, Any]
) -> Recorded:
    problems: list[Problem] = []

    def mapping(value: object, what: str) -> Mapping[str, Any]:
        if isinstance(value, dict):
            return cast("Mapping[str, Any]", value)
        if value is not None:
            message = f"`{what}` of the recorded scores is no mapping and is left out"
            problems.append(Problem("warning", "recorded-form", message, path))
        return {}

    types: dict[str, str] = {}
    cells: dict[str, Mapping[str, Score]] = {}
    made_by: dict[str, dict[str, str]] = {}
    for case, judges in mapping(document.get("per_case"), "per_case").items():
        row: dict[str, Score] = {}
        for judge, cell in mapping(judges, f"per_case.{case}").items():
            if is_verdict(cell):
                row[judge] = recorded_score(cell)
                if digest := digest_of(cell):
                    made_by.setdefault(case, {})[judge] = digest
            kind = (
                cast("Mapping[str, Any]", cell).get("judge_type")
                if isinstance(cell, dict)
                else None
            )
            if isinstance(kind, str):
                types.setdefault(judge, kind)
        cells[case] = row
    aggregates = mapping(document.get("judges"), "judges")
    return Recorded(
        path,
        True,
        True,
        cells,
        made_by,
        types,
        {name: mapping(entry, f"judges.{name}") for name, entry in aggregates.items()},
        mapping(document.get("run_metrics"), "run_metrics"),
        mapping(document.get("pairwise"), "pairwise"),
        text_of(document.get("run_id")),
        tuple(problems),
        signature,
    )
