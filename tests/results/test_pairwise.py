"""What a comparison adds up to, in numbers, words and the block that other tools read."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from eval_tui.config.schema import PAIRWISE
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.board import make_board
from eval_tui.results.export import score_document
from eval_tui.results.pairwise import (
    comparison_words,
    count_wins,
    not_compared,
    pairwise_block,
)
from eval_tui.results.table import score_table
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured
from tests.results.support import cells, config, grid

LABELS = {1: "run", 0: "tie", -1: "baseline"}


def _won(value: int, *samples: int | None) -> Measured:
    told = tuple(Sample(v, "why") if v is not None else Sample(None, error="no") for v in samples)
    return Measured(value, None, "why", LABELS[value], told)


def _cell(score: Score | None) -> Cell:
    return Cell(CellState.FRESH if score else CellState.WAITING, score)


LOST = Unmeasured(Reason.GRADER_ERROR, "no verdict")
SKIPPED = Unmeasured(Reason.POLICY_SKIP, "by its `if:`")


def test_the_win_rate_counts_ties_and_leaves_errors_out() -> None:
    wins = count_wins(map(_cell, (_won(1), _won(1), _won(-1), _won(0), LOST, SKIPPED, None)))
    assert (wins.won, wins.lost, wins.tied, wins.rate) == (2, 1, 1, 0.5)
    assert wins.figure == "50% won 2/4 · 1 lost, 1 tied"
    assert count_wins(cells("grader_error")).rate is None


@pytest.mark.parametrize(("limit", "state"), [(0.5, "pass"), (0.51, "fail")])
def test_the_win_rate_is_a_gate(limit: float, state: str) -> None:
    still = grid({PAIRWISE: map(_cell, (_won(1), _won(-1), LOST))})
    (view,) = make_board(still, config((PAIRWISE, "min_win_rate", limit))).columns
    assert (view.gate, view.summary) == (state, "50% won 1/2 · 1 lost · 2/3 measured")


def test_nothing_compared_cannot_be_told() -> None:
    still = grid({PAIRWISE: [_cell(LOST)]})
    (view,) = make_board(still, config((PAIRWISE, "min_win_rate", 0.0))).columns
    assert view.gate == "cannot_tell"


def test_the_block_has_the_known_form() -> None:
    scores = {"a": _won(1), "b": _won(-1), "c": _won(0), "d": LOST, "e": SKIPPED, "f": None}
    assert pairwise_block(scores, "r2", "r1") == {
        "run_a": "r2",
        "run_b": "r1",
        "cases_compared": 4,
        "wins_a": 1,
        "wins_b": 1,
        "ties": 1,
        "errors": 1,
        "per_case": [
            {"case_id": "a", "winner": "A", "error": None, "reasoning": "why"},
            {"case_id": "b", "winner": "B", "error": None, "reasoning": "why"},
            {"case_id": "c", "winner": "tie", "error": None, "reasoning": "why"},
            {"case_id": "d", "winner": "error", "error": "no verdict", "reasoning": None},
        ],
    }


def test_the_block_tells_how_far_repetitions_agree() -> None:
    scores = {"a": _won(1, 1, 1, 1), "b": _won(1, 1, 0, -1), "c": _won(1, None, 1, 1), "d": LOST}
    told: dict[str, Any] = pairwise_block(scores, "r2", "r1")["stability"]
    assert told == {
        "runs": 3,
        "wins_a_counts": [2, 2, 2],
        "wins_b_counts": [0, 0, 1],
        "tie_counts": [0, 1, 0],
        "total_cases": 4,
        "stable_cases": 2,
        "agreement_rate": 0.5,
        "flipped_cases": [
            {"case_id": "b", "verdicts": ["A", "tie", "B"], "majority": "A"},
            {"case_id": "c", "verdicts": ["error", "A", "A"], "majority": "A"},
        ],
    }


def test_the_document_holds_the_comparison_with_its_rate_only_where_there_is_one() -> None:
    still = grid({PAIRWISE: map(_cell, (_won(1), _won(0)))})
    common: dict[str, Any] = {"eval_name": "e", "run": "r2", "root": "/p", "aggregates": {}}
    whole = {("c1", PAIRWISE): dataclasses.replace(_won(1), rationale="all of it")}
    found = score_document(still, **common, gates=(), scores=whole, baseline="r1")
    block = found["pairwise"]
    assert (block["run_b"], block["wins_a"], block["win_rate"]) == ("r1", 1, 0.5)
    assert block["per_case"][0]["reasoning"] == "all of it"
    assert found["cells"]["c2"][PAIRWISE]["label"] == "tie"
    assert "pairwise" not in score_document(still, **common, gates=())


def test_the_table_names_the_winner_of_each_case() -> None:
    column = list(map(_cell, (_won(1), _won(0), _won(-1), LOST)))
    still = grid({PAIRWISE: column})
    lines = score_table(still, make_board(still, config())).splitlines()
    assert [line.split()[1:] for line in lines[1:5]] == [
        ["run"],
        ["tie"],
        ["baseline"],
        ["?", "error"],
    ]
    assert comparison_words(column, "r2", "r1") == (
        "r2 against r1: 33% won 1/3 · 1 lost, 1 tied · 1 error"
    )
    assert comparison_words([], "r2", "r1") == "r2 against r1: nothing compared"


def test_a_threshold_on_a_comparison_that_nobody_asked_for_is_told() -> None:
    settings = config((PAIRWISE, "min_win_rate", 0.5))
    (problem,) = not_compared(settings, grid({"j": [True]}))
    assert "--baseline RUN --pairwise" in problem.hint
    assert not_compared(settings, grid({PAIRWISE: [_cell(LOST)]})) == ()
    assert not_compared(config(("j", "min_mean", 0.5)), grid({"j": [True]})) == ()
