"""Small documents in the shapes that Everdict writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eval_tui.imports.opened import Opened, open_document
from eval_tui.verdicts.policy import LADDER, stamp_of

PLAIN = {"kind": "prompt", "output": "done"}
STAMP = {"id": LADDER.id, "version": LADDER.version, "digest": stamp_of(LADDER).digest}


def measured(grader: str, metric: str, value: Any, passed: bool | None = None, **more: Any) -> Any:
    row = {"graderId": grader, "metric": metric, "value": value, "status": "measured", **more}
    return row if passed is None else {**row, "pass": passed}


def unmeasured(grader: str, metric: str, reason: str = "grader_error", **more: Any) -> Any:
    return {
        "graderId": grader,
        "metric": metric,
        "status": "unmeasured",
        "reason": reason,
        "retryable": False,
        **more,
    }


TESTS = measured("tests-pass", "tests_pass", 1, True, detail="3 passed")
TONE = unmeasured("tone", "judge:tone", "missing_secret", detail="key not configured")
OOM = {
    "stage": "run",
    "class": "infra",
    "code": "OOM_KILLED",
    "message": "killed",
    "retryable": False,
}
TRACE = [
    {"t": 0, "kind": "message", "role": "user", "text": "Fix the total."},
    {"t": 1, "kind": "llm_call", "model": "m", "cost": {"inputTokens": 10, "outputTokens": 2, "usd": 0.5}},
    {"t": 2, "kind": "tool_call", "id": "c1", "name": "Bash", "args": {"command": "pytest -q"}},
    {"t": 3, "kind": "tool_result", "id": "c1", "ok": False, "output": "1 failed"},
    {"t": 4, "kind": "log", "stream": "stderr", "text": "a warning"},
    {"t": 5, "kind": "message", "role": "assistant", "text": "Fixed."},
    {"t": 5, "kind": "span", "name": "judge:tone:llm_call", "attributes": {"usd": 9}},
]  # fmt: skip


def case(name: str = "invoice", *scores: Any, **more: Any) -> dict[str, Any]:
    return {
        "caseId": name,
        "harness": "demo@1",
        "trace": [],
        "snapshot": PLAIN,
        "scores": list(scores),
        **more,
    }


def scorecard(*cases: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": "sc_1",
        "tenant": "default",
        "status": "succeeded",
        "dataset": {"id": "invoices", "version": "1.0.0"},
        "harness": {"id": "demo", "version": "1"},
        "verdictPolicy": STAMP,
        "scorecard": {"suiteId": "invoices", "harness": "demo@1", "results": list(cases)},
        **more,
    }


def write(folder: Path, value: Any, name: str = "document.json") -> str:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return str(path)


def opened(folder: Path, value: Any) -> Opened:
    return open_document(write(folder, value))


def verdicts(found: Opened) -> dict[str, bool | None]:
    return {name: one.value for name, one in found.rulebook.given.items()}


def values(found: Opened, row: str) -> dict[str, Any]:
    """What a row shows: values, or the words of reasons."""
    cells = {judge.name: found.grid.cell(row, judge.name).score for judge in found.grid.columns}
    return {
        name: getattr(score, "value", None) if hasattr(score, "value") else score.reason.value  # type: ignore[union-attr]
        for name, score in cells.items()
        if score is not None
    }
