"""Every conformance case of judges that ask a model, with a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.compare import (
    Differences,
    compare_aggregates,
    compare_cells,
    compare_gates,
    compare_requests,
    compare_samples,
)
from tests.conformance.differences import DIFFERENCES, MODEL_DIFFERENCES, NO_COMMAND, STOPPED
from tests.conformance.runner import Outcome, run_scenario
from tests.conformance.summaries import read_back
from tests.support.conformance import load_case, materialize, scenarios
from tests.support.fake_anthropic import FakeAnthropic

CASES = "19 16 17 11 12 01 13 14 15 18 20 21 39".split()  # noqa: SIM905
"""Those that take longest first, so that workers end together."""


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


@pytest.mark.parametrize("number", CASES)
def test_case_agrees(number: str, tmp_path: Path, server: FakeAnthropic) -> None:
    agreed = Differences(MODEL_DIFFERENCES.get(number, ()) + DIFFERENCES.get(number, ()))
    expected = load_case(number)[1]["scenarios"]
    found: list[str] = []
    for scenario in scenarios(number):
        if scenario["command"] != "judges":
            continue
        name = scenario["id"]
        project = materialize(number, tmp_path / name)
        server.reset()
        outcome = run_scenario(project, scenario, server)
        if f"{number}/{name}" in NO_COMMAND:
            assert (outcome.exit_code, outcome.document) == (2, None)
            continue
        right, _ = STOPPED.get(f"{number}/{name}", (expected[name], ""))
        found += _compare(name, right, outcome, agreed)
        found += read_back(project, scenario, outcome.document)
        found += compare_requests(name, right, server.requests, agreed)
    found += agreed.unused()
    assert not found, f"{len(found)} differences\n" + "\n".join(found)


def _compare(name: str, right: dict[str, Any], outcome: Outcome, agreed: Differences) -> list[str]:
    document = outcome.document
    if document is None:
        return [f"{name}: nothing was scored (exit code {outcome.exit_code})"]
    return [
        *compare_cells(name, right, document, agreed, models=True),
        *compare_samples(name, right, document, agreed),
        *compare_aggregates(name, right, document, models=True),
        *compare_gates(name, right, document, outcome.exit_code),
    ]
