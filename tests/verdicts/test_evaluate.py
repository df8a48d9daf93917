"""The verdict of a case: what decides, what withholds, and what never counts."""

from __future__ import annotations

import pytest

from eval_tui.config.schema import Grader, Judge, Metric, VerdictRules
from eval_tui.judges.graders.contract import apply_contract
from eval_tui.scores import Measured, Reason, Unmeasured, measured
from eval_tui.verdicts.evaluate import MetricScore, evaluate
from eval_tui.verdicts.policy import LADDER, Definition, Match, Policy
from tests.verdicts.support import (
    Short,
    check,
    composed,
    grader,
    metrics_of,
    model,
    ours,
    rows,
    theirs,
    truth,
)


class TestAsOtherToolsDecide:
    """Row by row what follows from a ladder, under policies that are not ours."""

    def test_the_built_in_ground_truth_goes_before_a_composed_one(self) -> None:
        assert theirs(composed("quality"), tests_pass=True, quality=False).value is True

    def test_a_weaker_rung_decides_when_ground_truth_is_not_measured(self) -> None:
        verdict = theirs(composed("quality"), quality="grader_error", judge__tone=True)
        assert (verdict.value, verdict.rung) == (True, "judge")

    def test_ground_truth_without_a_pass_does_not_vote(self) -> None:
        assert theirs(composed("quality"), quality=0.9, judge__tone=True).rung == "judge"

    def test_ground_truth_beats_a_judge(self) -> None:
        verdict = theirs(tests_pass=True, judge__tone=False)
        assert (verdict.value, verdict.rung) == (True, "ground_truth")

    def test_an_undeclared_check_decides_only_where_nobody_else_does(self) -> None:
        assert theirs(mine=False, judge__tone=True).value is True
        verdict = theirs(mine=False)
        assert (verdict.value, verdict.rung) == (False, "fallback")

    def test_what_is_only_observed_never_decides(self) -> None:
        assert theirs(cost_usd=True).value is None

    def test_criteria_alone_decide_nothing(self) -> None:
        assert theirs(judge__q__a=True).value is None

    def test_judges_must_agree(self) -> None:
        verdict = theirs(judge__a=True, judge__b=False)
        assert verdict.value is False
        assert metrics_of(verdict) == ["judge:b"]

    def test_values_without_a_pass_decide_nothing(self) -> None:
        verdict = theirs(mine=3.0)
        assert (verdict.value, verdict.cause) == (None, "no_vote")

    def test_a_case_that_died_is_not_evaluated(self) -> None:
        verdict = evaluate(LADDER, rows(tests_pass=True), outcome=False)
        assert (verdict.value, verdict.cause) == (None, "no_outcome")

    def test_no_policy_no_verdict(self) -> None:
        verdict = evaluate(None, rows(tests_pass=True))
        assert (verdict.value, verdict.cause) == (None, "policy_not_available")

    @pytest.mark.parametrize("passes", [(True, False), (False, True)])
    def test_two_rows_of_a_metric_must_both_pass(self, passes: tuple[bool, bool]) -> None:
        both = [MetricScore(f"g{i}", "tests_pass", measured(p)) for i, p in enumerate(passes)]
        verdict = evaluate(LADDER, both)
        assert verdict.value is False
        assert verdict.decided_by[0].producer == f"g{passes.index(False)}"

    @pytest.mark.parametrize(
        ("how", "passes", "value"),
        [
            ("all", (True, True, False), False),
            ("any", (False, False, True), True),
            ("majority", (True, True, False), True),
            ("majority", (True, False), False),
            ("priority", (True, False, False), True),
        ],
    )
    def test_how_votes_combine(self, how: str, passes: tuple[bool, ...], value: bool) -> None:
        names = [f"m{i}" for i in range(len(passes))]
        policy = Policy("p", "1", (), fallback=how)  # type: ignore[arg-type]
        assert evaluate(policy, rows(**dict(zip(names, passes, strict=True)))).value is value

    def test_a_required_metric_that_is_not_measured_withholds_the_verdict(self) -> None:
        required = Definition(Match("must"), "objective", role="required")
        policy = Policy("p", "1", (required,))
        verdict = evaluate(policy, rows(other=True, must="missing_evidence"))
        assert verdict.value is None
        assert verdict.missing == (("must", "missing_evidence"),)
        left_out = Definition(Match("must"), "objective", role="required", missing="exclude_metric")
        assert evaluate(Policy("p", "1", (left_out,)), rows(other=True)).value is True


QUALITY = grader("business", truth("quality"))
TESTS = grader("tests-pass", id="tests-pass", cmd="pytest")


class TestTheLadder:
    """What we decide where a config has graders."""

    def test_dead_ground_truth_withholds_the_verdict(self) -> None:
        verdict = ours([QUALITY, model("tone")], "grader_error", True)
        assert (verdict.value, verdict.cause) == (None, "authority_unmeasured")
        assert verdict.missing == (("quality", "grader_error"),)

    def test_unless_the_config_lets_it_fall_through(self) -> None:
        rules = VerdictRules("ladder", on_dead_authority="fall_through")
        verdict = ours([QUALITY, model("tone")], "grader_error", True, verdict=rules)
        assert (verdict.value, verdict.rung) == (True, "judge")

    def test_ground_truth_that_prints_no_pass_withholds_as_well(self) -> None:
        verdict = ours([QUALITY, model("tone")], Measured(0.9, None), True)
        assert (verdict.value, verdict.cause) == (None, "authority_unmeasured")
        assert verdict.missing == (("quality", "no pass"),)

    def test_ground_truth_that_was_not_emitted_withholds_as_well(self) -> None:
        two = grader("two", truth("quality"), truth("safety"))
        printed = Measured(1.0, True, parts={"quality": measured(True)})
        verdict = ours([two], printed)
        assert (verdict.value, verdict.missing) == (None, (("safety", "missing"),))

    def test_ground_truth_of_ones_own_can_fail_a_case_whose_tests_pass(self) -> None:
        verdict = ours([TESTS, QUALITY], True, False)
        assert (verdict.value, verdict.rung) == (False, "ground_truth")
        assert metrics_of(verdict) == ["quality"]

    def test_tests_that_only_this_case_has_withhold_as_well_when_they_die(self) -> None:
        own = Judge("tests", "grader", grader=Grader("", per_case=True))
        died = Unmeasured(Reason.GRADER_ERROR, "x")
        dead = Unmeasured(Reason.GRADER_ERROR, "x", parts={"tests_pass": died})
        verdict = ours([own, model("tone")], dead, True)
        assert (verdict.value, verdict.missing) == (None, (("tests_pass", "grader_error"),))
        failed = Measured(0, False, parts={"tests_pass": Measured(0, False)})
        assert ours([own, model("tone")], failed, True).value is False

    def test_one_dead_ground_truth_is_not_made_good_by_another(self) -> None:
        assert ours([TESTS, QUALITY], True, "grader_error").value is None

    def test_ground_truth_that_was_left_out_on_purpose_is_not_waited_for(self) -> None:
        verdict = ours([QUALITY, model("tone")], "policy_skip", False)
        assert (verdict.value, verdict.rung) == (False, "judge")

    def test_ground_truth_beats_a_judge_that_could_not_answer(self) -> None:
        verdict = ours([QUALITY, model("tone")], True, "missing_secret")
        assert (verdict.value, verdict.rung) == (True, "ground_truth")

    def test_checks_go_before_models(self) -> None:
        verdict = ours([TESTS, check("links"), model("tone")], "policy_skip", False, True)
        assert (verdict.value, metrics_of(verdict)) == (False, ["links"])

    def test_no_rung_is_passed_over_because_it_could_not_be_measured(self) -> None:
        verdict = ours([TESTS, check("links"), model("tone")], "policy_skip", "grader_error", True)
        assert (verdict.value, verdict.cause) == (None, "unmeasured")

    def test_what_is_still_waiting_is_said_to_wait(self) -> None:
        verdict = ours([TESTS, model("tone")], "policy_skip", None)
        assert (verdict.value, verdict.cause) == (None, "waiting")

    def test_a_metric_that_nobody_declared_never_decides(self) -> None:
        verdict = ours([grader("mine", id="command", cmd="x")], False)
        assert (verdict.value, verdict.cause) == (None, "no_vote")

    def test_an_undeclared_metric_beside_declared_ones_never_decides(self) -> None:
        one = grader("mine", Metric("a", "objective"))
        printed = Measured(1.0, None, parts={"a": measured(True), "b": measured(False)})
        assert ours([one], printed).value is True

    def test_observed_metrics_never_decide(self) -> None:
        cost = grader("cost", id="cost")
        assert ours([cost, TESTS], Measured(0.1, False), True).value is True
        assert ours([cost], Measured(0.1, True)).value is None

    def test_costs_that_are_not_known_withhold_nothing(self) -> None:
        assert ours([grader("cost", id="cost"), TESTS], "missing_evidence", True).value is True

    def test_criteria_of_a_judge_decide_nothing(self) -> None:
        answer = Measured(True, True, parts={"a": measured(False)})
        skipped = Unmeasured(Reason.POLICY_SKIP, "when")
        assert ours([TESTS, model("tone")], skipped, answer).value is True

    def test_a_model_that_gives_numbers_does_not_vote(self) -> None:
        rated = model("rated", feedback_type="")
        assert ours([TESTS, rated], "policy_skip", 2.0).cause == "no_vote"

    def test_a_number_votes_by_its_mark(self) -> None:
        marked = model("rated", feedback_type="int", pass_if=">= 4")
        assert ours([TESTS, marked], "policy_skip", Measured(2, False)).value is False


class TestForgedNames:
    def test_a_check_called_like_the_tests_is_no_ground_truth(self) -> None:
        forged = check("tests_pass")
        verdict = ours([forged, QUALITY], True, False)
        assert (verdict.value, metrics_of(verdict)) == (False, ["quality"])
        verdict = ours([forged, QUALITY], True, "policy_skip")
        assert (verdict.rung, metrics_of(verdict)) == ("objective", ["check:tests_pass"])

    def test_a_check_called_like_a_declared_metric_does_not_decide_for_it(self) -> None:
        verdict = ours([check("quality"), QUALITY], True, "grader_error")
        assert (verdict.value, verdict.cause) == (None, "authority_unmeasured")

    def test_a_check_called_like_a_model_judge_is_no_judge(self) -> None:
        verdict = ours([check("judge:tone"), TESTS], True, "policy_skip")
        assert verdict.rung == "objective"

    def test_a_judge_called_like_another_ones_criterion_has_its_own_vote(self) -> None:
        verdict = ours([model("q"), model("q:a")], True, False, verdict=VerdictRules("ladder"))
        assert (verdict.value, metrics_of(verdict)) == (False, ["judge:q:a"])

    def test_a_declaration_of_ones_own_unlocks_no_reserved_name(self) -> None:
        printed = Measured(
            1, True, parts={"quality": measured(False), "tests_pass": measured(True)}
        )
        columns = [grader("script", truth("quality")), TESTS]
        under = apply_contract(printed, columns[0])
        verdict = ours(columns, under, "policy_skip")
        assert (verdict.value, verdict.cause) == (None, "authority_unmeasured")
        assert verdict.missing == (("tests_pass", "contract_violation"),)


class TestReview:
    UNREVIEWED = {("business", "quality")}  # noqa: RUF012

    def test_what_nobody_has_accepted_does_not_vote_and_withholds(self) -> None:
        verdict = ours([QUALITY, TESTS], True, True, unreviewed=self.UNREVIEWED)
        assert (verdict.value, verdict.cause) == (None, "unreviewed_authority")
        assert verdict.missing == (("quality", "unreviewed"),)

    def test_unless_the_config_goes_on_without_it_and_says_so(self) -> None:
        rules = VerdictRules("ladder", unreviewed="ignore")
        judges = [QUALITY, TESTS]
        verdict = ours(judges, False, True, verdict=rules, unreviewed=self.UNREVIEWED)
        assert (verdict.value, verdict.provisional) == (True, True)
        assert metrics_of(verdict) == ["tests_pass"]

    def test_going_on_without_it_does_not_wait_for_it_either(self) -> None:
        for mode in ("ladder", "flat"):
            rules = VerdictRules(mode, unreviewed="ignore")
            judges = [QUALITY, TESTS]
            dead = ours(judges, "grader_error", True, verdict=rules, unreviewed=self.UNREVIEWED)
            assert (dead.value, dead.provisional) == (True, True)

    def test_a_case_that_does_not_use_it_is_decided_without_it(self) -> None:
        verdict = ours([QUALITY, TESTS], "policy_skip", True, unreviewed=self.UNREVIEWED)
        assert verdict.value is True

    def test_two_declarations_that_disagree_decide_nothing(self) -> None:
        other = grader("other", Metric("quality", "objective"))
        verdict = ours([QUALITY, other, TESTS], True, True, True)
        assert (verdict.value, verdict.cause) == (None, "conflicting_authority")


class TestFlat:
    """What we decide where a config has judges alone."""

    @pytest.mark.parametrize(
        ("scores", "value", "cause"),
        [
            ((True, True), True, None),
            ((True, False), False, None),
            ((True, "grader_error"), None, "unmeasured"),
            ((False, "grader_error"), None, "unmeasured"),
            ((True, "contract_violation"), None, "unmeasured"),
            ((True, "policy_skip"), True, None),
            (("policy_skip", "policy_skip"), None, "nothing_measured"),
            ((True, 0.1), True, None),
            ((0.1, 0.2), None, "no_vote"),
            ((True, Measured(0.1, False)), False, None),
            ((True, None), None, "waiting"),
            ((None, "grader_error"), None, "unmeasured"),
        ],
    )
    def test_everything_that_bears_a_pass_must_pass(
        self, scores: tuple[Short, ...], value: bool | None, cause: str | None
    ) -> None:
        verdict = ours([check("a"), check("b")], *scores)
        assert (verdict.value, verdict.cause) == (value, cause)

    def test_a_model_that_gives_numbers_holds_nothing_up(self) -> None:
        rated = model("rated", feedback_type="int", score_range=(1, 5))
        assert ours([check("a"), rated], True, "missing_secret").value is True

    def test_a_model_that_is_asked_for_a_pass_does(self) -> None:
        verdict = ours([check("a"), model("tone")], True, "missing_secret")
        assert verdict.missing == (("judge:tone", "missing_secret"),)

    def test_a_recorded_pass_of_a_model_counts_whatever_it_was_asked_for(self) -> None:
        assert ours([model("tone", feedback_type="")], False).value is False

    def test_who_did_better_of_two_runs_says_nothing_about_passing(self) -> None:
        verdict = ours([check("a"), model("pairwise")], True)
        assert verdict.value is True
