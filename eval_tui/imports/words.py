"""Sentences about an opened document."""

from __future__ import annotations

from collections.abc import Iterator

from eval_tui.engine.grid import CellKey
from eval_tui.imports.opened import Opened
from eval_tui.imports.plain import path_words
from eval_tui.results.words import count

RESOLUTION_WORDS = {
    "resolved": "",
    "legacy_default": " (the oldest, as the document is not stamped)",
    "unresolvable": " (policy not available)",
}


def policy_words(opened: Opened) -> str:
    """`policy composed@24f1ca6a23e8`, and whether it is known."""
    stamp = opened.ruling.stamp
    if not stamp.id:
        return "policy not recorded"
    return f"policy {stamp.id}@{stamp.version}{RESOLUTION_WORDS[opened.ruling.resolution]}"


def banner_words(opened: Opened) -> str:
    """What one should know of the document before trusting it; mostly nothing."""
    warnings = len(opened.problems)
    more = [f"{count(warnings, 'problem')} (P)"] if warnings else []
    return "; ".join([*opened.document.notes, *more])


def sources_of(opened: Opened, key: CellKey) -> Iterator[str]:
    """Where a cell's scores stand in the document."""
    for entry in opened.entries[key.case]:
        if opened.titles[entry.address] == key.judge:
            yield f"{path_words(entry.at)}: metric {entry.row.metric}, by {entry.row.producer}"
