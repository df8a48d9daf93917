"""The conformance case of judges that are agents, run as real commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.compare import (
    Differences,
    compare_aggregates,
    compare_cells,
    compare_samples,
)
from tests.conformance.differences import AGENT_DIFFERENCES, REFUSED
from tests.conformance.runner import PAID, run_scenario
from tests.conformance.summaries import read_back
from tests.support.conformance import load_case, materialize, scenarios

NUMBER = "40"
COUNTS = "sampled"
"""The judge whose runs count in a file of their own: one after another, or two read one number."""

SAMPLED = {COUNTS, "scores", "text_false", "nothing", "skipped", "check_beats_agent"}
"""Those that are sampled more than once; what the others do, each run does by itself."""


@pytest.mark.parametrize("name", ["default", "left-out", "samples-override"])
def test_scenario_agrees(name: str, tmp_path: Path) -> None:
    expected, agreed = (
        load_case(NUMBER)[1]["scenarios"][name],
        Differences(AGENT_DIFFERENCES[NUMBER]),
    )
    found: list[str] = []
    for part, runs in enumerate((["8"], ["1"])):
        names = [judge for judge in expected["cells"]["c1"] if (judge == COUNTS) == bool(part)]
        if name == "samples-override":
            names = [judge for judge in names if judge in SAMPLED]
        if names:
            project = materialize(NUMBER, tmp_path / f"{name}-{part}")
            found += _compare(name, project, _only(expected, names), runs[0], agreed)
    if name == "default":
        found += agreed.unused()
    assert not found, f"{len(found)} differences\n" + "\n".join(found)


def _only(expected: dict[str, Any], judges: list[str]) -> dict[str, Any]:
    """What is expected of some of the judges."""
    cells = {judge: expected["cells"]["c1"][judge] for judge in judges}
    aggregates = {judge: expected["aggregates"][judge] for judge in judges}
    return {**expected, "cells": {"c1": cells}, "aggregates": aggregates}


def _scenario(name: str) -> dict[str, Any]:
    return next(one for one in scenarios(NUMBER) if one["id"] == name)


def _compare(
    name: str, project: Path, wanted: dict[str, Any], concurrency: str, agreed: Differences
) -> list[str]:
    chosen = [word for judge in wanted["cells"]["c1"] for word in ("--judge", judge)]
    more = [*PAID, "--concurrency", concurrency, *chosen]
    scenario = _scenario(name)
    document = run_scenario(
        project, {**scenario, "args": [*scenario.get("args", []), *more]}
    ).document
    assert document is not None
    return [
        *read_back(project, scenario, document),
        *compare_cells(name, wanted, document, agreed, models=True),
        *compare_samples(name, wanted, document, agreed),
        *compare_aggregates(name, wanted, document, models=True),
    ]


@pytest.mark.parametrize("name", ["repo-mode", "no-prompt", "no-model"])
def test_what_stops_another_tool_costs_its_own_column(name: str, tmp_path: Path) -> None:
    outcome = run_scenario(materialize(NUMBER, tmp_path / name), _scenario(name))
    assert outcome.document is not None
    (row,) = outcome.document["cells"].values()
    assert {judge for judge, cell in row.items() if cell["reason"] == "unsupported"} == set(row)
    assert set(row) == REFUSED[f"{NUMBER}/{name}"]
    assert outcome.exit_code == 2
