"""The run in view among those that repeat its configuration."""

from __future__ import annotations

import pytest

from eval_tui.config.schema import EvalConfig, VerdictRules
from eval_tui.engine.grid import Cell, CellState, Row
from eval_tui.results.repeats import Repeats, all_trials, make_repeats, since_baseline, trials_of
from eval_tui.results.verdicts import Court
from eval_tui.scores import Reason, Unmeasured, measured
from eval_tui.verdicts.compile import rulebook
from eval_tui.verdicts.trials import CaseTrials
from tests.tui.fake import FakeGrid, check, ran

JUDGE = check("links")
CONFIG = EvalConfig("/p/eval.yaml", "/p", "wiki", "wiki", judges=(JUDGE,), verdict=VerdictRules())
BOOK = rulebook(CONFIG)


def grid(rows: list[Row] | None = None, **values: bool | None) -> FakeGrid:
    """A run: for each case whether it passed; None for one that was not measured."""
    made = FakeGrid(ran(*values) if rows is None else rows, [JUDGE])
    for case, value in values.items():
        broken = Unmeasured(Reason.GRADER_ERROR, "it broke")
        score = broken if value is None else measured(value)
        made.cells[(case, "links")] = Cell(CellState.FRESH, score)  # pyright: ignore
    return made


NOW = grid(a=True, b=False, c=None)


def repeats(shown: str = "r2", **stored: FakeGrid) -> Repeats:
    return make_repeats(("r1", "r2", "r3"), shown, stored, BOOK)


def of(found: Repeats, case: str) -> dict[str, bool | None]:
    return trials_of(found, Court(BOOK), NOW, case)


def test_trials_stand_in_the_order_of_the_config_with_the_live_run_among_them():
    found = repeats(r3=grid(a=True, b=True), r1=grid(a=False, b=None, c=True))
    assert list(of(found, "a").items()) == [("r1", False), ("r2", True), ("r3", True)]
    assert of(found, "b") == {"r1": None, "r2": False, "r3": True}


def test_a_run_that_lacks_a_case_or_did_not_run_it_is_no_trial_of_it():
    rows = [*ran("a"), Row("b", "not_run")]
    found = repeats(r1=grid(rows, a=True), r3=grid(a=True))
    assert of(found, "b") == {"r2": False}
    assert of(found, "c") == {"r2": None}


def test_a_run_that_was_never_scored_is_named_and_counts_for_nothing():
    found = repeats(r1=FakeGrid(ran("a", "b"), [JUDGE]))
    assert (found.unscored, found.gone) == (("r1",), ("r3",))
    assert of(found, "a") == {"r2": True}


def test_the_summary_counts_cases_of_any_run_once():
    found = repeats(r1=grid(a=True, b=True, d=False), r3=grid(a=True, b=None))
    tallies = {one.case: tuple(one.tally) for one in all_trials(found, BOOK, NOW)}
    assert tallies == {"a": (3, 3), "b": (1, 2), "c": (0, 0), "d": (0, 1)}


def test_the_live_run_counts_as_it_is_now():
    found = repeats(r1=grid(a=True), r3=grid(a=True))
    later = grid(a=False)
    (one,) = all_trials(found, BOOK, later)
    assert one.flaky and tuple(one.tally) == (2, 3)


@pytest.mark.parametrize(
    ("before", "passed", "count", "significant"),
    [(True, 3, 5, False), (True, 0, 3, False), (True, 0, 40, True), (False, 40, 40, True)],
)
def test_one_trial_before_is_beyond_noise_only_against_many(
    before: bool, passed: int, count: int, significant: bool
):
    trials = CaseTrials("a", (True,) * passed + (False,) * (count - passed))
    found = since_baseline(repeats(), Court(BOOK), grid(a=before), "old", trials)
    assert found is not None and found.significant is significant


def test_nothing_is_said_where_a_side_is_open_or_both_are_alike():
    court, trials = Court(BOOK), CaseTrials("a", (True, False))
    assert since_baseline(repeats(), court, grid(a=None), "old", trials) is None
    assert since_baseline(repeats(), court, grid(b=True), "old", trials) is None
    assert since_baseline(repeats(), court, grid(a=True), "old", CaseTrials("a", (None,))) is None
    assert since_baseline(repeats(), court, grid(a=True), "old", CaseTrials("a", (True,))) is None


def test_a_baseline_that_is_one_of_the_trials_is_compared_with_none():
    trials = CaseTrials("a", (True, False))
    assert since_baseline(repeats(), Court(BOOK), grid(a=True), "r2", trials) is None
    assert since_baseline(repeats(), Court(BOOK), grid(a=True), "r0", trials) is not None
