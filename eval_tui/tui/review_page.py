"""A declaration of ground truth to be reviewed: what it says, what changed, what accepting it does."""

from __future__ import annotations

from eval_tui.engine.authority import STATE_WORDS, Changed
from eval_tui.results.authority_words import changed_lines, effect_words
from eval_tui.results.verdicts import Effect
from eval_tui.tui.document import Document, SpanStyle, Writer
from eval_tui.verdicts.lock import Review


def review_page(one: Review, texts: tuple[Changed, ...], effect: Effect) -> Document:
    """Everything that a person should see before typing the metric's name."""
    writer = Writer()
    tone: SpanStyle = "good" if one.settled else "warn"
    writer.field("state", f"{one.state}: {STATE_WORDS[one.state]}", tone)
    writer.field("grader", one.grader).field("metric", one.metric)
    if one.acceptance is not None:
        writer.field("accepted", f"by {one.acceptance.accepted_by}, {one.acceptance.accepted_at}")
        if one.acceptance.note:
            writer.field("note", one.acceptance.note)
    if one.changed:
        writer.field("changed since", ", ".join(one.changed), "changed")
    if one.declaration is not None and not one.declaration.files:
        writer.field("files", "none that can be seen: only the declaration is pinned", "warn")
    if not one.settled:
        writer.heading("What it does").text(effect_words(effect, one))
    for changed in texts:
        writer.heading(changed.name)
        for line in _without_name(changed):
            writer.text(line, _tone(line))
    return writer.done()


def _without_name(changed: Changed) -> list[str]:
    """The text or its diff; what stands above it says already what it is."""
    lines = list(changed_lines(changed))
    if lines and lines[0].startswith(f"--- {changed.name}: "):
        lines[0] = lines[0].removeprefix(f"--- {changed.name}: ")
        lines[0] = f"({lines[0].rstrip(':')})"
    return lines


def _tone(line: str) -> SpanStyle | None:
    if line.startswith("("):
        return "dim"
    if line.startswith(("+++", "---", "@@")):
        return "label"
    return {"+": "good", "-": "bad"}.get(line[:1])  # type: ignore[return-value]
