"""Every conformance case of judges that ask a model, with a server on this machine."""

from __future__ import annotations

import shutil
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
from tests.support.conformance import load_case, materialize, scenarios
from tests.support.fake_anthropic import FakeAnthropic

CASES = "19 16 17 11 12 01 13 14 15 18 20 21".split()  # noqa: SIM905
"""Those that take longest first, so that workers end together."""

APART = {"16": "unauthorised"}
"""The case with a refused key: after it no other is asked, so it has a project of its own."""


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
        name = scenario["id"]
        if f"{number}/{name}" in NO_COMMAND:
            outcome = run_scenario(materialize(number, tmp_path / name), scenario, server)
            assert (outcome.exit_code, outcome.document) == (2, None)
            continue
        server.reset()
        right, _ = STOPPED.get(f"{number}/{name}", (expected[name], ""))
        for part, cases in enumerate(_parts(right, APART.get(number, ""))):
            project = materialize(number, tmp_path / f"{name}-{part}")
            _leave(project / "runs" / scenario["eval"] / scenario["run"] / "cases", cases)
            outcome = run_scenario(project, scenario, server)
            wanted = {**right, "cells": {case: right["cells"][case] for case in cases}}
            if part:  # the figures are those of the many
                wanted["aggregates"] = {}
            found += _compare(name, wanted, outcome, agreed)
        found += compare_requests(name, right, server.requests, agreed)
    found += agreed.unused()
    assert not found, f"{len(found)} differences\n" + "\n".join(found)


def _parts(expected: dict[str, Any], apart: str) -> list[set[str]]:
    """The cases that are scored together: all of them, or all but one and that one."""
    cases = set(expected["cells"])
    return [cases - {apart}, {apart}] if apart in cases else [cases]


def _leave(folder: Path, cases: set[str]) -> None:
    for case in folder.iterdir():
        if case.is_dir() and case.name not in cases:
            shutil.rmtree(case)


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
