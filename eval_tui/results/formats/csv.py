"""CSV: one row per cell, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from eval_tui.results.formats.plain import (
    Plain,
    cells_of,
    cut,
    groups_of,
    plain,
    reason_of,
    reward_note,
    rewards_of,
)
from eval_tui.results.report import Report
from eval_tui.results.reward_words import UNDEFINED

HEADER = (
    "eval", "run", "case", "judge", "status", "value", "pass", "label", "reason", "text",
    "recorded", "stale", "waiting", "baseline", "change", "before", "reward", "reward_note",
)  # fmt: skip

MOST = 32_000
"""Characters of a text: a cell of a spreadsheet holds 32,767."""

_FORMULA = ("=", "+", "-", "@", "\t", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings that a spreadsheet takes for a formula."""


def to_csv(report: Report) -> str:
    """A header and a row for each cell; cases that did not run have one row, without a judge.

    The reward is that of the case, in each of its rows.

    Text that a spreadsheet would run has a `'` before it.
    """
    document = report.document
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(HEADER)
    writer.writerows(_rows(document))
    return file.getvalue().removesuffix("\n")


def _rows(document: Plain) -> Iterator[list[str]]:
    first = [_text(document["eval"]), _text(document["run"])]
    changes = groups_of(document)
    baseline = _text(document.get("comparison", {}).get("baseline", ""))
    rewards = {case: _reward(one) for case, one in rewards_of(document).items()}
    for case, judge, cell in cells_of(document):
        change = changes.get(case, {}).get(judge, {})
        before = change.get("before", {})
        yield [
            *first,
            _text(case),
            _text(judge),
            cell["status"],
            _bare(cell.get("value")),
            _bare(cell.get("pass")),
            _text(cell.get("label") or ""),
            cell.get("reason", ""),
            _text(reason_of(cell)),
            _bare(cell.get("recorded")),
            _bare(cell.get("stale")),
            cell.get("waiting", ""),
            baseline,
            change.get("group", ""),
            _bare(before.get("value", before.get("reason"))),
            *rewards.get(case, ("", "")),
        ]
    for case in document["not_run"]:
        yield [*first, _text(case), "", "not_run", *[""] * (len(HEADER) - 5)]


def _reward(reward: Plain) -> tuple[str, str]:
    """A case's reward, and what is to be known about it; one that is undefined is no number."""
    value = reward["value"]
    return UNDEFINED if value is None else _bare(value), _text(reward_note(reward))


def _bare(value: object) -> str:
    """A value of ours: `true`, `3.5`, or nothing."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(text: str) -> str:
    """Text from outside as a spreadsheet may have it."""
    shown = cut(plain(text), MOST)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) or shown[:1] == "\t" else shown
