"""The conformance cases of comparisons with a baseline, with a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.compare import (
    Differences,
    compare_gates,
    compare_pairwise,
    compare_requests,
)
from tests.conformance.differences import NOT_COMPARED, PAIRWISE_COMPARED, PAIRWISE_DIFFERENCES
from tests.conformance.runner import run_scenario
from tests.conformance.summaries import read_back
from tests.support.conformance import load_case, materialize, scenarios
from tests.support.fake_anthropic import FakeAnthropic


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


@pytest.mark.parametrize("number", ["37", "36"])
def test_case_agrees(number: str, tmp_path: Path, server: FakeAnthropic) -> None:
    agreed = Differences(PAIRWISE_DIFFERENCES[number])
    expected = load_case(number)[1]["scenarios"]
    found: list[str] = []
    for scenario in scenarios(number):
        name = scenario["id"]
        where = f"{number}/{name}"
        server.reset()
        project = materialize(number, tmp_path / name)
        outcome = run_scenario(project, scenario, server)
        document, right = outcome.document, expected[name]
        if where in NOT_COMPARED:
            code, why = NOT_COMPARED[where]
            block = (document or {}).get("pairwise", {"per_case": []})
            winners = {entry["winner"] for entry in block["per_case"]} - {"error"}
            asked = [entry for entry in server.requests if entry["shape"] == "enum"]
            if outcome.exit_code != code or winners or asked:
                found.append(f"{name}: {why}: {outcome.exit_code}, {winners}, {asked}")
            continue
        right = {**right, **PAIRWISE_COMPARED.get(where, {})}
        if document is None or ("pairwise" in right) > ("pairwise" in document):
            found.append(f"{name}: nothing was compared (exit code {outcome.exit_code})")
            continue
        found += read_back(project, scenario, document)
        if "pairwise" in right:
            found += compare_pairwise(name, right, document, agreed)
        found += compare_gates(name, right, document, outcome.exit_code)
        found += compare_requests(name, right, server.requests, agreed)
    found += agreed.unused()
    assert not found, f"{len(found)} differences\n" + "\n".join(found)
