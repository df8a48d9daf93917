"""Counts, trials, and whether a difference is noise: nothing that was not evaluated is a number."""

from __future__ import annotations

import pytest

from eval_tui.results.verdict_words import counts_words, rate_words
from eval_tui.verdicts.compare import Side, Trial, compare, compare_trials
from eval_tui.verdicts.counts import count_verdicts
from eval_tui.verdicts.evaluate import Verdict
from eval_tui.verdicts.statistics import (
    Tally,
    benjamini_hochberg,
    beyond_noise,
    fisher,
    p_value,
    pass_at_k,
)
from eval_tui.verdicts.trials import flake_score, fold, summarise
from tests.verdicts.support import Short, rows


def verdicts(passed: int, failed: int, open_: int) -> list[Verdict]:
    values = [True] * passed + [False] * failed
    return [*map(Verdict, values), *[Verdict(None, cause="waiting")] * open_]


def test_counts_never_mix_states_and_the_rate_says_what_it_is_over() -> None:
    counts = count_verdicts(verdicts(41, 9, 50))
    assert counts_words(counts) == "41 passed, 9 failed, 50 not evaluated"
    assert rate_words(counts) == "82% of 50 evaluated"
    assert counts.causes == (("waiting", 50),)


def test_a_rate_over_nothing_is_no_rate() -> None:
    counts = count_verdicts(verdicts(0, 0, 3))
    assert counts.rate is None
    assert rate_words(counts) == ""


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (5, 3, 1, 0.6),
        (5, 3, 3, 1.0),
        (5, 1, 3, 0.6),
        (10, 3, 5, 0.9166666667),
        (4, 2, 2, 0.8333333333),
        (3, 1, 10, 1.0),
        (5, 0, 3, 0.0),
    ],
)
def test_pass_at_k(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((3, 3), (0, 3), 0.1),
        ((4, 4), (0, 4), 0.028571),
        ((5, 5), (1, 5), 0.047619),
        ((5, 5), (0, 5), 0.007937),
        ((10, 10), (6, 10), 0.086687),
        ((8, 10), (3, 10), 0.069779),
    ],
)
def test_fishers_exact_test(
    first: tuple[int, int], second: tuple[int, int], expected: float
) -> None:
    assert fisher(Tally(*first), Tally(*second)) == pytest.approx(expected, abs=1e-6)


def test_three_against_none_of_three_is_within_the_noise_and_four_is_not() -> None:
    assert not beyond_noise(Tally(3, 3), Tally(0, 3))
    assert beyond_noise(Tally(4, 4), Tally(0, 4))


def test_many_trials_are_compared_by_the_normal_distribution() -> None:
    assert p_value(Tally(60, 100), Tally(40, 100)) == pytest.approx(0.004678, abs=1e-6)
    assert p_value(Tally(50, 50), Tally(40, 40)) == 1.0


def test_a_difference_must_also_be_as_large_as_was_asked_for() -> None:
    assert beyond_noise(Tally(600, 1000), Tally(500, 1000))
    assert not beyond_noise(Tally(600, 1000), Tally(500, 1000), min_delta=0.2)


def test_of_many_differences_the_first_three_stand() -> None:
    found = benjamini_hochberg([0.001, 0.02, 0.03, 0.2, 0.5])
    assert found == [True, True, True, False, False]


class TestTrials:
    RUNS = (
        {"a": True, "b": True, "c": None},
        {"a": True, "b": False, "c": None},
        {"a": True, "b": None},
    )

    def test_runs_fold_case_by_case_and_only_verdicts_count(self) -> None:
        found = {one.case: one for one in fold(self.RUNS)}
        assert found["a"].tally == Tally(3, 3)
        assert found["b"].tally == Tally(1, 2)
        assert found["b"].flaky
        assert not found["a"].flaky
        assert found["c"].tally == Tally(0, 0)
        assert found["c"].tally.rate is None

    def test_the_summary_counts_each_case_once_and_takes_the_least_number_of_trials(self) -> None:
        summary = summarise(fold(self.RUNS))
        assert summary is not None
        assert (summary.cases, summary.min_trials, summary.max_trials) == (2, 2, 3)
        assert summary.k == 2
        assert summary.pass_at_1 == pytest.approx(0.75)
        assert summary.pass_at_k == pytest.approx(1.0)
        assert summary.flaky == 1

    def test_nothing_evaluated_is_no_summary(self) -> None:
        assert summarise(fold([{"a": None}, {}])) is None

    def test_a_coin_is_as_flaky_as_can_be_and_one_trial_says_nothing(self) -> None:
        assert flake_score(Tally(2, 4)) == 1.0
        assert flake_score(Tally(4, 4)) == 0.0
        assert flake_score(Tally(1, 1)) is None


def side(verdicts: dict[str, bool | None] | None, **metrics: dict[str, Short]) -> Side:
    cases = dict.fromkeys(case for values in metrics.values() for case in values)
    return Side(
        {
            Trial(case): rows(
                **{m: values[case] for m, values in metrics.items() if case in values}
            )
            for case in cases
        },
        None if verdicts is None else {Trial(case): v for case, v in verdicts.items()},
    )


class TestComparing:
    def test_cases_break_are_fixed_or_stay_and_an_open_one_is_neither(self) -> None:
        metric: dict[str, Short] = dict.fromkeys("abcd", True)
        before = side({"a": True, "b": False, "c": True, "d": True}, m=metric)
        after = side({"a": False, "b": True, "c": True, "d": None}, m=metric)
        found = compare(before, after).transitions
        assert found is not None
        assert [one.change for one in found] == ["broke", "fixed", "same", "unmeasured"]

    def test_without_a_policy_nothing_is_said_about_cases(self) -> None:
        metric: dict[str, Short] = {"a": True}
        assert compare(side(None, m=metric), side({"a": False}, m=metric)).transitions is None

    def test_a_change_without_a_direction_is_just_a_change(self) -> None:
        before, after = (
            side({}, usd={"a": 1.0}, n={"a": 1.0}),
            side({}, usd={"a": 2.0}, n={"a": 2.0}),
        )
        found = compare(before, after, {"usd": "lower_is_better"}).metrics
        assert [(one.metric, one.reading, one.delta) for one in found] == [
            ("usd", "regressed", 1.0),
            ("n", "unknown", 1.0),
        ]

    def test_an_unmeasured_row_is_no_number_on_either_side(self) -> None:
        before = side({}, m={"a": 4.0, "b": "grader_error"})
        after = side({}, m={"a": 4.0, "b": 2.0})
        found = compare(before, after)
        assert found.metrics[0].before == 4.0
        assert found.coverage["m"] == (0.5, 1.0)
        assert found.comparability == "partial"

    def test_without_a_shared_case_or_metric_nothing_is_comparable(self) -> None:
        assert compare(side({}, m={"a": 1.0}), side({}, m={"b": 1.0})).comparability == "none"
        assert compare(side({}, m={"a": 1.0}), side({}, n={"a": 1.0})).comparability == "none"

    def test_the_same_on_both_sides_is_fully_comparable(self) -> None:
        one = side({"a": True}, m={"a": True})
        assert compare(one, one).comparability == "full"

    def test_categories_and_numbers_are_not_compared(self) -> None:
        from eval_tui.scores import Measured

        before, after = side({}, m={"a": Measured(2.0, None, label="good")}), side({}, m={"a": 2.0})
        found = compare(before, after)
        assert found.incomparable == ("m",)
        assert found.metrics == ()

    def test_trials_are_compared_case_by_case_and_held_down_together(self) -> None:
        before = {name: Tally(5, 5) for name in "abcdef"}
        after = {"a": Tally(0, 5), "b": Tally(1, 5), **{name: Tally(5, 5) for name in "cdef"}}
        alone = compare_trials(before, after)
        assert [one.significant for one in alone[:3]] == [True, True, False]
        together = compare_trials(before, after, fdr_alpha=0.05)
        assert [(one.significant, one.suppressed) for one in together[:2]] == [
            (True, False),
            (False, True),
        ]
