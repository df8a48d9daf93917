"""The sentences about one cell, as the grid's preview and the clipboard have them: pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellState, Detail, Row
from eval_tui.results.parts import part_cell, part_score
from eval_tui.scores import Measured, Score, Unmeasured
from eval_tui.tui.marks import Glyphs, mark, score_words, sign_of, state_words
from eval_tui.tui.text import clean, content, fit, one_line, shorten
from eval_tui.tui.words import LOOK_STYLES, ago, seconds, trigger_words

NAME_MOST: Final = 30
"""Cells that the name of a part takes at most in front of its mark."""

PREVIEW_CHARS: Final = 4_000
"""Characters of a rationale that the preview shows; the case screen shows all of it."""


def preview(
    detail: Detail | None, judge: Judge | None, row: Row | None, glyphs: Glyphs, part: str = ""
) -> Content:
    """What the preview pane says about the cell under the cursor, or a `part` of it."""
    if detail is None or judge is None:
        return Content("")
    detail = part_detail(detail, part)
    parts: list[Content] = [_head(detail, judge, glyphs, part)]
    if row is not None and row.status == "not_run":
        parts.append(
            Content.styled(
                "The agent has not run on this case, so there is nothing to judge.", "$skip"
            )
        )
        return Content("\n").join(parts)
    state = state_words(detail.cell)
    if state and detail.score is not None:
        parts.append(Content.styled(state, "$recorded" if detail.cell.recorded else "$stale"))
    parts.extend(content(note, "$unmeasured") for note in (row.notes if row else ()))
    hint = waiting_hint(detail.cell, judge)
    if hint:
        parts += [Content(""), content(hint)]
    text = reason_text(detail)
    if text:
        parts += [Content(""), content(shorten(clean(text), PREVIEW_CHARS, glyphs.ellipsis))]
    if detail.score is not None and detail.score.parts:
        parts += [Content(""), *_part_lines(detail.score.parts, judge, glyphs)]
    origin = origin_words(detail)
    if origin:
        parts += [Content(""), content(origin, "$skip")]
    return Content("\n").join(parts)


def part_detail(detail: Detail, part: str) -> Detail:
    """What is known of one part of a cell; without a part of all of it."""
    if not part:
        return detail
    return replace(detail, cell=part_cell(detail.cell, part), score=part_score(detail.score, part))


def _part_lines(scores: Mapping[str, Score], judge: Judge, glyphs: Glyphs) -> Iterator[Content]:
    """Each part of a score with its mark."""
    width = min(NAME_MOST, max(cell_len(one_line(name)) for name in scores))
    for name, score in scores.items():
        shown = mark(Cell(CellState.FRESH, score), judge, glyphs)
        label = content(fit(one_line(name), width, ellipsis=glyphs.ellipsis) + "  ")
        value = content(f"{shown.field} {shown.suffix}".strip(), LOOK_STYLES[shown.look])
        yield Content.assemble(label, value)


def waiting_hint(cell: Cell, judge: Judge) -> str:
    """What a cell that waits is waiting for, and what to press; empty for others."""
    if cell.state is not CellState.WAITING:
        return ""
    match cell.waiting or "off":
        case "money":
            asking = "Running an agent" if judge.kind == "agent" else "Asking a model"
            return f"{asking} costs money, so it is not done by itself. $ runs what waits."
        case "paused":
            return "Work is paused. p goes on with it."
        case "cancelled":
            return "It was cancelled. r runs it."
        case "secret":
            return (
                "This verdict was given before something that it rests on changed; the why tab"
                " says what. The model can be asked again once there is an API key."
            )
        case "off" if judge.asks_model and cell.score is not None:
            return (
                "This verdict was given before something that it rests on changed; the why tab"
                " says what. Asking the model again costs money, so that is not done by itself."
            )
        case "off" if judge.asks_model:
            return "This judge asks a model. That costs money, so it is not done by itself."
        case "off" if judge.auto:
            return "Nothing is run here: the project was opened for viewing only."
        case "off":
            return "The config says `auto: false` for this judge. r runs it here, C on every case."


def origin_words(detail: Detail) -> str:
    """Why, when and how long a cell was judged, in a line; empty when it never was. Raw."""
    told = [trigger_words(detail.trigger)] if detail.trigger else []
    if detail.cell.recorded:
        told = []
    elif detail.at is not None and detail.cell.state is CellState.FRESH:
        told.append(("judged " if not told or detail.reused else "") + ago(detail.at))
        if detail.duration_s is not None:
            told.append(f"took {seconds(detail.duration_s)}")
        if detail.reused:
            told.append("still valid")
    return ", ".join(told)


def _head(detail: Detail, judge: Judge, glyphs: Glyphs, part: str) -> Content:
    cell = Cell(detail.cell.state, detail.score, detail.cell.recorded, detail.cell.waiting)
    shown = mark(cell, judge, glyphs)
    style = LOOK_STYLES[shown.look]
    sign = sign_of(cell.score, shown, glyphs)
    words = state_words(cell) if cell.score is None else score_words(cell.score, judge)
    return Content.assemble(
        content(one_line(detail.key.case), "bold"),
        Content.styled(f" {glyphs.dot} ", "$skip"),
        content(one_line(judge.name), "bold"),
        Content.styled(f" {glyphs.dot} ", "$skip") if part else "",
        content(one_line(part), "bold"),
        "\n",
        content((sign + words).strip(), style),
    )


def reason_text(detail: Detail) -> str:
    """The rationale of a cell, or why it has no value. Raw."""
    match detail.score:
        case Measured(rationale=rationale):
            return rationale
        case Unmeasured(detail=why):
            return why
        case None:
            return ""


def copied_text(detail: Detail, judge: Judge, part: str = "") -> str:
    """What copying a cell, or a part of it, puts on the clipboard. Raw."""
    detail = part_detail(detail, part)
    names = [detail.key.case, detail.key.judge, *([part] if part else [])]
    lines = [" / ".join(names), score_words(detail.score, judge)]
    text = reason_text(detail)
    return "\n".join([*lines, "", text] if text else lines) + "\n"
