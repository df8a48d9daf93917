"""Compares the `summary.yaml` that a scoring wrote with the document that it printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from eval_tui.engine.grid import Cell, CellState
from eval_tui.record.recorded import read_recorded
from eval_tui.results.export import cell_document

OF_NOW = ("recorded", "stale")
"""What a cell's document says of the moment: a cell that is read again may say otherwise."""


def read_back(
    project: Path, scenario: dict[str, Any], document: dict[str, Any] | None
) -> Iterator[str]:
    """Every cell and figure that is another one when the run's summary is read again."""
    root, name = project / scenario["cwd"], scenario["id"]
    run = root / "runs" / scenario["eval"] / scenario["run"]
    if document is None or not run.is_dir():
        return
    found = read_recorded(str(run))
    if not found.exists or not found.readable:
        yield f"{name}/summary: {found.problems or 'was not written'}"
        return
    plain = yaml.safe_load((run / "summary.yaml").read_text("utf-8"))  # what the harness does
    for case, row in document["cells"].items():
        for judge, cell in row.items():
            if judge == "pairwise":
                continue
            score = found.cells.get(case, {}).get(judge)
            again = _shown(cell_document(Cell(CellState.FRESH, score))) if score else None
            right = None if "waiting" in cell else _shown(cell)
            if again != right:
                yield f"{name}/summary/{case}/{judge}: {right} read back as {again}"
            if (plain["per_case"][case][judge]["value"] is None) != ("value" not in cell):
                yield f"{name}/summary/{case}/{judge}: other tools see another value"
    for judge, figures in document["aggregates"].items():
        kept = found.aggregates.get(judge, {})
        pairs = {"mean": "mean", "pass_rate": "pass_rate", "scored_cases": "measured"}
        for key, ours in pairs.items():
            if judge != "pairwise" and kept.get(key) != figures[ours]:
                yield f"{name}/summary/{judge}/{key}: {figures[ours]} read back as {kept}"
    if "pairwise" in document and document["pairwise"]["cases_compared"]:
        block = {k: v for k, v in document["pairwise"].items() if k != "win_rate"}
        if found.pairwise != block:
            yield f"{name}/summary/pairwise: {block} read back as {found.pairwise}"


def _shown(cell: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a cell: of answers that agree, the harness keeps the values alone."""
    shown = {key: value for key, value in cell.items() if key not in OF_NOW}
    samples = shown.pop("samples", [])
    values = [sample["value"] for sample in samples]
    if len(values) > 1:
        shown["samples"] = values if len(set(map(repr, values))) == 1 else samples
    return shown
