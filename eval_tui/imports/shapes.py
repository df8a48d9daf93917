"""Which of the known shapes a document has, told by its keys in a fixed order (7.2)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from eval_tui.config.plain import as_number
from eval_tui.imports.document import (
    Document,
    Result,
    brings_verdicts,
    result_of,
    stamp_in,
    versioned,
)
from eval_tui.imports.listing import scorecard_list
from eval_tui.imports.plain import (
    Path,
    Plain,
    a_list,
    an_object,
    is_object,
    path_words,
    placed,
    text,
)
from eval_tui.imports.reading import Loaded, NoGrid

STATES = {
    "superseded": "superseded: a newer one stands in its place",
    "cancelled": "cancelled before its end",
    "failed": "failed",
    "queued": "not begun yet",
    "running": "not finished yet",
}
"""States of a scorecard in which its figures are not the last word."""


def recognise(loaded: Loaded) -> Document:
    """The document. Raises NoGrid, saying what the file holds instead."""
    stem = os.path.splitext(os.path.basename(loaded.path))[0]
    if loaded.log:
        return _single("job result", an_object(loaded.value), stem)
    entries = a_list(loaded.value)
    if entries or loaded.value == []:
        return _of_list(entries)
    if not is_object(loaded.value):
        raise NoGrid("it holds a single value, not a document")
    plain = an_object(loaded.value)
    for fits, read in _SHAPES:
        if fits(plain):
            return read(plain, stem)
    raise NoGrid(_what_else(plain))


def _of_list(found: Sequence[object]) -> Document:
    objects = [an_object(entry) for entry in found]
    if not found:
        raise NoGrid("it is an empty list")
    if all({"dataset", "harness", "status"} <= one.keys() for one in objects):
        return scorecard_list(found)
    if all({"caseId", "status"} <= one.keys() for one in objects):
        return _run_list(objects)
    if any({"graderId", "metric"} <= one.keys() for one in objects):
        raise NoGrid("it holds bare scores, which belong to no case")
    raise NoGrid("it is a list of something else than scorecards or runs")


# One scorecard


def _bundle(plain: Plain, _: str) -> Document:
    results = _results(plain, ("cases",))
    notes = () if plain.get("verdictPolicy") else ("the policy of its verdicts is not recorded",)
    made = _scorecard("analysis bundle", plain, results, text(plain.get("scorecardId")), notes)
    return replace(made, served=True)


def _detail(plain: Plain, _: str) -> Document:
    found = an_object(plain.get("scorecard"))
    runs = {
        (text(run.get("caseId")), as_number(run.get("trial")) or 0): text(run.get("runId"))
        for run in map(an_object, a_list(plain.get("caseRuns")))
    }
    results = tuple(
        replace(one, run=runs.get((one.case, one.trial or 0), ""))
        for one in _results(found, ("scorecard", "results"))
    )
    head = {**plain, "suite": found.get("suiteId")}
    return _scorecard("scorecard", head, results, text(plain.get("id")))


def _suite(plain: Plain, _: str) -> Document:
    found = an_object(plain.get("scorecard"))
    results = _results(found, ("scorecard", "results"))
    return _scorecard("suite result", {**found, "suite": found.get("suiteId")}, results)


def _bare(plain: Plain, _: str) -> Document:
    results = _results(plain, ("results",))
    return _scorecard("scorecard", {**plain, "suite": plain.get("suiteId")}, results)


def _results(plain: Plain, at: tuple[str, ...]) -> tuple[Result, ...]:
    return tuple(
        result_of(place, entry, path_words(place[-2:]))
        for place, entry in placed(plain.get(at[-1]), at)
    )


def _scorecard(
    what: str,
    head: Plain,
    results: tuple[Result, ...],
    identity: str = "",
    notes: tuple[str, ...] = (),
) -> Document:
    if not results:
        raise NoGrid(f"{_article(what)} without any case{_state(head)}")
    document = an_object(head.get("manifest")).get("verdictPolicy")
    return Document(
        what,
        versioned(head.get("dataset")) or text(head.get("suite")) or what,
        " ".join(filter(None, (identity, versioned(head.get("harness"))))),
        results,
        stamp_in(head),
        an_object(document) if is_object(document) else None,
        "policyResolution" in head or brings_verdicts(results),
        (*notes, *_warnings(head)),
    )


def _warnings(head: Plain) -> Iterator[str]:
    """What keeps a scorecard from being compared with others."""
    if (state := text(head.get("status"))) in STATES:
        yield STATES[state]
    if head.get("kind") == "experiment":
        yield "an experiment: no baseline"
    if head.get("scoringPass"):
        yield "it was being scored anew when it was saved: its scores are not to be trusted"


def _state(head: Plain) -> str:
    error = an_object(head.get("error"))
    words = ": ".join(filter(None, (text(error.get("code")), text(error.get("message")))))
    status = text(head.get("status"))
    return f" ({', '.join(filter(None, (status, words)))})" if status or words else ""


# Single results and runs


def _run(plain: Plain, _: str) -> Document:
    if not is_object(plain.get("result")):
        raise NoGrid(f"the run {_run_name(plain)} has no result{_state(plain)}")
    return _runs_document("run", (_run_result((), plain),), plain)


def _run_list(objects: list[Plain]) -> Document:
    results = tuple(_run_result((at,), one) for at, one in enumerate(objects))
    return _runs_document("list of runs", results, objects[0])


def _runs_document(what: str, results: tuple[Result, ...], first: Plain) -> Document:
    name = text(first.get("parentScorecardId")) or what
    run = " ".join(filter(None, (text(first.get("id")), versioned(first.get("harness")))))
    brings = any(one.served is not None for one in results) or brings_verdicts(results)
    document = Document(what, name, run if what == "run" else "", results, stamp_in(first))
    return replace(document, served=brings)


def _run_result(at: Path, plain: Plain) -> Result:
    result = plain.get("result")
    spec, name = an_object(plain.get("caseSpec")), text(plain.get("caseId"))
    made = result_of(
        (*at, "result"),
        result if is_object(result) else {},
        name,
        run=text(plain.get("id")),
        served=plain.get("verdict"),
        spec=spec,
    )
    if not is_object(result):
        why = f"the run has no result{_state(plain)}"
        return replace(made, at=at, died=why, failed=why)
    return replace(made, plain={"usage": plain.get("usage"), **made.plain})


def _run_name(plain: Plain) -> str:
    return text(plain.get("id")) or f"of {text(plain.get('caseId'))}"


def _case(plain: Plain, stem: str) -> Document:
    return _single("case result", plain, stem)


def _cli_run(plain: Plain, stem: str) -> Document:
    return _single("run result", plain, stem)


def _single(what: str, plain: Plain, stem: str) -> Document:
    if not plain:
        raise NoGrid("the result of the job is no object")
    one = result_of((), plain, stem)
    harness = versioned(plain.get("harness")) or text(plain.get("orchestrator"))
    return Document(what, one.case, harness, (one,), stamp_in(plain), served=brings_verdicts([one]))


def _ingest(plain: Plain, stem: str) -> Document:
    results = _results(plain, ("traces",))
    return Document("ingest body", stem, "", results, served=brings_verdicts(results))


# What it is


def _has_results(plain: Plain) -> bool:
    return isinstance(an_object(plain.get("scorecard")).get("results"), list)


_SHAPES: tuple[tuple[Callable[[Plain], bool], Callable[[Plain, str], Document]], ...] = (
    (lambda one: "scorecardId" in one and isinstance(one.get("cases"), list), _bundle),
    (lambda one: _has_results(one) and {"id", "status"} <= one.keys(), _detail),
    (_has_results, _suite),
    (lambda one: {"suiteId", "harness", "results"} <= one.keys(), _bare),
    (lambda one: {"caseId", "status"} <= one.keys() and "scores" not in one, _run),
    (
        lambda one: {"caseId", "scores"} <= one.keys() and bool({"trace", "snapshot"} & one.keys()),
        _case,
    ),
    (lambda one: {"orchestrator", "scores"} <= one.keys(), _cli_run),
    (lambda one: any("caseId" in an_object(trace) for trace in a_list(one.get("traces"))), _ingest),
)
"""In the order in which they are told apart."""


def _what_else(plain: Plain) -> str:
    """Why a document that is known, or not, holds no grid."""
    cases = [an_object(case) for case in a_list(plain.get("cases"))]
    if {"id", "version"} <= plain.keys() and any("task" in case for case in cases):
        return "it is a dataset: its cases have tasks and no scores yet"
    if "scorecard" in plain or {"dataset", "harness", "status"} <= plain.keys():
        return f"it is a scorecard without results{_state(plain)}"
    if {"case", "trace"} <= plain.keys():
        return "it is what a grader is told about one case: there are no scores in it yet"
    if plain.get("traces") == []:
        return "it is an ingest body without any trace"
    return (
        "it is no scorecard, run, analysis bundle, case result or ingest body"
        " (a project's own runs open with `eval-tui PATH`)"
    )


def _article(what: str) -> str:
    return f"it is {'an' if what[0] in 'aeiou' else 'a'} {what}"
