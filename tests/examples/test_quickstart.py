"""The quickstart shows what its README says, and its three edits do what they promise."""

import json
import re
import shutil
from dataclasses import replace as replace_field
from pathlib import Path

import pytest
import yaml

from eval_tui.config.load import load_config
from eval_tui.record.recorded import read_recorded
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from tests.support.cold import Scores, cold_score

QUICKSTART = Path(__file__).resolve().parents[2] / "examples" / "quickstart"
RUN = "eval/runs/triage/2026-03-02-haiku"


def score(root: Path) -> Scores:
    return cold_score(root, root / "eval.yaml", root / RUN)


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(QUICKSTART)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    root = tmp_path / "quickstart"
    shutil.copytree(QUICKSTART, root)
    return root


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} must stand once in {file}"
    file.write_text(text.replace(old, new), "utf-8")


def differing(before: Scores, after: Scores) -> set[tuple[str, str]]:
    return {
        (case, judge)
        for case, row in before.items()
        for judge, old in row.items()
        if _shown(after[case][judge]) != _shown(old)
    }


def test_it_loads_without_a_problem() -> None:
    config = load_config(QUICKSTART / "eval.yaml", QUICKSTART)
    assert [p.message for p in config.problems] == []
    assert len(config.judges) == 12


def test_one_case_of_the_dataset_has_not_run(scores: Scores) -> None:
    dataset = {folder.name for folder in (QUICKSTART / "eval" / "cases").iterdir()}
    assert dataset - set(scores) == {"login-loop"}
    assert len(scores) == 7


def test_every_reason_for_no_value_is_there_and_where_the_readme_says(scores: Scores) -> None:
    def reason(case: str, judge: str) -> Reason | None:
        cell: Score = scores[case][judge]
        return cell.reason if isinstance(cell, Unmeasured) else None

    assert reason("data-export", "reading_ease") is Reason.CONTRACT_VIOLATION
    assert "-224" in scores["data-export"]["reading_ease"].detail  # type: ignore[union-attr]
    assert reason("invoice-vat", "right_queue") is Reason.GRADER_ERROR
    assert reason("feature-request", "within_budget") is Reason.MISSING_EVIDENCE
    assert {reason(case, "spelling") for case in scores} == {Reason.UNSUPPORTED}
    assert reason("password-reset", "asks_before_refund") is Reason.POLICY_SKIP
    assert reason("feature-request", "priority") is Reason.POLICY_SKIP
    # The sixth, a missing secret, is a model judge's cell that was never recorded.
    recorded = read_recorded(str(QUICKSTART / RUN))
    assert {case for case in scores if "tone" not in recorded.cells.get(case, {})} == {
        "feature-request"
    }


def test_passes_failures_and_numbers(scores: Scores) -> None:
    values = [
        cell.value for row in scores.values() for cell in row.values() if isinstance(cell, Measured)
    ]
    assert {True, False, 0.5} <= set(values)
    assert any(isinstance(value, float) and value > 1 for value in values)
    priority = scores["angry-outage"]["priority"]
    assert isinstance(priority, Measured) and priority.value == 0.5


def test_model_verdicts_are_recorded() -> None:
    recorded = read_recorded(str(QUICKSTART / RUN))
    assert not recorded.problems
    cell = recorded.cells["double-charge"]["no_promises"]
    assert isinstance(cell, Measured) and cell.value is False and "Friday" in cell.rationale


def test_first_edit_a_check(copy: Path, scores: Scores) -> None:
    replace(copy / "eval.yaml", "limit = 110", "limit = 70")
    after = score(copy)
    assert {judge for _, judge in differing(scores, after)} == {"short_reply"}
    failed = {case for case in after if _value(after[case]["short_reply"]) is False}
    before = {case for case in scores if _value(scores[case]["short_reply"]) is False}
    assert failed - before == {"late-parcel", "data-export", "angry-outage"}


def test_second_edit_an_artifact(copy: Path, scores: Scores) -> None:
    triage = copy / RUN / "cases" / "invoice-vat" / "output" / "triage.json"
    triage.write_text(re.sub(r",\n}", "\n}", triage.read_text("utf-8")), "utf-8")
    after = score(copy)
    judges = ("valid_triage", "right_queue", "priority")
    assert differing(scores, after) == {("invoice-vat", judge) for judge in judges}
    assert all(isinstance(after["invoice-vat"][judge], Measured) for judge in judges)


def test_third_edit_breaks_the_configuration(copy: Path) -> None:
    config = copy / "eval.yaml"
    text = config.read_text("utf-8")
    line = text[: text.index("score_range: [0, 1]")].count("\n") + 1
    replace(config, "score_range: [0, 1]\n", "score_range: [0, 1\n")
    problems = load_config(config, copy).problems
    assert any(p.severity == "error" and line <= p.line <= line + 2 for p in problems)
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(config.read_text("utf-8"))


def test_the_transcript_has_what_a_reader_can_learn_from() -> None:
    transcript = QUICKSTART / RUN / "cases" / "angry-outage" / "events.json"
    events = json.loads(transcript.read_text("utf-8"))
    assert any(event.get("is_error") for event in events)
    assert any(event.get("thinking") for event in events)
    assert any(event.get("parent_tool_use_id") for event in events)


@pytest.mark.parametrize(
    "path", re.findall(r"`([a-z-]+/[^`\s]*)`", (QUICKSTART / "README.md").read_text("utf-8"))
)
def test_paths_in_the_readme_exist(path: str) -> None:
    assert (QUICKSTART / path).exists()


def _shown(cell: Score) -> Score:
    """Without the traceback, which names the folder of the copy."""
    return replace_field(cell, traceback="") if isinstance(cell, Unmeasured) else cell


def _value(cell: Score) -> bool | int | float | None:
    return cell.value if isinstance(cell, Measured) else None
