"""The conformance cases that compare with a baseline, by the harness's own rule (`--compat`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner import Outcome, run_scenario
from tests.support.conformance import conformance_cases, load_case, materialize, scenarios

COMPARED = [s for s in scenarios("32") if "baseline" in s] if conformance_cases() else []

OTHER_EXIT_CODES = {
    "baseline-not-scored": (3, "D28: what was asked for cannot be told"),
    "baseline-absent": (2, "D31: there is no such run"),
}
"""Scenario -> the exit code here, and why it is not that of the harness."""


def compared(project: Path, scenario: dict[str, Any]) -> Outcome:
    """Score what comes before, then the run against its baseline."""
    for before in scenario.get("prepare", []):
        run_scenario(project, {**scenario, **before})
    asked = ["--baseline", scenario["baseline"], "--compat"]
    return run_scenario(project, {**scenario, "args": asked})


@pytest.mark.parametrize("name", [scenario["id"] for scenario in COMPARED])
def test_half_a_point_decides(name: str, tmp_path: Path) -> None:
    scenario = next(one for one in COMPARED if one["id"] == name)
    outcome = compared(materialize("32", tmp_path / name), scenario)
    expected = load_case("32")[1]["scenarios"][name]
    right = OTHER_EXIT_CODES.get(name, (expected["exit_code"]["regression"], ""))
    assert outcome.exit_code == right[0], (outcome.document or {}).get("thresholds")
    if outcome.document is None or name in OTHER_EXIT_CODES:
        return
    drops = {
        gate["judge"]: gate["state"]
        for gate in outcome.document["thresholds"]
        if gate["metric"] == "max_drop"
    }
    # A judge that lost all its values is none of the harness's: here it cannot be told (D28).
    told = {judge: state for judge, state in drops.items() if state != "cannot_tell"}
    assert told == _drops(expected)


def _drops(expected: dict[str, Any]) -> dict[str, str]:
    """The harness has an entry for mean and pass rate each; here the larger fall decides both."""
    found: dict[str, str] = {}
    for entry in expected["thresholds"]:
        if entry["metric"].endswith("_vs_baseline"):
            worse = "fail" in (entry["state"], found.get(entry["judge"]))
            found[entry["judge"]] = "fail" if worse else "pass"
    return found
