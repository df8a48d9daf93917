"""Canonical JSON, digests and stamps, against vectors that another implementation computed."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from eval_tui.config.schema import Metric, VerdictRules
from eval_tui.verdicts import canonical
from eval_tui.verdicts.compile import rulebook
from eval_tui.verdicts.evaluate import evaluate
from eval_tui.verdicts.normalise import normalise
from eval_tui.verdicts.plane import plane_digest
from eval_tui.verdicts.policy import (
    FIRST_LADDER,
    LADDER,
    Stamp,
    compose,
    read_policy,
    resolve,
    stamp_of,
)
from tests.support.shared import shared_dir
from tests.verdicts.support import check, config, declared, grader, truth

FIRST = "sha256:831dc5afdc0fe08b38b7fbd73f2586ad40a707055ae1f0ee8bc8a05c898ab193"
SECOND = "sha256:f485806205082ece6fe35c305db553f8051ae507c0f95b2abb404f3eee8e0703"
COMPOSED = "sha256:3933519e586aa35929be1e829700c5ce815f17c5b900ce9f47458e72126bc90a"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1e-7, "1e-7"),
        (0.00001, "0.00001"),
        (0.000001, "0.000001"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123.456, "123.456"),
        (-1.5e-9, "-1.5e-9"),
        (2**53 + 1, "9007199254740992"),
        (10**400, "null"),
        (float("nan"), "null"),
    ],
)
def test_numbers_are_written_as_javascript_writes_them(number: float, text: str) -> None:
    assert canonical.canonical(number) == text


def test_keys_are_sorted_by_utf_16_code_units_and_texts_stay_raw() -> None:
    # By code point the emoji would come last; its first code unit is below that of the ligature.
    assert canonical.canonical({"ﬀ": 1, "😀": 2, "a": [True, None, "é\n"]}) == (
        '{"a":[true,null,"é\\n"],"😀":2,"ﬀ":1}'
    )
    assert canonical.canonical("\ud800") == '"\\ud800"'


def test_the_digest_of_text_beyond_ascii() -> None:
    value = {"k": "é😀"}
    expected = "sha256:42d2df3d760c124e559ec0cb0816563de9ed7ee19465169d23424db3c74d8a13"
    assert canonical.digest(value) == expected
    assert canonical.legacy_digest(value) == "7100c8f729216c38"
    assert canonical.matches("7100c8f729216c38", value)
    assert not canonical.matches("7100c8f729216c39", value)


def test_the_built_in_ladders_have_their_known_digests() -> None:
    assert stamp_of(FIRST_LADDER).digest == FIRST
    assert canonical.legacy_digest(FIRST_LADDER.document()) == "49a5868af38858ef"
    assert stamp_of(LADDER).digest == SECOND


def test_a_composed_policy_has_its_known_version_and_digest() -> None:
    policy = compose([declared(truth("quality"))])
    assert (policy.id, policy.version) == ("composed", "6bd17451e7cc")
    assert stamp_of(policy).digest == COMPOSED


@pytest.mark.parametrize(
    "metric",
    [
        Metric("quality"),
        Metric("quality", direction="higher_is_better"),
        Metric("tests_pass", "ground_truth"),
        Metric("judge", "ground_truth"),
        Metric("judge:tone", "ground_truth"),
    ],
)
def test_what_composes_nothing_leaves_the_base_itself(metric: Metric) -> None:
    assert compose([declared(metric)]) is LADDER


def test_a_policy_is_read_back_from_its_document() -> None:
    rules = VerdictRules("ladder", "fall_through", "ignore", ({"prefix": "auth/"},))
    policy = rulebook(config(grader("g", truth("quality")), verdict=rules)).policy
    again = read_policy(json.loads(json.dumps(policy.document())))
    assert again is not None
    assert stamp_of(again) == stamp_of(policy)


class TestResolving:
    def test_no_stamp_means_the_frozen_first_ladder(self) -> None:
        assert resolve(None) == ("legacy_default", FIRST_LADDER)

    @pytest.mark.parametrize("digest", [FIRST, "49a5868af38858ef", ""])
    def test_a_known_version_resolves_under_either_algorithm(self, digest: str) -> None:
        stamp = Stamp("authority-ladder", "1.0.0", digest)
        assert resolve(stamp) == ("resolved", FIRST_LADDER)

    def test_an_embedded_document_resolves_when_its_digest_fits(self) -> None:
        policy = compose([declared(truth("quality"))])
        how, found = resolve(stamp_of(policy), policy.document())
        assert (how, found) == ("resolved", policy)

    def test_a_tampered_document_resolves_to_nothing(self) -> None:
        policy = compose([declared(truth("quality"))])
        document = {**policy.document(), "fallback": "none"}
        assert resolve(stamp_of(policy), document) == ("unresolvable", None)

    def test_a_known_version_with_another_digest_is_not_taken_for_it(self) -> None:
        assert resolve(Stamp("authority-ladder", "1.1.0", FIRST)) == ("unresolvable", None)

    def test_a_composed_stamp_without_its_document_resolves_to_nothing(self) -> None:
        assert resolve(Stamp("composed", "6bd17451e7cc", COMPOSED)) == ("unresolvable", None)


def sample(name: str) -> Any:
    return json.loads(shared_dir("samples", "everdict", name).read_text(encoding="utf-8"))


def test_the_plane_of_a_recorded_scorecard_has_the_digest_it_was_stamped_with() -> None:
    detail = sample("scorecard_detail.json")
    results = detail["scorecard"]["results"]
    assert plane_digest(results) == detail["scoring"][-1]["scorePlaneDigest"]
    for row in results[0]["scores"]:
        row["detail"] = "other words"  # the reasons for a score are not in it
    assert plane_digest(results) == detail["scoring"][-1]["scorePlaneDigest"]
    results[0]["scores"][0]["value"] = 0
    assert plane_digest(results) != detail["scoring"][-1]["scorePlaneDigest"]


class TestOurPolicy:
    def digest(self, **more: Any) -> str:
        judges = [check("a"), grader("g", truth("quality"))]
        return rulebook(config(*judges, **more)).stamp.digest

    def test_the_same_config_has_the_same_digest_wherever_it_lies(self) -> None:
        here = config(check("a"))
        there = dataclasses.replace(here, path="/q/other.yaml", root="/q", digest="x")
        assert rulebook(here).stamp == rulebook(there).stamp

    @pytest.mark.parametrize(
        "rules",
        [
            VerdictRules("flat"),
            VerdictRules("ladder", on_dead_authority="fall_through"),
            VerdictRules("ladder", unreviewed="ignore"),
            VerdictRules("ladder", critical_cases=({"id": "x"},)),
        ],
    )
    def test_every_rule_is_part_of_the_digest(self, rules: VerdictRules) -> None:
        assert self.digest(verdict=rules) != self.digest()

    def test_trials_are_not_part_of_what_passing_means(self) -> None:
        assert self.digest(verdict=VerdictRules("ladder", trials=("r1",))) == self.digest()

    def test_what_nobody_has_reviewed_changes_verdicts_and_not_the_policy(self) -> None:
        judges = config(grader("g", truth("quality")))
        assert rulebook(judges, {("g", "quality")}).stamp == rulebook(judges).stamp


def test_a_recorded_scorecard_has_the_verdicts_that_it_was_served_with() -> None:
    detail = sample("scorecard_detail.json")
    plain = detail["verdictPolicy"]
    stamp = Stamp(plain["id"], plain["version"], plain["digest"])
    how, policy = resolve(stamp, detail["manifest"]["verdictPolicy"])
    assert how == "resolved"
    found = [
        evaluate(policy, list(map(normalise, one["scores"])), outcome="failure" not in one)
        for one in detail["scorecard"]["results"]
    ]
    assert [one.value for one in found] == [True, False, None, None]
    for one, served in zip(found[:2], detail["scorecard"]["results"], strict=False):
        assert one.rung == served["verdictBasis"]["authority"]
        assert [vote.metric for vote in one.decided_by] == [
            vote["metric"] for vote in served["verdictBasis"]["deciders"]
        ]


def test_its_row_in_a_list_has_no_policy_to_judge_by() -> None:
    plain = sample("scorecard_list.json")[0]["verdictPolicy"]
    stamp = Stamp(plain["id"], plain["version"], plain["digest"])
    assert resolve(stamp) == ("unresolvable", None)
