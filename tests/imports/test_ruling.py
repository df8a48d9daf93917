"""Verdicts of documents: their own, or those of the policy that they are stamped with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.schema import Grader, Metric
from eval_tui.imports.opened import Opened
from eval_tui.results.verdict_words import basis_words
from eval_tui.verdicts.canonical import digest
from eval_tui.verdicts.policy import compose, stamp_of
from tests.imports.support import TESTS, case, measured, opened, scorecard, verdicts

COMPOSED = compose([Grader("script", metrics=(Metric("quality", "ground_truth"),))])
STAMP: dict[str, Any] = {
    "id": COMPOSED.id,
    "version": COMPOSED.version,
    "digest": stamp_of(COMPOSED).digest,
}
GOOD_TONE = measured("tone", "judge:tone", 0.9, True)
BAD_QUALITY = measured("script", "quality", 0, False)


def under(tmp_path: Path, stamp: Any, policy: Any = None, **more: Any) -> Opened:
    manifest = {"manifest": {"verdictPolicy": policy}} if policy else {}
    one = case("a", GOOD_TONE, BAD_QUALITY, **more)
    return opened(tmp_path, scorecard(one, verdictPolicy=stamp, **manifest))


def test_a_stamped_policy_is_taken_from_the_document(tmp_path: Path) -> None:
    found = under(tmp_path, STAMP, COMPOSED.document())
    assert found.ruling.resolution == "resolved"
    assert verdicts(found) == {"a": False}
    assert basis_words(found.rulebook.given["a"]) == "by ground truth: quality"


@pytest.mark.parametrize("how", ["missing", "tampered"])
def test_without_its_policy_a_case_has_no_verdict_and_no_other_policy_gives_one(
    tmp_path: Path, how: str
) -> None:
    policy = None if how == "missing" else {**COMPOSED.document(), "fallback": "none"}
    found = under(tmp_path, STAMP, policy)
    assert found.ruling.resolution == "unresolvable"
    assert verdicts(found) == {"a": None}
    assert basis_words(found.rulebook.given["a"]) == "policy not available"


def test_without_a_stamp_the_oldest_policy_counts(tmp_path: Path) -> None:
    found = under(tmp_path, None)
    assert found.ruling.stamp.version == "1.0.0"
    assert verdicts(found) == {"a": True}
    assert basis_words(found.rulebook.given["a"]) == "by judges: judge:tone"


def test_a_served_verdict_stands_with_its_basis(tmp_path: Path) -> None:
    decider = {"metric": "quality", "graderId": "script", "pass": False}
    basis = {"authority": "ground_truth", "aggregation": "priority", "deciders": [decider]}
    found = under(tmp_path, STAMP, verdict=False, verdictBasis=basis)
    assert verdicts(found) == {"a": False}
    assert basis_words(found.rulebook.given["a"]) == "by ground truth: quality"


def test_a_served_verdict_without_a_basis_says_that_it_is_recorded(tmp_path: Path) -> None:
    found = under(tmp_path, STAMP, verdict=False)
    assert verdicts(found) == {"a": False}
    assert basis_words(found.rulebook.given["a"]) == "as it was recorded"


def test_where_served_and_worked_out_differ_the_served_one_stands_and_it_is_said(
    tmp_path: Path,
) -> None:
    found = under(tmp_path, STAMP, COMPOSED.document(), verdict=True)
    assert verdicts(found) == {"a": True}
    (problem,) = found.problems
    assert problem.message == (
        "a: recorded as passed; its policy makes it failed, by ground truth: quality"
    )
    assert problem.line == 1
    assert "(P)" in found.grid.rows[0].notes[0]


def test_where_they_agree_nothing_is_said(tmp_path: Path) -> None:
    found = under(tmp_path, STAMP, COMPOSED.document(), verdict=False)
    assert not found.problems
    assert not found.grid.rows[0].notes


def test_a_case_without_verdict_among_served_ones_was_not_evaluated(tmp_path: Path) -> None:
    cases = case("a", TESTS, verdict=True), case("b", TESTS)
    found = opened(tmp_path, scorecard(*cases))
    assert verdicts(found) == {"a": True, "b": None}
    assert found.problems[0].message.startswith("b: recorded as not evaluated; its policy makes it")


def test_verdicts_of_an_unknown_policy_are_not_held_against_another(tmp_path: Path) -> None:
    frozen = {"scorecardId": "s", "cases": [{**case("a", BAD_QUALITY), "verdict": True}]}
    found = opened(tmp_path, frozen)
    assert verdicts(found) == {"a": True}
    assert not found.problems
    assert found.ruling.stamp.id == ""
    assert found.document.notes == ("the policy of its verdicts is not recorded",)


def test_dead_ground_truth_is_told_as_the_document_has_it(tmp_path: Path) -> None:
    """Everdict's policies have none of our rules: what they decide is shown, not decided anew."""
    found = opened(tmp_path, scorecard(case("a", GOOD_TONE)))
    assert verdicts(found) == {"a": True}


@pytest.mark.parametrize(
    "change",
    [
        {"metrics": [{"match": {"metric": ["quality"]}, "authority": "ground_truth"}]},
        {"metrics": [{"match": {"metric": "quality"}, "authority": "king"}]},
        {"metrics": 7},
        {"rungs": {"ground_truth": "best", "objective": "all", "judge": "all"}},
        {"fallback": "maybe"},
    ],
    ids=["name", "authority", "metrics", "rung", "fallback"],
)
def test_a_policy_of_an_unknown_form_is_not_available_however_well_it_is_stamped(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    policy = {**COMPOSED.document(), **change}
    found = under(tmp_path, {**STAMP, "digest": digest(policy)}, policy)
    assert found.ruling.resolution == "unresolvable"
    assert verdicts(found) == {"a": None}
