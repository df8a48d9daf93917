"""The pages of the case screen that are plain text: what is known about a cell, put in words."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Final, assert_never

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import CaseView, Cell, CellState, Detail, Read
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured, pass_of, same_value
from eval_tui.tui.cell_words import waiting_hint
from eval_tui.tui.costs import paid_fields
from eval_tui.tui.document import Document, SpanStyle, Writer, without_colours
from eval_tui.tui.marks import (
    REASON_WORDS,
    Glyphs,
    score_words,
    state_words,
    whole_number,
    winner_words,
)
from eval_tui.tui.samples import histogram
from eval_tui.tui.trace_text import as_text
from eval_tui.tui.words import seconds, trigger_words

EXPLAINED: Final[Mapping[Reason, str]] = {
    Reason.GRADER_ERROR: (
        "The judge did not finish: it raised, crashed, ran out of time or answered something that "
        "cannot be read. This says nothing about the case."
    ),
    Reason.MISSING_EVIDENCE: (
        "The judge needs something that this case does not have, such as a cost, a tool trace or "
        "an output. A guess would not be a measurement."
    ),
    Reason.MISSING_SECRET: (
        "The judge asks a model, and there is no API key for it, or the key was refused. The cell "
        "is scored as soon as there is one."
    ),
    Reason.UNSUPPORTED: "Nothing here can run this judge, or it cannot be loaded.",
    Reason.POLICY_SKIP: (
        "The case was left out on purpose, by the judge's `if:` or by the judge itself. It counts "
        "neither for nor against."
    ),
    Reason.CONTRACT_VIOLATION: (
        "The judge returned something that is no score, or a number off its own scale. Running it "
        "again would not help; a change of the judge or of what it reads would."
    ),
}
"""Each reason for someone who meets it for the first time."""

RECOVERY_WORDS: Final[Mapping[str, str]] = {
    "config": "a change of the config",
    "code": "a change of the judge's code",
    "evidence": "a change of the case's files",
    "secret": "an API key",
    "review": "a review of what the judge rests on",
}

TONES: Final[Mapping[bool | None, SpanStyle | None]] = {True: "good", False: "bad", None: None}


def moment(at: float) -> str:
    """Seconds since the epoch as local time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    except (OverflowError, OSError, ValueError):
        return f"{at!r} seconds since 1970"


# Reason ----------------------------------------------------------------------------------------


def reason_page(detail: Detail, judge: Judge, glyphs: Glyphs) -> Document:
    """Why the cell has the value that it has, or none. Copying gives the author's words alone."""
    writer = Writer()
    score = detail.score
    hint = waiting_hint(detail.cell, judge)
    match score:
        case None:
            writer.text(_no_score_words(detail.cell))
            if hint:
                writer.blank().text(hint)
        case Measured():
            _write_measured(writer, score, judge, glyphs)
        case Unmeasured():
            _write_unmeasured(writer, score, here=not detail.origin)
            _write_parts(writer, score, judge)
        case _:
            assert_never(score)
    _write_recorded(writer, detail, judge)
    if hint and score is not None:
        writer.heading("Why it waits").text(hint)
    if judge.description:
        writer.heading("What this judge looks at").text(judge.description)
    raw = score.rationale if isinstance(score, Measured) and not score.parts else None
    if isinstance(score, Unmeasured):
        raw = score.detail + (f"\n{score.traceback}" if score.traceback else "")
    return writer.done(raw or None)


def _no_score_words(cell: Cell) -> str:
    if cell.state is CellState.EMPTY:
        return "There is no score: the case did not run, or what was recorded of it has none."
    return f"There is no value yet: {state_words(cell) or 'nothing was computed'}."


def _write_measured(writer: Writer, score: Measured, judge: Judge, glyphs: Glyphs) -> None:
    if score.rationale.strip():
        writer.text(score.rationale)
    else:
        writer.text("The judge gave no reason.", "dim")
    if score.label:
        writer.blank().field("winner" if judge.compares else "label", score.label)
    _write_parts(writer, score, judge)
    if score.samples:
        writer.heading(f"{len(score.samples)} samples")
        writer.items(histogram(score.samples, judge, glyphs)).blank()
        for number, sample in enumerate(score.samples, 1):
            if sample.value is None:
                writer.field(f"{number}", f"no answer: {sample.error or 'no reason given'}", "bad")
            else:
                told = winner_words if judge.compares else value_text
                writer.field(f"{number}", told(sample.value))
            if sample.rationale:
                writer.text(sample.rationale, indent=2)


def _write_parts(writer: Writer, score: Score, judge: Judge) -> None:
    """Each part with its own reason; the parts of a judge are its criteria."""
    if score.parts:
        writer.heading("Criteria" if judge.criteria else "Parts")
        for name, part in score.parts.items():
            words = score_words(part, judge)
            if isinstance(part, Measured) and part.samples:
                words += f" (samples: {', '.join(map(_sample_text, part.samples))})"
            writer.field(name, words, _tone(part))
            more = part.detail if isinstance(part, Unmeasured) else part.rationale
            if more:
                writer.text(more, indent=2)


def _sample_text(sample: Sample) -> str:
    return "none" if sample.value is None else value_text(sample.value)


def _write_unmeasured(writer: Writer, score: Unmeasured, here: bool) -> None:
    """`here`: it could be judged again here."""
    style: SpanStyle = "dim" if score.reason is Reason.POLICY_SKIP else "warn"
    words = REASON_WORDS[score.reason]
    writer.text(f"{words[:1].upper()}{words[1:]} ({score.reason.value}).", style)
    writer.blank().text(score.detail or "No value and no reason recorded.").blank()
    if score.traceback:
        writer.heading("Where").text(score.traceback)
    writer.heading("What this means").text(EXPLAINED[score.reason])
    if score.attempts > 1:
        writer.field("attempts", str(score.attempts))
    helps = [RECOVERY_WORDS.get(change, change) for change in sorted(score.recover_on)]
    if score.retryable and here:
        helps.insert(0, "trying again (r)")
    if helps:
        writer.field("what could help", ", ".join(helps))


def _write_recorded(writer: Writer, detail: Detail, judge: Judge) -> None:
    """The value that the run's summary holds, where it is not the one in view."""
    recorded = detail.recorded
    if detail.cell.recorded:
        writer.blank().text("Recorded in the run's summary.yaml, not recomputed here.", "dim")
    elif recorded is not None and detail.score is not None:
        if same_value(recorded, detail.score):
            writer.blank().text("The run's summary.yaml records the same.", "dim")
        else:
            writer.heading("The run's summary.yaml records something else")
            writer.field("recorded", _score_line(recorded, judge), _tone(recorded))
            writer.field("computed here", score_words(detail.score, judge), _tone(detail.score))


def value_text(value: bool | int | float) -> str:
    """A value as such."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return whole_number(value)


def _score_line(score: Score, judge: Judge) -> str:
    words = score_words(score, judge)
    more = score.detail if isinstance(score, Unmeasured) else score.rationale
    return f"{words}\n{more}" if more else words


def _tone(score: Score) -> SpanStyle | None:
    if isinstance(score, Unmeasured):
        return "warn"
    return TONES[pass_of(score)]


# Why -------------------------------------------------------------------------------------------


def why_page(detail: Detail, judge: Judge, _: Glyphs) -> Document:
    """How the value came about: what was read, what changed, when it ran, what it printed."""
    writer = Writer()
    if detail.origin:
        return writer.heading("Where it comes from").items(detail.origin).done()
    writer.field("state", state_words(detail.cell) or "in force: its inputs are as they were")
    recorded = detail.cell.recorded
    if detail.trigger:
        label = "last looked at" if recorded else "why it ran"
        writer.field(label, trigger_words(detail.trigger))
    if detail.at is not None:
        writer.field("first seen" if recorded else "when", moment(detail.at))
    if detail.duration_s is not None:
        writer.field("how long", seconds(detail.duration_s))
    if detail.reused:
        writer.field("reused", "computed earlier for the same inputs, and taken from the store")
    if judge.condition is not None:
        writer.field("if", str(judge.condition))
    if detail.paid is not None:
        writer.heading("What asking took")
        for label, value in paid_fields(detail.paid):
            writer.field(label, value)
    if detail.opaque:
        writer.heading("Not all of its inputs can be known, so any change of its case reruns it")
        writer.items(detail.opaque, "warn")
    if detail.notes:
        writer.heading("Noticed while it ran").items(detail.notes, "warn")
    title = "What it rests on" if recorded else "What it read"
    _write_reads(writer, title, detail.reads, "Nothing of the case.")
    if detail.condition_reads:
        _write_reads(writer, "What its `if:` read", detail.condition_reads, "")
    if recorded and not detail.output:
        return writer.done()
    writer.heading("What it printed")
    writer.text(without_colours(detail.output) or "Nothing.", None if detail.output else "dim")
    return writer.done()


def _write_reads(writer: Writer, title: str, reads: Iterable[Read], none: str) -> None:
    known = sorted(reads, key=lambda read: not read.changed)
    if not known:
        if none:
            writer.heading(title).text(none, "dim")
        return
    changed = sum(read.changed for read in known)
    writer.heading(f"{title} ({changed} changed)" if changed else title)
    for read in known:
        writer.text(
            f"{'* ' if read.changed else '  '}{read.what}", "changed" if read.changed else None
        )


def history_page(detail: Detail, judge: Judge, _: Glyphs) -> Document:
    """Older results of the cell, newest first."""
    writer = Writer()
    for past in sorted(detail.history, key=lambda past: -past.at):
        writer.heading(moment(past.at))
        writer.text(_score_line(past.score, judge), _tone(past.score))
    return writer.done()


# The case --------------------------------------------------------------------------------------


def inputs_page(view: CaseView) -> Document:
    """The case's input and its annotations, as they are on disk."""
    writer = Writer()
    writer.heading("Input").text(view.input_path or "(no input.yaml)", "dim")
    writer.text(view.inputs or "(empty)", None if view.inputs else "dim")
    writer.heading("Annotations").text(view.annotations_path or "(no annotations.yaml)", "dim")
    writer.text(view.annotations or "(empty)", None if view.annotations else "dim")
    return writer.done()


def logs_page(view: CaseView) -> Document:
    """What the agent's run wrote, its figures, and what could not be read."""
    writer = Writer()
    if view.notes:
        writer.heading("Noticed while reading this case").items(view.notes, "warn")
    if view.metrics:
        writer.heading("Metrics")
        for name, value in view.metrics.items():
            writer.field(name, "n/a" if value is None else as_text(value))
    for title, text in (("stderr", view.stderr), ("stdout", view.stdout)):
        writer.heading(title)
        writer.text(without_colours(text) or "(empty)", None if text else "dim")
    return writer.done()
