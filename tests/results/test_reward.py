"""Rewards: one number made of a case's cells, or none and why. The conformance cases hold the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval_tui.config.formula import check_formula
from eval_tui.config.schema import Judge, RewardRules
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.formula import Formula, NoValue
from eval_tui.results.reward import Composer, Defined, Reward, Undefined, make_rewards, rewards_by
from eval_tui.results.reward_words import reward_document, reward_lines, reward_word
from eval_tui.scores import Reason, measured
from tests.results.support import Short, grid
from tests.support.grids import StillGrid

WEIGHTED = RewardRules(weights={"a": 3, "b": 1}, raw=("a", "b"))


def rewards(rules: RewardRules | None, **columns: list[Short]) -> list[Reward]:
    return list(make_rewards(grid(columns), rules).cases.values())


def test_what_was_left_out_is_told_beside_the_value() -> None:
    found = rewards(WEIGHTED, a=[0.5, "grader_error", "grader_error"], b=[0.9, 1, "missing_secret"])
    assert found[0] == Defined(pytest.approx(0.6))
    assert found[1] == Defined(1.0, "without a (error)")
    assert found[2] == Undefined("nothing to weigh: a (error), b (secret)")


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize(
    "rules",
    [RewardRules(judge="a"), RewardRules(weights={"a": 1}), RewardRules(formula="a"), None],
    ids=["single", "weighted", "formula", "default"],
)
def test_nothing_unmeasured_is_a_reward(rules: RewardRules | None, reason: Reason) -> None:
    (found,) = rewards(rules, a=[reason.value])
    assert isinstance(found, Undefined)
    assert reward_word(found) == "undefined"


def test_what_waits_is_not_a_zero() -> None:
    waits = Cell(CellState.WAITING, waiting="money")
    ungated = replace(WEIGHTED, gate=False)
    assert rewards(ungated, a=[waits], b=["policy_skip"]) == [
        Undefined("nothing to weigh: a (not judged yet), b (skipped)")
    ]
    # Nobody knows yet whether it says true or false.
    assert rewards(WEIGHTED, a=[waits], b=[1]) == [
        Undefined("a gate was not measured: a (not judged yet)")
    ]


def test_a_false_gates_even_where_another_gate_is_open() -> None:
    found = rewards(
        WEIGHTED, a=[0.5] * 3, ok=[False, "grader_error", True], more=["grader_error", True, True]
    )
    assert found == [
        Defined(0.0, "0, as ok failed"),
        Undefined("a gate was not measured: ok (error)"),
        Defined(0.5),
    ]
    off = RewardRules(weights={"a": 1}, raw=("a",), gate=False)
    assert rewards(off, a=[0.5], ok=[False]) == [Defined(0.5)]


def test_a_judge_with_a_scale_is_no_gate() -> None:
    still = grid({"a": [0.5], "n": ["grader_error"]})
    scaled = StillGrid(
        still.rows, (still.columns[0], Judge("n", "check", score_range=(1, 5))), still.cells
    )
    assert list(make_rewards(scaled, WEIGHTED).cases.values()) == [Defined(0.5)]


def test_old_values_mark_the_rewards_that_rest_on_them() -> None:
    old, other = Cell(CellState.STALE, measured(0.5)), Cell(CellState.STALE, measured(3))
    gate = Cell(CellState.STALE, measured(True))
    found = rewards(WEIGHTED, a=[old, 0.5, 0.5], other=[3, other, 3], ok=[True, True, gate])
    assert [isinstance(one, Defined) and one.stale for one in found] == [True, False, True]
    assert [reward_word(one) for one in found] == ["0.5*", "0.5", "0.5*"]


def test_cases_that_did_not_run_have_none_and_the_mean_is_over_those_defined() -> None:
    still = grid({"a": [1, 0.5, "grader_error"]}, not_run=["late"])
    board = make_rewards(still, RewardRules(judge="a", gate=False))
    assert board.summary == "0.75 2/3"
    assert reward_document(board) == {
        "mean": 0.75,
        "defined": 2,
        "total": 3,
        "cases": {
            "c1": {"value": 1.0},
            "c2": {"value": 0.5},
            "c3": {"value": None, "why": "no value: a (error)"},
        },
    }
    assert reward_lines(board) == [
        "reward: 0.75 2/3",
        "  undefined in 1 case: no value: a (error)",
    ]
    assert make_rewards(grid({"a": ["grader_error"]}), RewardRules(judge="a")).mean is None


def test_a_comparison_of_runs_counts_only_where_it_is_named() -> None:
    still = grid({"a": [0.5], "pairwise": [-1]})
    assert "pairwise" not in [judge.name for judge in Composer(None, still).judges]
    rules = RewardRules(judge="pairwise", gate=False)
    assert list(rewards_by(Composer(rules, still), still).cases.values()) == [Defined(0.0)]


VALUES = {"a": 0.5, "b": 1.0}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("a + 2 * b - 0.5", 2.0),
        ("-a + +b", 0.5),
        ("7 // 2 + 7 % 4 / 2", 4.5),
        ("min(a, b) + max([a, b])", 1.5),
        ("mean([a, b]) + mean()", 0.75),
        ("sum([a, b]) + len([a, b]) + abs(-1)", 4.5),
        ("round(2.5) + round(0.126, 2)", 2.13),
        ("a < b <= 1", True),
        ("a < b < 1", False),
        ("not a or b", 1.0),
        ("a and 0", 0),
        ("1 if a in [0.5, 2] else 0", 1),
        ("c = a\nd = c + c\nd", 1.0),
        ("max = a\nmax", 0.5),
        ("None is None", True),
        ("1 if False else 2", 2),
    ],
)
def test_formulas(source: str, value: object) -> None:
    check_formula(source)
    assert Formula(source)(VALUES) == value


@pytest.mark.parametrize(
    "source",
    [
        "a / (b - 1)",
        "max",
        "max = a\nmax(a, b)",
        "[a] + [b]",
        "None + 1",
        "~a",
        "[a] == [a]",
        "len(a)",
    ],
)
def test_formulas_that_cannot_be_worked_out(source: str) -> None:
    check_formula(source)
    with pytest.raises((TypeError, ArithmeticError)):
        Formula(source)(VALUES)
    rules = RewardRules(formula=source, raw=("a", "b"))
    (found,) = rewards(rules, a=[0.5], b=[1])
    assert isinstance(found, Undefined) and "cannot be worked out" in found.why


def test_only_what_is_looked_at_must_have_a_value() -> None:
    assert Formula("a if b else nobody")(VALUES) == 0.5
    with pytest.raises(NoValue, match="nobody"):
        Formula("nobody if b else a")(VALUES)


@pytest.mark.parametrize("grow", ["x = x * x", "x = [x, x]"])
def test_a_formula_takes_no_time_and_no_memory(grow: str) -> None:
    lines = ["x = 1000000.0 * a", *[grow] * 18, "1 if x == x else 0"]
    (found,) = rewards(RewardRules(formula="\n".join(lines), raw=("a",)), a=[1])
    assert isinstance(found, Defined | Undefined)
