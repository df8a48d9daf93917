"""The conformance cases of rewards: each project is scored once, and all its rules are tried on that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.load import load_config
from eval_tui.config.schema import EvalConfig
from eval_tui.results.reward import make_rewards
from eval_tui.results.reward_words import reward_document
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from tests.conformance.compare import Differences, Is
from tests.conformance.differences import REWARD_DIFFERENCES, REWARD_REFUSED
from tests.conformance.runner import run_scenario
from tests.conformance.summaries import read_back
from tests.support.conformance import load_case, materialize, scenarios
from tests.support.grids import still_grid


@pytest.mark.parametrize(
    ("number", "scored"), [("33", "default"), ("34", "unit"), ("35", "weighted")]
)
def test_case_agrees(number: str, scored: str, tmp_path: Path) -> None:
    expected = load_case(number)[1]["scenarios"]
    agreed = Differences(REWARD_DIFFERENCES[number])
    project = materialize(number, tmp_path / "project")
    by_name = {scenario["id"]: scenario for scenario in scenarios(number)}
    document = run_scenario(project, by_name[scored]).document
    assert document is not None
    found = list(read_back(project, by_name[scored], document))
    for name, scenario in by_name.items():
        config = load_config(project / scenario["config"], project, {})
        if refused := REWARD_REFUSED.get(f"{number}/{name}"):
            codes = {one.code for one in config.problems if one.severity == "error"}
            if config.reward is not None or codes != {refused}:
                found.append(f"{name}: expected {refused}, got {codes}")
            continue
        rewards = _rewards(config, document)
        if name == scored and number != "33" and document["rewards"] != rewards:
            found.append(f"{name}: {rewards} here, {document['rewards']} in the document")
        found += _compare(name, expected[name]["reward"], rewards["cases"], agreed)
    found += agreed.unused()
    assert not found, f"{len(found)} differences\n" + "\n".join(found)


def _rewards(config: EvalConfig, document: dict[str, Any]) -> dict[str, Any]:
    """The rewards of the cells of a document, by the rules and judges of a config."""
    scores = {
        case: {judge: _score(cell) for judge, cell in row.items()}
        for case, row in document["cells"].items()
    }
    return reward_document(make_rewards(still_grid(scores, config.judges), config.reward))


def _score(cell: dict[str, Any]) -> Score:
    if cell["status"] == "measured":
        return Measured(cell["value"], cell.get("pass"))
    return Unmeasured(Reason(cell["reason"]), cell["detail"])


def _compare(
    name: str, expected: dict[str, float], cases: dict[str, Any], agreed: Differences
) -> list[str]:
    found: list[str] = []
    for case, reward in expected.items():
        where, value, right = f"{name}/reward/{case}", cases[case]["value"], pytest.approx(reward)
        line = agreed.at(where)
        if line is not None and value != right:
            agreed.used.add(line.where)
            right = pytest.approx(line.right.value) if isinstance(line.right, Is) else None
        if value != right:
            found.append(f"{where}: expected {right}, got {cases[case]}")
    return found
