"""The person's opinion of a case beside what the judges say: sentences and marks. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from eval_tui.engine.grid import EMPTY_CELL, Grid
from eval_tui.results.review import (
    NO_OPINION,
    Agreement,
    Opinion,
    ReviewBook,
    agreement,
    agreement_words,
)
from eval_tui.scores import Score, pass_of
from eval_tui.tui.cell_words import NAME_MOST
from eval_tui.tui.document import Document, SpanStyle, Writer
from eval_tui.tui.layout import Head, lanes
from eval_tui.tui.marks import Glyphs, Look, mark, score_words, sign_of, state_words
from eval_tui.tui.text import content, one_line
from eval_tui.tui.words import LOOK_STYLES

WORDS: Final[dict[bool | None, str]] = {True: "passed", False: "failed", None: "no verdict"}
_LOOKS: Final[dict[bool | None, Look]] = {True: "pass", False: "fail", None: "skip"}
_TONES: Final[dict[bool | None, SpanStyle]] = {True: "good", False: "bad", None: "dim"}


def opinion_line(
    opinion: Opinion, score: Score | None, glyphs: Glyphs, found: Agreement | None = None
) -> Content | None:
    """`you ✗ failed, this judge passed it: the comment`; None where the person said nothing.

    `found`: how the judge and the person agree on all cases.
    """
    if opinion.same(NO_OPINION):
        return None
    theirs, mine = pass_of(score), opinion.passed
    beside = ""
    if mine is not None and theirs is not None:
        beside = ", so did this judge" if mine is theirs else f", this judge {WORDS[theirs]} it"
    whole = agreement_words(found) if found is not None else ""
    return Content.assemble(
        Content.styled("you ", "$skip"),
        content(_words(opinion, glyphs), LOOK_STYLES[_LOOKS[mine]]),
        Content.styled(beside, "$stale" if mine is not theirs else "$skip"),
        Content.styled(f" ({whole})" if whole else "", "$skip"),
        content(f": {one_line(opinion.comment)}" if opinion.comment else ""),
    )


def with_opinion(text: Content, line: Content | None) -> Content:
    """A text about a cell below the line about the person's opinion."""
    return text if line is None else Content("\n").join([line, text])


def with_agreement(
    heads: Sequence[Head], grid: Grid, book: ReviewBook, glyphs: Glyphs
) -> tuple[Head, ...]:
    """Heads that say how often the judge says something else than the person."""
    if not book.opinions:
        return tuple(heads)
    return tuple(_agreeing(heads, grid, book, glyphs))


def _agreeing(
    heads: Sequence[Head], grid: Grid, book: ReviewBook, glyphs: Glyphs
) -> Iterator[Head]:
    for judge, head in lanes(grid.columns, heads):
        found = agreement(grid, judge.name, book)
        if head.part or not found.compared:
            yield head
        else:
            told = f"{glyphs.differs}you {len(found.differing):,}/{found.compared:,}"
            brief = (*head.brief, told) if head.brief else ()
            yield replace(head, summary=(*head.summary, told), brief=brief)


def judges_page(grid: Grid, case: str, book: ReviewBook, glyphs: Glyphs) -> Document:
    """What every judge says of a case, each with how it agrees with the person."""
    writer = Writer()
    widest = min(max((cell_len(judge.name) for judge in grid.columns), default=0), NAME_MOST)
    for judge in grid.columns:
        cell = grid.cell(case, judge.name)
        if cell == EMPTY_CELL:
            continue
        shown = mark(cell, judge, glyphs)
        words = sign_of(cell.score, shown, glyphs) + score_words(cell.score, judge)
        value = words.strip() if cell.score is not None else state_words(cell)
        told = agreement_words(agreement(grid, judge.name, book))
        gap = " " * max(widest - cell_len(judge.name), 0)
        writer.field(judge.name, gap + value, _TONES[pass_of(cell.score)])
        if told:
            writer.text(told, "dim", indent=2)
    return writer.done()


def theirs_words(opinion: Opinion) -> str:
    """What somebody else wrote of a case, as part of a question. Raw."""
    if opinion.same(NO_OPINION):
        return "nothing"
    said = WORDS[opinion.passed]
    return f"{said}: {opinion.comment}" if opinion.comment else said


def _words(opinion: Opinion, glyphs: Glyphs) -> str:
    sign = {True: f"{glyphs.passed} ", False: f"{glyphs.failed} ", None: ""}
    return sign[opinion.passed] + WORDS[opinion.passed]
