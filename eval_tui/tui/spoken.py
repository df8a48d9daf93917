"""The preview in whole sentences, for a screen reader: no marks, no columns. Pure functions."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Detail, Row
from eval_tui.results.review import NO_OPINION, ReviewBook
from eval_tui.scores import Unmeasured
from eval_tui.tui.cell_words import (
    PREVIEW_CHARS,
    origin_words,
    part_detail,
    reason_text,
    waiting_hint,
)
from eval_tui.tui.marks import score_words, state_words
from eval_tui.tui.text import clean, content, one_line, shorten

_VERDICTS: Final[dict[bool | None, str]] = {
    True: "Your verdict is passed.",
    False: "Your verdict is failed.",
    None: "You gave no verdict.",
}


def spoken(
    detail: Detail | None,
    judge: Judge | None,
    row: Row | None,
    part: str = "",
    book: ReviewBook | None = None,
) -> Content:
    """Everything that the preview says of a cell, one statement in a line."""
    if detail is None or judge is None:
        return Content("")
    detail = part_detail(detail, part)
    lines = [f"Case {one_line(detail.key.case)}.", f"Judge {one_line(judge.name)}."]
    if part:
        lines.append(f"Part {one_line(part)}.")
    if row is not None and row.status == "not_run":
        return content("\n".join([*lines, "The agent has not run on this case."]))
    if detail.score is not None:
        lines.append(f"Result: {score_words(detail.score, judge)}.")
    if state := state_words(detail.cell):
        lines.append(f"State: {state}.")
    if hint := waiting_hint(detail.cell, judge):
        lines.append(hint)
    if book is not None and not (mine := book.of(detail.key.case)).same(NO_OPINION):
        lines.append(_VERDICTS[mine.passed])
        if mine.comment:
            lines.append(f"Your comment: {clean(mine.comment)}")
    if text := reason_text(detail):
        what = "Detail" if isinstance(detail.score, Unmeasured) else "Reason"
        lines.append(f"{what}: {shorten(clean(text), PREVIEW_CHARS, '...')}")
    if detail.score is not None:
        for name, score in detail.score.parts.items():
            lines.append(f"Part {one_line(name)}: {score_words(score, judge)}.")
    if origin := origin_words(detail):
        lines.append(f"{one_line(origin[:1].upper() + origin[1:])}.")
    return content("\n".join(lines))
