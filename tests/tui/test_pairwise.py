"""How the comparison of two runs looks: its marks, and its words for those who see it first."""

from __future__ import annotations

import pytest

from eval_tui.config.schema import PAIRWISE, Judge
from eval_tui.engine.grid import Cell, CellKey, CellState, Detail
from eval_tui.scores import Measured, Reason, Sample, Unmeasured
from eval_tui.tui.cell_words import preview
from eval_tui.tui.marks import ASCII, UNICODE, mark
from eval_tui.tui.pages import reason_page

JUDGE = Judge(PAIRWISE, "model", score_range=(-1.0, 1.0))
LABELS = {1: "run", 0: "tie", -1: "baseline"}


def _cell(value: int, *samples: int, state: CellState = CellState.FRESH) -> Cell:
    told = tuple(Sample(sample, "why") for sample in samples)
    return Cell(state, Measured(value, None, "both orders", LABELS[value], told))


@pytest.mark.parametrize(
    ("value", "words", "plain", "look"),
    [
        (1, "▲ run ", "^ run ", "pass"),
        (0, "= tie ", "= tie ", "skip"),
        (-1, "▼ base", "v base", "fail"),
    ],
)
def test_a_cell_names_the_winner(value: int, words: str, plain: str, look: str) -> None:
    shown = mark(_cell(value), JUDGE, UNICODE)
    assert (shown.field, shown.look, shown.shade) == (words, look, None)
    assert mark(_cell(value), JUDGE, ASCII).field == plain


def test_repetitions_that_disagree_and_old_values_are_marked_as_everywhere() -> None:
    assert mark(_cell(1, 1, 0), JUDGE).suffix == UNICODE.unstable
    stale = mark(_cell(1, state=CellState.STALE), JUDGE)
    assert (stale.suffix, stale.dim) == (UNICODE.stale, True)
    lost = Cell(CellState.FRESH, Unmeasured(Reason.GRADER_ERROR, "no verdict"))
    assert mark(lost, JUDGE).field == "∅ error"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1, "▲ this run is better: it is preferred in both orders"),
        (0, "= a tie: neither is preferred in both orders"),
        (-1, "▼ the baseline is better: it is preferred in both orders"),
    ],
)
def test_the_preview_says_what_the_mark_means(value: int, words: str) -> None:
    cell = _cell(value)
    detail = Detail(CellKey("c", PAIRWISE), cell, cell.score)
    assert words in preview(detail, JUDGE, None, UNICODE).plain


def test_the_reason_tells_both_orders_and_each_repetition() -> None:
    cell = _cell(1, 1, -1)
    text = reason_page(Detail(CellKey("c", PAIRWISE), cell, cell.score), JUDGE, UNICODE).text
    assert "both orders" in text
    assert "the baseline is better" in text
