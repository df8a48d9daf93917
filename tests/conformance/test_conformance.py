"""Every conformance case that needs no model, against the agreed differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.export import cell_document
from tests.conformance.compare import (
    Differences,
    compare_aggregates,
    compare_cells,
    compare_gates,
)
from tests.conformance.differences import DIFFERENCES, REFUSED
from tests.conformance.runner import Outcome, run_scenario
from tests.conformance.summaries import read_back
from tests.support.cold import cold_score
from tests.support.conformance import load_case, materialize, scenarios

CASES = "01 02 04 05 06 07 08 09 10 21 22 23 24 25 26 27 28 29 30 31 32 38".split()  # noqa: SIM905


@pytest.mark.parametrize("number", CASES)
def test_case_agrees(number: str, tmp_path: Path) -> None:
    expected = load_case(number)[1]["scenarios"]
    agreed = Differences(DIFFERENCES.get(number, ()))
    found: list[str] = []
    for scenario in scenarios(number):
        if scenario["command"] != "judges" or "baseline" in scenario:
            continue
        name = scenario["id"]
        project = materialize(number, tmp_path / name)
        outcome = run_scenario(project, scenario)
        if expected[name].get("config_error"):
            found += _refused(f"{number}/{name}", outcome)
        else:
            found += _scored(name, expected[name], outcome, agreed)
            found += read_back(project, scenario, outcome.document)
            if name == "default":  # the richest of its case; the others say no more about this
                found += _cold(name, project, scenario, outcome)
    found += agreed.unused()
    assert not found, f"{len(found)} differences\n" + "\n".join(found)


def _scored(
    name: str, expected: dict[str, Any], outcome: Outcome, agreed: Differences
) -> list[str]:
    document = outcome.document
    if document is None:
        return [f"{name}: nothing was scored (exit code {outcome.exit_code})"]
    found = list(compare_cells(name, expected, document, agreed))
    if "crash" in expected:  # the figures behind a crash of another tool are nobody's standard
        return found
    found += compare_aggregates(name, expected, document)
    found += compare_gates(name, expected, document, outcome.exit_code)
    return found


def _cold(name: str, project: Path, scenario: dict[str, Any], outcome: Outcome) -> list[str]:
    """Every cell that a cold scoring of the same files scores otherwise, word for word."""
    root = project / scenario["cwd"]
    run = root / "runs" / scenario["eval"] / scenario["run"]
    cells = outcome.document["cells"] if outcome.document else {}
    return [
        f"{name}/cells/{case}/{judge}: cold {right}, live {cells[case].get(judge)}"
        for case, row in cold_score(root, root / scenario["config"], run).items()
        if case in cells
        for judge, score in row.items()
        if (right := cell_document(Cell(CellState.FRESH, score))) != cells[case].get(judge)
    ]


def _refused(name: str, outcome: Outcome) -> list[str]:
    """What stops another tool costs its own column here (D3), or the command where none is left."""
    columns = REFUSED[name]
    document = outcome.document
    if not columns:
        return [] if document is None and outcome.exit_code == 2 else [f"{name}: {outcome}"]
    if document is None:
        return [f"{name}: nothing was scored"]
    found: list[str] = []
    for row in document["cells"].values():
        lost = {judge for judge, cell in row.items() if cell.get("reason") == "unsupported"}
        if lost != columns:
            found.append(f"{name}: expected {columns} to be unsupported, got {lost}")
        if lost == set(row) and outcome.exit_code != 2:
            found.append(
                f"{name}: nothing could be scored, yet the exit code is {outcome.exit_code}"
            )
    return found
