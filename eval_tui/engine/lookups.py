"""Questions that a worker answers without running any user code."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from eval_tui.engine import folders
from eval_tui.engine.observe import env_version, path_version, python_version
from eval_tui.record.recorded import read_recorded
from eval_tui.record.spec import RecordSpec
from eval_tui.record.view import case_view, view_file
from eval_tui.scores import to_plain


def _case(request: dict[str, Any]) -> dict[str, Any]:
    return {"view": case_view(RecordSpec.from_plain(request["record"]), request["case"])}


def _file(request: dict[str, Any]) -> dict[str, Any]:
    spec = RecordSpec.from_plain(request["record"])
    return {"file": view_file(spec, request["case"], request["name"], request["limit"])}


def _scan(request: dict[str, Any]) -> dict[str, Any]:
    """Signatures of many cases, and which ambients still hold."""
    signatures = folders.case_signatures(
        request["run_dir"], request["dataset_dir"], request["cases"]
    )
    holds = [ambient for ambient, inputs in request["ambients"].items() if all(map(_still, inputs))]
    return {"signatures": signatures, "holds": holds}


def _still(observation: list[str]) -> bool:
    kind, key, version = observation
    if kind == "python":
        return version == python_version()
    if kind == "env":
        return version == env_version(key, os.environ)
    return version == path_version(kind, key)


def _recorded(request: dict[str, Any]) -> dict[str, Any]:
    recorded = read_recorded(request["run_dir"])
    cells = {
        case: {judge: to_plain(score) for judge, score in row.items()}
        for case, row in recorded.cells.items()
    }
    problems = [
        [p.severity, p.code, p.message, p.file, p.line, p.column, p.judge, p.hint]
        for p in recorded.problems
    ]
    return {"cells": cells, "problems": problems}


LOOKUPS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "case": _case,
    "file": _file,
    "scan": _scan,
    "recorded": _recorded,
}
