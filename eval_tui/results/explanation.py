"""Why a cell has its value, in lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from eval_tui.engine.grid import CellState, Detail
from eval_tui.results.words import count, usd
from eval_tui.scores import Measured


def explanation(detail: Detail) -> Iterator[str]:
    """The lines of `explain`."""
    score = detail.score
    yield f"case      {detail.key.case}"
    yield f"judge     {detail.key.judge}"
    if score is None:
        yield f"value     none ({detail.cell.waiting or detail.cell.state.value})"
    elif isinstance(score, Measured):
        passed = {True: ", passed", False: ", failed", None: ""}[score.passed]
        yield f"value     {score.value}{passed}"
        yield from _block("reason", score.rationale)
    else:
        yield f"unmeasured: {score.reason.value}" + (", can be retried" if score.retryable else "")
        yield from _block("reason", score.detail)
        yield from _block("trace", score.traceback)
    if detail.cell.recorded:
        yield "origin    recorded in summary.yaml, not worked out here"
    elif detail.recorded is not None and detail.recorded != score:
        yield f"recorded  {getattr(detail.recorded, 'value', 'unmeasured')}"
    if detail.cell.state is not CellState.FRESH:
        yield f"state     {detail.cell.state.value}"
    if detail.at is not None:
        when = datetime.fromtimestamp(detail.at).isoformat(" ", "seconds")
        took = f", took {detail.duration_s:.3f} s" if detail.duration_s is not None else ""
        yield f"ran       {when}{took}" + (" (reused)" if detail.reused else "")
    if detail.paid is not None:
        calls = count(detail.paid.calls, "call")
        yield f"asked     {detail.paid.model}, {calls}, {usd(detail.paid.cost)}"
    for words, reads in (("if: read", detail.condition_reads), ("read", detail.reads)):
        for read in reads:
            yield f"{words:<9} {read.what}" + ("  (changed)" if read.changed else "")
    for note in (*detail.opaque, *detail.notes):
        yield f"note      {note}"
    yield from _block("printed", detail.output)


def _block(word: str, text: str) -> Iterator[str]:
    for i, line in enumerate(text.splitlines()):
        yield f"{word if not i else '':<9} {line}"
