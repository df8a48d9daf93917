"""Verdicts as the screens show them: their marks, and sentences with colours. Pure functions."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from eval_tui.engine.grid import Grid
from eval_tui.results.critical import CriticalGate, is_critical
from eval_tui.results.verdict_words import CAUSE_HINTS, basis_words, counts_words, verdict_word
from eval_tui.results.verdicts import CaseVerdict, Court
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs, Look, Mark
from eval_tui.tui.text import content, one_line
from eval_tui.tui.words import LOOK_STYLES
from eval_tui.verdicts.counts import VerdictCounts

OPEN: Final = "?"
"""The mark of a case that is not evaluated."""

_LOOKS: Final[dict[bool | None, Look]] = {True: "pass", False: "fail", None: "unmeasured"}


def court_for(driver: Driver, before: Court | None) -> Court | None:
    """Who gives verdicts under the rules in force; None without a config."""
    book = driver.authority.rulebook if driver.config is not None else None
    if book is None:
        return None
    return before if before is not None and before.rulebook is book else Court(book)


def verdict_mark(one: CaseVerdict, glyphs: Glyphs) -> Mark:
    """The mark of a verdict, as of a cell: an old one is dimmed and has the mark of old values."""
    fields = {True: glyphs.passed, False: glyphs.failed, None: OPEN}
    value = one.verdict.value
    suffix = glyphs.stale if one.stale else ""
    return Mark(fields[value], suffix, _LOOKS[value], dim=one.stale)


def verdict_line(one: CaseVerdict, glyphs: Glyphs, critical: bool = False) -> Content:
    """`verdict ✗ failed, by ground truth: quality`; for an open one why, and what to do."""
    shown, verdict = verdict_mark(one, glyphs), one.verdict
    words = f"{shown.field}{shown.suffix} {verdict_word(verdict)}"
    hint = CAUSE_HINTS.get(verdict.cause, "") if verdict.cause else ""
    basis = basis_words(verdict) + (f"; {hint}" if hint else "")
    return Content.assemble(
        Content.styled("critical case, verdict " if critical else "verdict ", "$skip"),
        content(words, LOOK_STYLES[shown.look]),
        content(one_line(f", {basis}"), "$skip"),
    )


def case_line(court: Court | None, grid: Grid, case: str, glyphs: Glyphs) -> Content | None:
    """The line about a case's verdict; None where there are none, or where it did not run."""
    row = next((row for row in grid.rows if row.case == case), None) if court else None
    if court is None or row is None or row.status == "not_run":
        return None
    critical = is_critical(case, court.rulebook.critical_cases)
    return verdict_line(court.verdict(grid, case), glyphs, critical)


def critical_line(gate: CriticalGate, glyphs: Glyphs) -> str:
    """What became of the critical cases, as of a threshold: `✗ 1/3 critical`, those that pass."""
    sign = {"pass": glyphs.passed, "fail": glyphs.failed}.get(gate.state, OPEN)
    passed = len(gate.passed)
    every = passed + len(gate.failed) + len(gate.open) + len(gate.absent)
    return f"{sign} {passed:,}/{every:,} critical"


def counts_line(counts: VerdictCounts, stale: int, glyphs: Glyphs, short: bool) -> str:
    """`41 passed, 9 failed, 50 not evaluated`, or `41✓ 9✗ 50?` where room is scarce."""
    if not short:
        return counts_words(counts, stale)
    marks = (
        (counts.passed, glyphs.passed),
        (counts.failed, glyphs.failed),
        (counts.not_evaluated, OPEN),
    )
    return " ".join(f"{number:,}{sign}" for number, sign in marks) + glyphs.stale * bool(stale)
