"""The conformance cases of model judges: every cell, and what the model was asked."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from eval_tui.judges.base import JudgeEnv
from eval_tui.scores import Measured, Reason, Score
from tests.judges.model.support import case_of, client_of, project, score, server, shown
from tests.support.conformance import load_case, materialize, scenarios
from tests.support.fake_anthropic import FakeAnthropic

__all__ = ["server"]

ERRORED = "errored"

DIFFERENCES: dict[str, dict[str, tuple[object, str]]] = {
    "11": {
        "default/*/complete": (ERRORED, "D21: no verdict is no fail"),
        "default/*/harmless": (ERRORED, "D21: no verdict is no fail"),
    },
    "13": {"default/c1/boolean_for_number": (ERRORED, "D21: true is no score")},
    "14": {
        f"default/c1/{name}": (ERRORED, "D18: the bounds come before any rounding")
        for name in (
            "just_above_rounds_in",
            "half_above_rounds_in",
            "just_below_rounds_in",
            "half_below_rounds_in",
        )
    },
    "15": {
        f"default/c1/{name}": (ERRORED, "D21: only one JSON object is read from prose")
        for name in (
            *("broken_json", "prose_score", "prose_overall", "prose_rating", "fraction_of_top"),
            *("bold_of_top", "fraction_of_other", "last_on_scale", "ten_scale", "negative"),
            *("prose_off_scale_undeclared", "hyphen_in_token", "version_number", "fraction_scale"),
            *("two_scores", "json_null", "bool_capital", "bool_unquoted", "bool_word"),
            *("bool_text_value", "bool_first_of_two"),
        )
    },
    "17": {},
    "18": {
        "default/garbage-counts/four": (True, "D21: an unreadable sample is no vote"),
        "default/garbage-counts/two": (True, "D21: an unreadable sample is no vote"),
    },
    "20": {
        "default/c1/evidence_without_space": (False, "spelling of white space does not matter"),
        "default/c1/evidence_in_condition_only": (True, "a statement is a use too"),
    },
}
"""Case -> scenario/case/judge -> the value here (or `errored`), and why it differs."""

NO_VERDICT = {"garbage", "empty", "omitted", "as-text", "number", "text-prose"}
"""The cases of 11 that answer without a readable verdict."""

UNREADABLE = {"garbage-counts"}
"""The case of 18 whose unreadable samples are errors here, not fails (D21)."""

SKIPPED = {("11", "no-model"), ("11", "no-key"), ("17", "override-one"), ("17", "override-zero")}
"""Scenarios that ask nothing, since a missing model or key is not decided here, and those that ask
the same as others do."""


@pytest.mark.parametrize("number", ["11", "12", "13", "14", "15", "17", "18", "20"])
def test_cells_and_requests_agree(number: str, tmp_path: Path, server: FakeAnthropic) -> None:
    expected = load_case(number)[1]["scenarios"]
    found: list[str] = []
    for scenario in scenarios(number):
        name = scenario["id"]
        if (number, name) in SKIPPED or expected[name].get("config_error"):
            continue
        server.reset()
        root = materialize(number, tmp_path / name)
        cells = _scores(root, scenario, expected[name], server)
        found += _differences(number, name, cells, expected[name]["cells"])
        found += _requests(number, name, expected[name].get("requests") or [], server)
    assert not found, f"{len(found)} differences\n" + "\n".join(found)


def _scores(
    root: Path, scenario: Mapping[str, Any], expected: Mapping[str, Any], server: FakeAnthropic
) -> dict[tuple[str, str], Score]:
    config, run_dir = project(root, scenario)
    env = JudgeEnv(config.root, config.path)
    args = scenario.get("args", [])
    forced = max(1, int(args[1])) if args else None
    judges = {judge.name: judge for judge in config.judges if judge.asks_model}
    cells: dict[tuple[str, str], Score] = {}
    client = client_of(server)
    for case, row in expected["cells"].items():
        for name in row:
            judge = judges.get(name)
            if judge is None:
                continue
            if forced is not None and judge.kind == "model":
                judge = dataclasses.replace(judge, samples=forced)
            cells[case, name] = score(client, judge, case_of(config, run_dir, case), env)
    return cells


def _differences(
    number: str,
    scenario: str,
    cells: Mapping[tuple[str, str], Score],
    expected: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    found: list[str] = []
    for (case, judge), told in cells.items():
        where = f"{scenario}/{case}/{judge}"
        wanted = _wanted(number, where, case, expected[case][judge])
        if _told(told) != wanted:
            found.append(f"{number}/{where}: wanted {wanted}, got {told}")
        samples = expected[case][judge]["samples"]
        if (
            isinstance(score, Measured)
            and score.samples
            and wanted == _value(expected[case][judge])
        ):
            values = [sample.value for sample in told.samples]
            if case in UNREADABLE:
                samples = [sample or None for sample in samples]
            if values != samples:
                found.append(f"{number}/{where}: samples {values} instead of {samples}")
    return found


def _wanted(number: str, where: str, case: str, cell: Mapping[str, Any]) -> object:
    for pattern, (value, _why) in DIFFERENCES.get(number, {}).items():
        if fnmatch.fnmatch(where, pattern) and (number != "11" or case in NO_VERDICT):
            return value
    return _value(cell)


def _value(cell: Mapping[str, Any]) -> object:
    return cell["value"] if cell["status"] == "measured" else cell["status"]


def _told(score: Score) -> object:
    if isinstance(score, Measured):
        return score.value
    return "skipped" if score.reason is Reason.POLICY_SKIP else ERRORED


def _requests(
    number: str, scenario: str, expected: list[dict[str, Any]], server: FakeAnthropic
) -> list[str]:
    asked: Counter[str] = Counter()
    for entry in server.requests:
        asked[_request_key(entry, entry.get("schema") or {})] += 1
    wanted: Counter[str] = Counter()
    for entry in expected:
        wanted[_request_key(entry, entry)] += entry["count"]
    return [
        f"{number}/{scenario}: {key}: asked {asked[key]} times, expected {wanted[key]}"
        for key in sorted({*asked, *wanted})
        if asked[key] != wanted[key]
    ]


def _request_key(entry: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    key: dict[str, Any] = {"model": entry["model"], "shape": entry["shape"]}
    key["status"] = str(entry["status"])
    if entry.get("images"):
        key["images"] = entry["images"]
    if entry["shape"] == "number":
        key |= {"type": schema["type"]}
        key |= {end: float(schema[end]) for end in ("minimum", "maximum")}
    return shown(key)


def test_the_differences_are_the_agreed_ones() -> None:
    for number, lines in DIFFERENCES.items():
        known = load_case(number)[1]["scenarios"]["default"]["cells"]
        for where, (value, _why) in lines.items():
            _, case, judge = where.split("/")
            cells = [row[judge] for name, row in known.items() if fnmatch.fnmatch(name, case)]
            assert any(json.dumps(_value(cell)) != json.dumps(value) for cell in cells), where
