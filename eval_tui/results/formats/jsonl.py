"""JSON Lines: a line for everything that the document lists, for tools that read line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from eval_tui.results.formats.plain import Plain, cells_of, groups_of, parts_of, rewards_of
from eval_tui.results.report import Report

_LISTED = frozenset(
    {"cells", "not_run", "aggregates", "thresholds", "problems", "verdicts", "comparison"}
)
"""Blocks of the document that have lines of their own; the rest is in the first line."""


def to_jsonl(report: Report) -> str:
    """A `run` line, then a line each for cells, cases not run, verdicts, rewards, aggregates,
    thresholds and problems; `type` says which."""
    return "\n".join(json.dumps(line, allow_nan=False) for line in _lines(report.document))


def _lines(document: Plain) -> Iterator[dict[str, Any]]:
    run = {key: value for key, value in document.items() if key not in _LISTED}
    comparison = document.get("comparison")
    if comparison is not None:
        run["baseline"] = comparison["baseline"]
    if "rewards" in document:
        figures = document["rewards"].items()
        run["rewards"] = {name: figure for name, figure in figures if name != "cases"}
    yield {"type": "run", **run}
    changes, parts = groups_of(document), parts_of(document)
    for case, judge, cell in cells_of(document):
        change = changes.get(case, {}).get(judge)
        since = {"change": change["group"], "before": change["before"]} if change else {}
        turned = parts.get(case, {}).get(judge)
        since |= {"part_changes": turned} if turned else {}
        yield {"type": "cell", "case": case, "judge": judge, **cell, **since}
    for case in document["not_run"]:
        yield {"type": "not_run", "case": case}
    for case, verdict in document.get("verdicts", {}).items():
        yield {"type": "verdict", "case": case, **verdict}
    for case, reward in rewards_of(document).items():
        yield {"type": "reward", "case": case, **reward}
    for judge, figures in document["aggregates"].items():
        compared = comparison["judges"].get(judge) if comparison is not None else None
        since = {"baseline": compared} if compared else {}
        yield {"type": "aggregate", "judge": judge, **figures, **since}
    for gate in document["thresholds"]:
        yield {"type": "threshold", **gate}
    for problem in document["problems"]:
        yield {"type": "problem", **problem}
