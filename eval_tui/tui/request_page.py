"""The page of what a model would be asked: what that takes, what is new in it, and all of it."""

from __future__ import annotations

from eval_tui.engine.dryrun import DryRun
from eval_tui.tui.costs import takes
from eval_tui.tui.diff import write_diff
from eval_tui.tui.document import Document, Writer


def request_page(dry: DryRun) -> Document:
    """A request that is not sent. Copying gives its text alone."""
    writer = Writer()
    writer.text(_what_happens(dry))
    if dry.estimate != dry.whole:
        writer.text(f"One answer to it takes {takes(dry.whole)}.", "dim")
    _write_changes(writer, dry)
    writer.heading("The request")
    for line in dry.text.rstrip("\n").split("\n"):
        is_head = line.startswith("--- ") and line.endswith(" ---")
        writer.text(line, "label" if is_head else None)
    return writer.done(dry.text)


def _what_happens(dry: DryRun) -> str:
    if not dry.estimate.calls:
        if dry.before == "same":
            return "Nothing would be sent: the verdict in view was given for exactly this request."
        return "Nothing would be sent: this was asked before, and the answer was kept."
    return f"Not sent. Asking now takes {takes(dry.estimate)}."


def _write_changes(writer: Writer, dry: DryRun) -> None:
    if dry.before == "recorded":
        writer.text("What the recorded verdict was given for is not known.", "dim")
    elif dry.before == "other" and dry.diff is None:
        writer.text("The verdict in view was given for another request, which was not kept.", "dim")
    elif dry.before == "other" and dry.diff is not None:
        writer.heading("What is new since the verdict in view")
        write_diff(writer, dry.diff)
