"""A case of a document for reading: its trace, its texts as files, and what it was asked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from eval_tui.engine.grid import CaseView, FileEntry
from eval_tui.imports.document import Result
from eval_tui.imports.plain import Plain, a_list, an_object, as_json, text, words_of
from eval_tui.imports.traces import judging_of, taken_of, trace_of

SHOWN_FACTS = ("provenance", "execution", "evidenceStatus", "usage")
"""Parts of a result that are short and told as metrics."""


def case_view(result: Result, name: str, path: str) -> CaseView:
    """The case as the case screen reads it; `path` is the document's."""
    plain = result.plain
    events = a_list(plain.get("trace"))
    trace = trace_of(events)
    files = texts_of(result)
    task, expected = _asked(result)
    facts = {key: as_json(plain[key]) for key in SHOWN_FACTS if plain.get(key)}
    notes = [f"it failed: {result.failed}"] if result.failed else []
    return CaseView(
        case=name,
        case_dir="",
        input_path=path,
        inputs=task,
        annotations_path=path if expected else "",
        annotations=as_json(expected, 2) if expected else "",
        files=tuple(
            FileEntry(file, len(body.encode("utf-8", "replace")), False, "")
            for file, body in files.items()
        ),
        events=trace.events,
        events_path=path,
        conversation=trace.conversation,
        stdout=trace.stdout,
        stderr=trace.stderr,
        metrics={**taken_of(events), **_snapshot_facts(plain), **facts},
        notes=(*notes, *_left_out(plain)),
    )


def case_facts(result: Result) -> dict[str, Any]:
    """What a case is about, as plain data for `engine.grid.CaseFacts`."""
    task, told = _asked(result)
    cost = taken_of(a_list(result.plain.get("trace"))).get("cost_usd")
    return {"inputs": task, "annotations": told or None, "cost": cost}


def _asked(result: Result) -> tuple[str, dict[str, object]]:
    """What the agent was asked, and what was expected of it, as far as the document says."""
    spec = result.spec
    task = words_of(spec.get("task"))
    if not task:
        messages = (an_object(event) for event in a_list(result.plain.get("trace")))
        asked = (text(one.get("text")) for one in messages if one.get("role") == "user")
        task = next(asked, "")
    return task, {key: spec[key] for key in ("expected", "milestones", "tags") if spec.get(key)}


def texts_of(result: Result) -> dict[str, str]:
    """The texts of a case by a name for each, as if they were files. Nothing is fetched."""
    return {name: body for name, body in _texts(result.plain) if body}


def _texts(plain: Plain) -> Iterator[tuple[str, str]]:
    snapshot, evidence = an_object(plain.get("snapshot")), an_object(plain.get("evidence"))
    yield "snapshot/changes.diff", text(snapshot.get("diff"))
    yield "snapshot/output.txt", text(snapshot.get("output"))
    yield "snapshot/page.html", text(snapshot.get("dom"))
    yield "snapshot/console.txt", words_of(snapshot.get("console"))
    yield "evidence/final-answer.txt", text(evidence.get("finalAnswer"))
    yield "evidence/page.html", text(evidence.get("dom"))
    for name, value in an_object(evidence.get("custom")).items():
        yield f"evidence/{name}", words_of(value)
    for number, delta in enumerate(map(an_object, a_list(plain.get("envDeltas"))), 1):
        yield f"changes/{number}.diff", text(delta.get("text"))
    yield "failure.log", text(an_object(plain.get("failure")).get("logTail"))
    yield "verifier.json", as_json(plain["verifier"], 2) if plain.get("verifier") else ""
    judging = judging_of(a_list(plain.get("trace")))
    yield "judges.json", as_json(judging, 2) if judging else ""


def _snapshot_facts(plain: Plain) -> dict[str, str]:
    snapshot = an_object(plain.get("snapshot"))
    changed = ", ".join(map(text, a_list(snapshot.get("changedFiles"))))
    facts = {
        "changed files": changed,
        "head": text(snapshot.get("headSha")),
        "url": text(snapshot.get("url")),
    }
    return {name: value for name, value in facts.items() if value}


def _left_out(plain: Plain) -> Iterator[str]:
    """Pictures are neither decoded nor fetched, and what lies elsewhere is not looked at."""
    both = (("snapshot", plain.get("snapshot")), ("evidence", plain.get("evidence")))
    for where, value in both:
        one = an_object(value)
        for key in ("screenshot", "screenshotRef"):
            if one.get(key):
                yield f"its screenshot ({where}.{key}) is not shown"
    refs = chain([plain], map(an_object, a_list(plain.get("trace"))))
    elsewhere = sum(bool(one.get("traceRef") or one.get("ref")) for one in refs)
    if elsewhere:
        yield f"{elsewhere} of its parts lie elsewhere and are not fetched"
