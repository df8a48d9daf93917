"""The file that describes a case to a grader's command: `{case, trace, snapshot, evidence, aeh}`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from eval_tui.record.derive import final_answer
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.exchange import exchange_trace


def context_text(case: str, record: Mapping[str, Any]) -> str:
    """The document as JSON. A part of the record that cannot be read is left out and named in
    `unreadable`."""
    unreadable: dict[str, str] = {}
    values: dict[str, object] = {}
    for key in record:
        try:
            value = record[key]
            values[key] = _each(value) if key in ("files", "annotations") else value
        except PartUnreadable as error:
            unreadable[key] = f"{error.path}: {error.why}"
    events = cast("list[Mapping[str, object]]", values.get("events") or [])
    annotations = cast("Mapping[str, object]", values.get("annotations") or {})
    answer = final_answer(events)
    document: dict[str, object] = {
        "case": {
            "id": case,
            "task": values.get("inputs") or "",
            "expected": annotations.get("expected"),
            "graders": annotations.get("graders") or [],
            "tags": annotations.get("tags") or [],
        },
        "trace": exchange_trace(events),
        "snapshot": {"kind": "prompt", "output": answer or values.get("conversation") or ""},
        "evidence": {"finalAnswer": answer},
        "aeh": values,
    }
    if unreadable:
        document["unreadable"] = unreadable
    return json.dumps(document, default=str)


def _each(values: Mapping[str, object]) -> dict[str, object]:
    """A nested mapping of the record, read entry by entry; one that cannot be read is None."""
    found: dict[str, object] = {}
    for name in values:
        try:
            found[name] = values[name]
        except PartUnreadable:
            found[name] = None
    return found
