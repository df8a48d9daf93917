"""What of a difference chance alone may do."""

from __future__ import annotations

import pytest

from eval_tui.results.compare import compare
from eval_tui.results.comparison_words import figures_words
from eval_tui.results.noise import chance_words, noise_note, trial_differences, trial_words
from eval_tui.verdicts.statistics import Tally, sign_test
from eval_tui.verdicts.trials import CaseTrials
from tests.results.support import Short, grid


@pytest.mark.parametrize(
    ("down", "up", "p"),
    [(1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (1, 8, 0.0390625), (3, 3, 1.0), (0, 0, 1.0)],
)
def test_the_sign_test(down: int, up: int, p: float) -> None:
    assert sign_test(down, up) == pytest.approx(p)
    assert sign_test(up, down) == sign_test(down, up)


def words(after: list[Short], before: list[Short]) -> str:
    (one,) = compare(grid({"j": after}), grid({"j": before}), "r2", "r1").judges
    return chance_words(one)


def test_a_figure_of_two_single_runs_says_what_chance_does_as_well() -> None:
    assert words([False] + [True] * 9, [True] * 10) == "within the noise (p = 1)"
    assert words([False] * 6 + [True] * 4, [True] * 10) == "more than noise (p = 0.031)"
    assert words([1, 2, 3], [2, 3, 4]) == "within the noise (p = 0.25)"
    assert words([False, True], [True, False]) == ""  # the figure did not move
    assert words([True], ["grader_error"]) == ""  # nothing is compared


def test_a_figure_that_moved_is_never_shown_as_if_it_had_not() -> None:
    after: list[Short] = [*[True] * 895, *[False] * 105]
    before: list[Short] = [*[True] * 904, *[False] * 96]
    (one,) = compare(grid({"j": after}), grid({"j": before}), "r2", "r1").judges
    assert figures_words(one).startswith("90.4% → 89.5% over")
    (one,) = compare(grid({"j": [2.0001]}), grid({"j": [2.0002]}), "r2", "r1").judges
    assert figures_words(one) == "2.0002 → 2.0001 over 1 cell"


def case(name: str, *verdicts: bool | None) -> CaseTrials:
    return CaseTrials(name, verdicts)


def test_trials_say_of_each_case_whether_it_is_more_than_noise() -> None:
    before = [case("a", *[True] * 3), case("b", *[True] * 4), case("c", True), case("d", None)]
    after = [case("a", *[False] * 3), case("b", *[False] * 4), case("c", False), case("d", True)]
    assert [trial_words(one) for one in trial_differences(before, after)] == [
        "3/3 → 0/3 trials pass: within the noise (p = 0.1)",
        "4/4 → 0/4 trials pass: more than noise (p = 0.029)",
    ]


def test_one_trial_beside_several_is_told_and_equal_shares_are_not() -> None:
    (one,) = trial_differences(
        [case("a", True), case("b", True)], [case("a", True, False), case("b", True, True)]
    )
    assert (one.case, one.before, one.after, one.significant) == (
        "a",
        Tally(1, 1),
        Tally(1, 2),
        False,
    )


def test_how_to_read_it_is_said_where_something_is_to_be_read() -> None:
    moved = compare(grid({"j": [False]}), grid({"j": [True]}), "r2", "r1")
    still = compare(grid({"j": [True]}), grid({"j": [True]}), "r2", "r1")
    assert len(list(noise_note(moved))) == 1 and not list(noise_note(still))
