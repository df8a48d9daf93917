"""A run beside its baseline, in words."""

from __future__ import annotations

from collections.abc import Iterator

from eval_tui.engine.grid import Cell
from eval_tui.results.compare import CHANGED, GROUP_WORDS, Comparison, JudgeChange
from eval_tui.results.words import count, number, percent, value_words

LISTED = 10
"""Cells of a group that are listed in the table."""


def comparison_headline(found: Comparison) -> str:
    """E.g. `r2 beside r1: 40 cells measured in both · 2 pass → fail · 1 fail → pass`."""
    told = [f"{found.run} beside {found.baseline}"]
    if not found.shared:
        return f"{told[0]}: nothing to compare"
    told[0] += f": {count(found.shared, 'cell')} measured in both"
    counts = found.counts
    changed = [f"{counts[group]:,} {GROUP_WORDS[group]}" for group in CHANGED if group in counts]
    return " · ".join([*told, *(changed or ["no cell changed"])])


def comparison_lines(found: Comparison) -> Iterator[str]:
    """The headline, every judge whose figure moved, and the cells that changed, by group."""
    yield comparison_headline(found)
    for judge in found.judges:
        if judge.shared and judge.was != judge.now:
            yield f"  {judge.judge}: {figures_words(judge)}"
    for group in CHANGED:
        cells = found.group(group)
        if cells:
            yield f"  {GROUP_WORDS[group]}"
        for cell in cells[:LISTED]:
            yield f"    {cell.case} · {cell.judge}: {turn_words(cell.before, cell.after)}"
        if len(cells) > LISTED:
            yield f"    and {len(cells) - LISTED:,} more"
    broke = [one for one in found.verdicts if one.change == "broke"]
    if broke:
        yield "  verdicts that turned from passed to failed"
        for one in broke[:LISTED]:
            yield f"    {one.case}" + (" (flaky)" if one.flaky else "")
        if len(broke) > LISTED:
            yield f"    and {len(broke) - LISTED:,} more"
    for cases, where in ((found.new_cases, found.run), (found.gone_cases, found.baseline)):
        if cases:
            yield f"  only in {where}: {count(len(cases), 'case')}"


def figures_words(judge: JudgeChange) -> str:
    """E.g. `90% → 80% over 10 cells`, those that both sides measured; empty without any."""
    if not judge.shared:
        return ""
    if judge.was == judge.now:
        return "no figure to compare" if judge.now is None else "unchanged"
    shown = percent if judge.is_rate else number
    before, now = ("none" if one is None else shown(one) for one in (judge.was, judge.now))
    return f"{before} → {now} over {count(judge.shared, 'cell')}"


def turn_words(before: Cell, after: Cell) -> str:
    """E.g. `pass → fail`, `4 → error`."""
    return f"{_word(before)} → {_word(after)}"


def _word(cell: Cell) -> str:
    score = cell.score
    if score is None:
        return "nothing"
    label = getattr(score, "label", None)
    return label or value_words(score)
