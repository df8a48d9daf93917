"""The record against the conformance cases: their checks are plain Python over `outputs`."""

from __future__ import annotations

import textwrap
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from eval_tui.config.schema import Output, Traces
from eval_tui.record.case import CaseParts, PartUnreadable, StepMissing, load_case
from eval_tui.record.record import MissingKey, make_record, plain_record
from eval_tui.record.spec import RecordSpec
from tests.support.conformance import conformance_cases, materialize, scenarios
from tests.support.conformance import load_case as conformance_case

NUMBERS = ("21", "22", "23", "24", "25", "26", "27", "28", "29")
EVIDENCE = "missing evidence"

MEASURED = object()
"""Any measured value: the harness gives up on the whole case where one part cannot be read."""

# scenario (number/id), case folder, judge, what we say instead of the harness, and why.
DIFFERENCES: list[tuple[str, str, str, Any, str]] = [
    ("21/default", "linked", "step_record", ("errored", "KeyError"), "no such step, in both"),
    ("21/default", "linked", "*", EVIDENCE, "D19: a linked folder is no step's record"),
    ("21/default", "no-review", "*", EVIDENCE, "D19"),
    ("21/default", "no-log", "*", -9, "D12: a step's metrics are its own"),
    ("21/default", "null-steps", "*", -9, "D12"),
    ("21/default", "plain-log", "*", -9, "D12"),
    ("22/*", "file-as-output", "n_files", 1, "D10: an output path may be a file"),
    ("22/same-name", "*", "last_wins", EVIDENCE, "a KeyError of our record"),
    ("22/*", "file-as-output", "*", MEASURED, "D10"),
    ("22/default", "escaping", "first_file*", False, "D10: costs exactly itself"),
    ("22/*", "escaping", "nested_output_key", MEASURED, "D10"),
    ("22/*", "escaping", "no_main_key", MEASURED, "D10"),
    ("22/*", "escaping", "case_dir_key", MEASURED, "D10"),
    ("22/*", "escaping", "reserved_keys", MEASURED, "D10"),
    ("22/overlap", "escaping", "*_key", MEASURED, "D10"),
    ("22/overlap", "escaping", "dotted_path", MEASURED, "D10"),
    ("22/*", "escaping", "*", EVIDENCE, "D10: `files` is refused, never read"),
    ("23/default", "bad-hook-yaml", "*", EVIDENCE, "D10"),
    ("23/default", "list-hook-yaml", "hook_value", ("errored", "AttributeError"), "same"),
    ("23/default", "main", "n_modified", 7, "D11"),
    ("23/default", "main", "n_files", 8, "D11"),
    ("23/default", "main", "similar_names_kept", 4, "D11"),
    ("24/*", "empty-file", "*", EVIDENCE, "D10: unreadable is not empty"),
    ("24/*", "malformed", "*", EVIDENCE, "D10"),
    ("24/*", "mapping", "*", EVIDENCE, "D10"),
    ("24/*", "list-of-*", "std*", MEASURED, "D10: others are unaffected"),
    ("24/*", "list-of-*", "*", EVIDENCE, "D10"),
    ("24/run-level-*", "own-stdout", "n_events", 0, "D47"),
    ("24/run-level-*", "own-stdout", "source", 3, "D47"),
    ("24/undecodable", "bad-bytes", "source", 3, "D10: a bad byte is replaced"),
    ("24/undecodable", "bad-*", "*", MEASURED, "D10"),
    ("25/default", "bad-annotations", "*", EVIDENCE, "D10"),
    ("25/*", "bad-case-copy", "*", EVIDENCE, "D10"),
    ("25/default", "*-annotations", "n_annotations", EVIDENCE, "D10"),
    ("25/default", "*-annotations", "tier", EVIDENCE, "D10"),
    ("25/default", "*-annotations", "*", MEASURED, "D10: others are unaffected"),
    ("26/per-case", "*", "*", -9, "D12: the run's total is not the case's"),
    ("26/run-level-only", "*", "*", -9, "D12"),
    ("26/no-run-level-values", "*", "*", -9, "D12: absent, not null"),
    ("26/malformed", "*", "*", EVIDENCE, "D10"),
    ("26/list", "*", "other_keys", False, "D10"),
    ("26/list", "*", "*", EVIDENCE, "D10"),
    ("26/null-per-case", "c1", "cost_usd", 1, "D12: the run's only case"),
    ("26/null-*", "*", "other_keys", False, "D10"),
    ("26/null-*", "*", "*", -9, "D12"),
    ("26/only-in-case-folder", "c1", "cost_usd", 0.75, "D12: the case's own result"),
    ("26/only-in-case-folder", "c1", "num_turns", 3, "D12"),
    ("27/*", "null-tools", "n_calls", 0, "D10"),
    ("27/*", "number-line-log", "n_calls", 0, "D10"),
    ("27/default", "null-tools", "*", MEASURED, "D10"),
    ("27/default", "number-line-log", "*", MEASURED, "D10"),
    ("28/odd-lines", "*", "n_events", 1, "D10: costs exactly itself"),
]


def difference(scenario: str, case: str, judge: str) -> tuple[str, str, str, Any, str] | None:
    """The first row that is about this cell."""
    for row in DIFFERENCES:
        if all(
            fnmatch(name, glob) for name, glob in zip((scenario, case, judge), row, strict=False)
        ):
            return row
    return None


def spec_of(project: Path, scenario: dict[str, Any]) -> tuple[RecordSpec, dict[str, Any]]:
    config = yaml.safe_load((project / scenario["config"]).read_text("utf-8"))
    dataset = (config.get("dataset") or {}).get("path", "")
    outputs = [
        Output(**{key: entry.get(key, "") for key in ("path", "tool")})
        for entry in config.get("outputs", [])
    ]
    spec = RecordSpec(
        run_dir=str(project / "runs" / scenario["eval"] / scenario["run"]),
        dataset_dir=str(project / dataset) if dataset else "",
        outputs=tuple(outputs),
        traces=Traces(**(config.get("traces") or {})),
    )
    return spec, config


def judged(parts: CaseParts, judge: dict[str, Any], plain: bool) -> Any:
    """The value of a check, or what kept it from being measured."""
    body = textwrap.indent(judge["check"], "    ")
    scope: dict[str, Any] = {}
    exec(f"def check(outputs, arguments):\n{body}\n", scope)
    try:
        view = parts.scoped(judge["step"]) if "step" in judge else parts
        record = (plain_record if plain else make_record)(view, lambda *look: None)
        value = scope["check"](record, {})
    except (PartUnreadable, StepMissing, MissingKey):
        return EVIDENCE
    except Exception as error:
        return ("errored", type(error).__name__)
    return value[0] if isinstance(value, tuple) else value


def same(ours: Any, theirs: Any) -> bool:
    if theirs is MEASURED:
        return ours != EVIDENCE and not isinstance(ours, tuple)
    return type(ours) is type(theirs) and ours == theirs


def expected_value(cell: dict[str, Any]) -> Any:
    return cell["value"] if cell["status"] == "measured" else cell["status"]


@pytest.mark.parametrize("number", NUMBERS)
def test_values(number: str, tmp_path: Path) -> None:
    if not conformance_cases():
        pytest.skip("needs the conformance cases")
    _, expected = conformance_case(number)
    project = materialize(number, tmp_path / "project")
    wrong: list[tuple[Any, ...]] = []
    used: set[int] = set()
    for scenario in scenarios(number):
        spec, config = spec_of(project, scenario)
        for case, cells in expected["scenarios"][scenario["id"]]["cells"].items():
            for judge in config["judges"]:
                if "check" not in judge or judge["name"] not in cells:
                    continue
                where = (f"{number}/{scenario['id']}", case, judge["name"])
                theirs = expected_value(cells[judge["name"]])
                ours = judged(load_case(spec, case), judge, plain=False)
                if same(ours, theirs):
                    continue
                row = difference(*where)
                if row is not None:
                    used.add(DIFFERENCES.index(row))
                if row is None or not same(ours, row[3]):
                    wrong.append((*where, "expected", row[3] if row else theirs, "got", ours))
    assert not wrong, "\n".join(map(str, wrong))
    mine = {i for i, row in enumerate(DIFFERENCES) if row[0].startswith(number)}
    assert used == mine, [DIFFERENCES[i] for i in mine - used]


@pytest.mark.parametrize("number", ("22", "26", "28"))
def test_a_plain_record_gives_the_same_values(number: str, tmp_path: Path) -> None:
    """The record as a real dict and the lazy one cannot disagree."""
    if not conformance_cases():
        pytest.skip("needs the conformance cases")
    project = materialize(number, tmp_path / "project")
    compared = 0
    for scenario in scenarios(number):
        spec, config = spec_of(project, scenario)
        for case in sorted(p.name for p in (Path(spec.run_dir) / "cases").iterdir()):
            try:
                plain_record(load_case(spec, case), lambda *look: None)
            except PartUnreadable:
                continue
            for judge in config["judges"]:
                lazy = judged(load_case(spec, case), judge, plain=False)
                plain = judged(load_case(spec, case), judge, plain=True)
                assert lazy == plain or (lazy, plain) == (EVIDENCE, ("errored", "KeyError"))
                compared += 1
    assert compared
