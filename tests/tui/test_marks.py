"""Every state of a cell has a mark that can be told apart without colour."""

import pytest

from eval_tui.engine.grid import EMPTY_CELL, Cell, CellState
from eval_tui.engine.select import failed
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured, measured
from eval_tui.tui.marks import (
    ASCII,
    UNICODE,
    Glyphs,
    mark,
    number,
    score_words,
    shade_of,
    sign_of,
    state_words,
)
from tests.tui.fake import check, model

CHECK = check("c")
FRESH, STALE = CellState.FRESH, CellState.STALE


def text(cell: Cell, glyphs: Glyphs = UNICODE) -> str:
    shown = mark(cell, CHECK, glyphs)
    return shown.field + shown.suffix


def unmeasured(reason: Reason) -> Unmeasured:
    return Unmeasured(reason, "why")


STATES: list[tuple[Cell, str, str]] = [
    (EMPTY_CELL, "", ""),
    (Cell(FRESH, measured(True)), "✓", "P"),
    (Cell(FRESH, measured(False)), "✗", "F"),
    (Cell(FRESH, measured(4)), "4", "4"),
    (Cell(FRESH, measured(3.5)), "3.5", "3.5"),
    (Cell(FRESH, measured(4), recorded=True), "4ʳ", "4r"),
    (Cell(STALE, measured(True)), "✓*", "P*"),
    (Cell(STALE, measured(4), recorded=True), "4ʳ*", "4r*"),
    (Cell(CellState.QUEUED), "◌", "."),
    (Cell(CellState.RUNNING), "◐", "|"),
    (Cell(CellState.RUNNING, measured(False)), "✗◐", "F|"),
    (Cell(CellState.CHECKING, measured(True)), "✓", "P"),
    (Cell(CellState.CHECKING), "◌", "."),
    (Cell(CellState.WAITING, waiting="money"), "$", "$"),
    (Cell(CellState.WAITING, measured(4), waiting="money"), "4$", "4$"),
    (Cell(CellState.WAITING, measured(4), waiting="paused"), "4=", "4="),
    (Cell(FRESH, unmeasured(Reason.MISSING_SECRET)), "∅ secret", "? secret"),
    (Cell(FRESH, unmeasured(Reason.MISSING_EVIDENCE)), "∅ evidence", "? evidence"),
    (Cell(FRESH, unmeasured(Reason.GRADER_ERROR)), "∅ error", "? error"),
    (Cell(FRESH, unmeasured(Reason.UNSUPPORTED)), "∅ unsupported", "? unsupported"),
    (Cell(FRESH, unmeasured(Reason.POLICY_SKIP)), "–", "-"),
    (Cell(FRESH, unmeasured(Reason.CONTRACT_VIOLATION)), "!!", "!!"),
    (Cell(FRESH, Measured(4, None, samples=(Sample(4), Sample(3)))), "4~", "4~"),
    (Cell(FRESH, Measured(4, False)), "4✗", "4F"),
]


@pytest.mark.parametrize(("cell", "unicode", "ascii"), STATES)
def test_each_state_has_its_mark(cell: Cell, unicode: str, ascii: str):
    assert text(cell) == unicode
    assert text(cell, ASCII) == ascii
    assert ascii.isascii()


def test_states_differ_in_text_alone():
    differing = [
        Cell(FRESH, measured(True)),
        Cell(FRESH, measured(False)),
        Cell(STALE, measured(True)),
        Cell(CellState.QUEUED),
        Cell(CellState.RUNNING),
        Cell(CellState.WAITING, waiting="off"),
        *(Cell(FRESH, unmeasured(reason)) for reason in Reason),
    ]
    for glyphs in (UNICODE, ASCII):
        assert len({text(cell, glyphs) for cell in differing}) == len(differing)


def test_the_running_mark_turns():
    frames = {mark(Cell(CellState.RUNNING), CHECK, UNICODE, frame).field for frame in range(8)}
    assert len(frames) == 4


def test_nothing_unmeasured_looks_like_a_failure():
    for reason in Reason:
        assert mark(Cell(FRESH, unmeasured(reason)), CHECK).look not in ("fail", "pass")


@pytest.mark.parametrize(
    ("score", "is_one"),
    [
        (measured(False), True),
        (measured(True), False),
        (measured(0), False),
        (Measured(2, False), True),
        (unmeasured(Reason.GRADER_ERROR), True),
        (unmeasured(Reason.CONTRACT_VIOLATION), True),
        (unmeasured(Reason.MISSING_EVIDENCE), True),
        (Measured(False, None), True),
        (unmeasured(Reason.MISSING_SECRET), False),
        (unmeasured(Reason.UNSUPPORTED), False),
        (unmeasured(Reason.POLICY_SKIP), False),
        (None, False),
    ],
)
def test_what_counts_as_a_failure_to_look_at(score: Score | None, is_one: bool):
    assert failed(Cell(FRESH, score)) is is_one


def test_numbers_are_shaded_by_their_place_on_the_scale():
    declared = check("c", score_range=(0.0, 10.0))
    assert [shade_of(measured(value), declared) for value in (0, 5, 10, 11)] == [0, 2, 4, None]
    assert shade_of(measured(5), model("m")) == 4, "model judges: 1 to 5"
    assert shade_of(measured(1), check("c")) == 4, "others: 0 to 1"
    assert shade_of(measured(5), check("c")) is None, "neutral off the default scale"
    assert shade_of(measured(True), declared) is None


@pytest.mark.parametrize(
    "value", [0, -3, 1.5, 0.1 + 0.2, 1e-9, 1e300, 10**400, -(10**30), 123456.789, 99999999]
)
def test_any_number_is_short(value: float):
    assert len(number(value)) <= 8


def test_words_say_what_a_mark_means():
    assert score_words(measured(4), model("m", score_range=(1.0, 5.0))) == "4 on a scale of 1 to 5"
    assert "no API key" in score_words(unmeasured(Reason.MISSING_SECRET), CHECK)
    assert state_words(Cell(STALE, measured(1))) == "stale: an input changed since"
    assert "paused" in state_words(Cell(CellState.WAITING, waiting="paused"))
    assert state_words(Cell(FRESH, measured(1), recorded=True)) == "recorded, not recomputed"


@pytest.mark.parametrize(
    ("score", "sign"),
    [
        (measured(True), "✓ "),
        (measured(4), ""),
        (Measured(4, True), "✓ "),
        (Measured(2.5, False), "✗ "),
        (unmeasured(Reason.GRADER_ERROR), "∅ "),
    ],
)
def test_a_score_in_words_has_its_mark_in_front_and_no_number_twice(score: Score, sign: str):
    assert sign_of(score, mark(Cell(FRESH, score), CHECK), UNICODE) == sign
