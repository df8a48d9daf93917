"""A person's verdicts in `review.yaml`: read from others' files, written so that nothing is lost."""

from __future__ import annotations

import pytest
import yaml

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CellKey
from eval_tui.results.review import (
    Opinion,
    ReviewBook,
    UnreadableReview,
    agreement,
    agreement_words,
    disagreements,
    read_review,
    review_text,
    with_opinion,
)
from eval_tui.scores import Measured, Reason, Unmeasured, measured
from tests.tui.fake import FakeDriver, check, ran

THEIRS = b"""\
run_id: r1
reviewed_cases: 2
feedback_cases: 1
reviewer: Ada
model: opus
feedback:
  late: The refund is missing.
  fine: ''
"""


def put(book: ReviewBook, case: str, opinion: Opinion) -> ReviewBook:
    """The book after it was written to disk and read again."""
    book = with_opinion(book, case, opinion, run="r1", reviewer="somebody")
    return read_review(review_text(book).encode(), "review.yaml")


def test_an_empty_feedback_of_others_is_a_pass_and_a_text_alone_no_verdict():
    book = read_review(THEIRS, "review.yaml")
    assert book.of("fine") == Opinion(True)
    assert book.of("late") == Opinion(None, "The refund is missing.")
    assert book.of("unknown") == Opinion()


def test_what_others_wrote_is_kept():
    document = yaml.safe_load(
        review_text(put(read_review(THEIRS, ""), "new", Opinion(False, "no")))
    )
    assert document["model"] == "opus"
    assert document["reviewer"] == "Ada"
    assert document["feedback"] == {"late": "The refund is missing.", "fine": "", "new": "no"}
    assert (document["reviewed_cases"], document["feedback_cases"]) == (3, 2)


@pytest.mark.parametrize(
    "opinion",
    [
        Opinion(True),
        Opinion(False),
        Opinion(True, "good"),
        Opinion(False, "bad: [x]\n\nsecond"),
        Opinion(None, "日本 \x1b[31m # no comment"),
        Opinion(False, "yes"),
    ],
)
def test_an_opinion_returns_as_it_was_given(opinion: Opinion):
    assert put(ReviewBook(), "7", opinion).of("7").same(opinion)


def test_a_fail_without_a_comment_is_not_told_to_others_as_acceptable():
    document = yaml.safe_load(review_text(put(ReviewBook(), "a", Opinion(False))))
    assert document["feedback"] == {}


def test_saying_nothing_takes_the_case_out():
    book = put(put(ReviewBook(), "a", Opinion(False, "no")), "a", Opinion())
    document = yaml.safe_load(review_text(book))
    assert document["verdicts"] == document["feedback"] == {}
    assert document["reviewed_cases"] == 0


def test_a_field_that_somebody_else_put_beside_a_verdict_stays():
    source = b"verdicts: {a: {pass: true, severity: high}}"
    book = put(read_review(source, ""), "a", Opinion(False))
    assert yaml.safe_load(review_text(book))["verdicts"]["a"]["severity"] == "high"


@pytest.mark.parametrize("source", [b"a: [", b"- a", b"verdicts: [a]", b"feedback: text"])
def test_what_is_no_review_is_refused_with_its_place(source: bytes):
    with pytest.raises(UnreadableReview, match=r"run/review\.yaml"):
        read_review(source, "run/review.yaml")


def test_agreement_counts_only_cases_of_which_both_say_pass_or_fail():
    judges = [check("strict"), Judge("scored", "check", score_range=(1.0, 5.0))]
    driver = FakeDriver(ran("a", "b", "c", "d"), judges)
    for case, value in (("a", True), ("b", False), ("c", True)):
        driver.put(case, "strict", measured(value))
    driver.put("d", "strict", Unmeasured(Reason.GRADER_ERROR, "x"))
    driver.put("a", "scored", measured(2))
    driver.put("b", "scored", Measured(2, passed=False))
    opinions = {case: Opinion(True) for case in "abd"} | {"c": Opinion(None, "hm")}
    book = ReviewBook(opinions)
    strict = agreement(driver.grid, "strict", book)
    assert (strict.compared, strict.differing) == (2, ("b",))
    assert agreement_words(strict) == "disagrees with you on 1 of 2"
    assert agreement(driver.grid, "scored", book).compared == 1
    assert disagreements(driver.grid, book) == (CellKey("b", "strict"), CellKey("b", "scored"))
    assert agreement_words(agreement(driver.grid, "strict", ReviewBook())) == ""
