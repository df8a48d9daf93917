"""The reason page of two runs: each side with a head that says which run it is, and its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellKey, CellState, Detail
from eval_tui.scores import Measured, Score, pass_of, same_value
from eval_tui.tui.document import Document, Span, Writer
from eval_tui.tui.marks import Glyphs, mark, score_words, sign_of
from eval_tui.tui.pages import TONES, reason_page

JUDGED_SINCE = (
    "This value is kept, but its reason is not any more: that run was judged again since."
)
LOADING = "Looking up the reason."
CUT: Final = 80
"""Words that are kept with a value may be cut from this length on."""


def then_page(
    key: CellKey,
    judge: Judge,
    glyphs: Glyphs,
    run: str,
    kept: Score | None,
    told: Iterable[Score],
    loading: bool = False,
) -> Document:
    """The reason in the other run.

    `kept` is what is compared with, its words perhaps cut; `told` is what may be all of it.
    """
    if kept is None:
        body = Writer().text("Nothing is known of this judge in that run.", "dim").done("")
    elif whole := _whole(kept, told):
        known = Detail(key, Cell(CellState.FRESH, whole), whole)
        body = reason_page(known, replace(judge, description=""), glyphs)
    else:
        body = Writer().text(LOADING if loading else JUDGED_SINCE, "dim").done("")
    return under("then", run, kept, judge, glyphs, body)


def _whole(kept: Score, told: Iterable[Score]) -> Score | None:
    """The score with all of its words; None where only their beginning is known."""
    begins = _words(kept)
    for score in told:
        if same_value(kept, score) and _words(score).startswith(begins):
            return score
    return kept if len(begins) < CUT else None


def _words(score: Score) -> str:
    return score.rationale if isinstance(score, Measured) else score.detail


def under(
    word: str, run: str, score: Score | None, judge: Judge, glyphs: Glyphs, body: Document
) -> Document:
    """A page below a head: which run it is about, and the verdict there.

    Copying gives what the page alone does.
    """
    writer = Writer().text(f"{word} {glyphs.dot} {run}", "heading")
    if score is not None:
        sign = sign_of(score, mark(Cell(CellState.FRESH, score), judge, glyphs), glyphs)
        writer.text(f"{sign}{score_words(score, judge)}", TONES[pass_of(score)])
    head = writer.blank().done()
    spans: Mapping[int, tuple[Span, ...]] = {
        line + len(head.lines): of for line, of in body.spans.items()
    }
    return Document([*head.lines, *body.lines], {**head.spans, **spans}, body.raw)
