"""What is written into a run's `summary.yaml`, and what is left as it was."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellState
from eval_tui.judges.fingerprint import version
from eval_tui.record.recorded import read_recorded
from eval_tui.record.recorded_cell import recorded_score
from eval_tui.record.summary_yaml import load_summary
from eval_tui.results.run_metrics import run_metrics
from eval_tui.results.summary_cells import cell_entry, text
from eval_tui.results.summary_file import CannotWrite, dump, merged, scoring_of, write_summary
from eval_tui.scores import RECOVERIES, Measured, Reason, Sample, Score, Unmeasured, measured
from tests.results.support import grid
from tests.support.grids import StillGrid

JUDGE = Judge("j", "check")


def written(still: StillGrid, before: str | None, folder: Path) -> dict[str, Any]:
    """What other tools find in the summary after a grid was written over what was there."""
    path = folder / "summary.yaml"
    if before is not None:
        path.write_text(before, "utf-8")
    write_summary(str(folder), scoring_of(still, lambda c, j: still.cell(c, j).score, "r1", "/p"))
    return yaml.safe_load(path.read_text("utf-8"))


def test_it_has_the_form_that_other_tools_read(tmp_path: Path) -> None:
    samples = (Sample(4, "good"), Sample(2, "meh"), Sample(None, "", "boom"))
    sampled = Measured(4, None, "good", samples=samples)
    still = grid(
        {"flag": [True, "grader_error"], "n": ["policy_skip", Cell(CellState.FRESH, sampled)]}
    )
    columns = (still.columns[0], Judge("n", "model", step="draft"))
    flag, n = ({"judge_digest": version(judge, "/p")} for judge in columns)
    assert written(replace(still, columns=columns), None, tmp_path) == {
        "run_id": "r1",
        "judges": {
            "flag": {"mean": 1.0, "pass_rate": 1.0, "scored_cases": 1, "errored_cases": 1},
            "n": {
                "mean": 4.0,
                "pass_rate": None,
                "scored_cases": 1,
                "errored_cases": 0,
                "stability": {"samples": 3, "stable_cases": 0, "total_cases": 1},
            },
        },
        "per_case": {
            "c1": {
                "flag": {"value": True, "rationale": "", **flag, "judge_type": "check"},
                "n": {
                    **n,
                    "value": None,
                    "rationale": "because policy_skip",
                    "reason": "policy_skip",
                    "judge_type": "llm",
                    "step": "draft",
                },
            },
            "c2": {
                "flag": {
                    **flag,
                    "value": None,
                    "rationale": "",
                    "error": "because grader_error",
                    "reason": "grader_error",
                    "judge_type": "check",
                },
                "n": {
                    **n,
                    "value": 4,
                    "rationale": "good",
                    "stability": {
                        "samples": 3,
                        "error_count": 1,
                        "values": [4, 2],
                        "stable": False,
                        "min": 2,
                        "max": 4,
                        "mean": 3.0,
                    },
                    "sample_rationales": [
                        {"value": 4, "rationale": "good"},
                        {"value": 2, "rationale": "meh"},
                        {"value": None, "rationale": "", "error": "boom"},
                    ],
                    "judge_type": "llm",
                    "step": "draft",
                },
            },
        },
    }


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    before = """
notes: keep me
2026-01-01: !!python/tuple [1, 2]
judges: {flag: {mean: 0.0, custom: 7}, gone: {mean: 2.0}}
per_case:
  c1: {flag: {value: false, error: old, cost: 3}, gone: {value: 2}, off: {value: 1}}
  elsewhere: {flag: {value: false}}
run_metrics: {custom: 1}
"""
    found = written(grid({"flag": [True]}), before, tmp_path)
    assert (found["notes"], found["2026-01-01"]) == ("keep me", [1, 2])
    assert found["judges"]["gone"] == {"mean": 2.0}
    assert found["per_case"]["c1"] == {
        "flag": {
            "value": True,
            "rationale": "",
            "judge_type": "check",
            "judge_digest": version(JUDGE, "/p"),
            "cost": 3,
        },
        "gone": {"value": 2},
        "off": {"value": 1},
    }
    # The figures are those of the cells that the file holds, whoever wrote them.
    assert found["judges"]["flag"] == {
        "mean": 0.5,
        "custom": 7,
        "pass_rate": 0.5,
        "scored_cases": 2,
        "errored_cases": 0,
    }
    assert found["run_metrics"] == {"custom": 1}


def test_what_was_recorded_and_not_judged_since_stays_word_for_word(tmp_path: Path) -> None:
    before = "per_case: {c1: {flag: {value: 4, rationale: paid for, judge_type: llm, extra: 1}}}"
    recorded = Cell(CellState.WAITING, measured(4, "paid for"), recorded=True, waiting="money")
    found = written(grid({"flag": [recorded]}), before, tmp_path)
    assert found["per_case"]["c1"] == yaml.safe_load(before)["per_case"]["c1"]


def test_what_waits_or_is_old_is_told_and_is_no_verdict_when_read_again(tmp_path: Path) -> None:
    checked = Cell(CellState.CHECKING, measured(False))  # not known to be old
    cells = [
        Cell(CellState.WAITING, waiting="money"),
        Cell(CellState.STALE, measured(True)),
        checked,
    ]
    found = written(grid({"flag": cells}), None, tmp_path)
    rows = {case: row["flag"] for case, row in found["per_case"].items()}
    assert (rows["c1"]["value"], rows["c1"]["waiting"]) == (None, "money")
    assert (rows["c2"]["value"], rows["c2"]["stale"]) == (True, True)
    assert found["judges"]["flag"]["mean"] == 0.5  # as on the screen
    again = read_recorded(str(tmp_path))
    assert {case: list(row) for case, row in again.cells.items()} == {
        "c1": [],
        "c2": [],
        "c3": ["flag"],
    }


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("judges: [\n", ":2: "),
        ("- a list\n", "no mapping"),
        ("per_case: {c1: [1]}\n", "`per_case.c1` is no mapping"),
    ],
)
def test_a_file_that_cannot_be_read_is_not_written_over(
    tmp_path: Path, before: str, words: str
) -> None:
    with pytest.raises(CannotWrite, match="repair it or move it away") as caught:
        written(grid({"flag": [True]}), before, tmp_path)
    assert words in str(caught.value)
    assert (tmp_path / "summary.yaml").read_text() == before
    assert os.listdir(tmp_path) == ["summary.yaml"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "summary.yaml").mkdir()
    with pytest.raises(CannotWrite, match="no regular file"):
        written(grid({"flag": [True]}), None, tmp_path)
    with pytest.raises(CannotWrite, match=r"gone/summary\.yaml cannot be written: No such file"):
        written(grid({"flag": [True]}), None, tmp_path / "gone")


def test_run_metrics_are_those_that_can_be_computed() -> None:
    usage = {"input": 54, "output": 18687, "cache_read": 1638971, "cache_create": 169537}
    whole = {"cost_usd": 1.41, "num_turns": 44, "token_usage": usage}
    assert run_metrics(whole) == {
        "cost_per_turn_usd": 0.032045,
        "output_tokens_per_turn": 424.7,
        "cache_hit_rate": 0.906229,
        "cost_per_mtok_usd": 0.7717,
    }
    assert run_metrics({"cost_usd": 1.0, "num_turns": 0, "token_usage": None}) == {}
    assert run_metrics({"cost_usd": True, "num_turns": 3, "token_usage": {"output": "x"}}) == {}
    assert run_metrics({"cost_usd": 10**400, "num_turns": 3}) == {}


# Whatever a score holds, it is read back as it was written.

TEXTS = st.text(st.characters(), max_size=12)
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.booleans() | NUMBERS
SAMPLES = st.tuples(st.none() | VALUES, TEXTS, TEXTS.filter(str.strip)).map(
    lambda given: Sample(given[0], given[1]) if given[0] is not None else Sample(None, "", given[2])
)


def scores(parts: st.SearchStrategy[Mapping[str, Score]]) -> st.SearchStrategy[Score]:
    found = st.builds(
        Unmeasured,
        st.sampled_from(Reason),
        TEXTS.filter(str.strip),
        st.booleans(),
        st.frozensets(st.sampled_from(sorted(RECOVERIES))),
        st.integers(1, 9),
        parts=parts,
    )
    plain = st.builds(
        Measured, VALUES, st.none() | st.booleans(), TEXTS, st.none() | TEXTS, parts=parts
    )
    return found | plain.map(
        lambda one: replace(one, passed=one.value) if isinstance(one.value, bool) else one
    )


SCORES = scores(st.dictionaries(TEXTS, scores(st.just({})), max_size=2))


def clean(score: Score) -> Score:
    """The score with the texts that UTF-8 can hold."""
    parts = {text(name): clean(part) for name, part in score.parts.items()}
    if isinstance(score, Unmeasured):
        return replace(score, detail=text(score.detail), parts=parts)
    label = None if score.label is None else text(score.label)
    return replace(score, rationale=text(score.rationale), label=label, parts=parts)


@settings(max_examples=60)
@given(SCORES)
def test_a_score_is_read_back_as_it_was(score: Score) -> None:
    entry = cell_entry(JUDGE, Cell(CellState.FRESH, score), score)
    data = dump({"per_case": {"c": {"j": entry}}}).encode()
    again = load_summary(data)
    assert isinstance(again, dict)
    assert recorded_score(again["per_case"]["c"]["j"]) == clean(score)
    assert yaml.safe_load(data)["per_case"]["c"]["j"] == entry


@settings(max_examples=40)
@given(st.lists(SAMPLES, min_size=2, max_size=4))
def test_answers_are_read_back_in_order(samples: list[Sample]) -> None:
    values = [sample.value for sample in samples if sample.value is not None]
    if not values:
        return
    score = Measured(
        values[0], values[0] if isinstance(values[0], bool) else None, "", None, tuple(samples)
    )
    entry = cell_entry(JUDGE, Cell(CellState.FRESH, score), score)
    again = recorded_score(yaml.safe_load(dump(entry)))
    assert isinstance(again, Measured)
    assert [one.value for one in again.samples] == [one.value for one in samples]
    if not entry["stability"]["stable"]:
        assert [one.error for one in again.samples] == [text(one.error) for one in samples]


def test_writing_twice_changes_nothing() -> None:
    still = grid({"flag": [True, False], "n": [3, "grader_error"]})
    scoring = scoring_of(still, lambda case, judge: still.cell(case, judge).score, "r1", "/p")
    once = merged({}, scoring, {"cache_hit_rate": 0.5})
    assert merged(once, scoring, {"cache_hit_rate": 0.5}) == once
