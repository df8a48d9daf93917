"""A run beside its baseline, in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from eval_tui.engine.grid import Cell
from eval_tui.results.compare import CHANGED, GROUP_WORDS, Comparison, JudgeChange
from eval_tui.results.noise import chance_words, noise_note, trial_words
from eval_tui.results.words import NUMBER, RATE, count, told_apart, value_words

LISTED = 10
"""Cells of a group that are listed in the table."""


def comparison_headline(found: Comparison) -> str:
    """E.g. `r2 beside r1: 40 cells measured in both · 2 pass → fail · 1 fail → pass`."""
    told = [f"{found.run} beside {found.beside}"]
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
            yield f"  {judge.judge}: {moved_words(judge)}"
        for part in judge.parts:
            if part.shared and part.was != part.now:
                yield f"    {judge.judge} › {part.judge}: {moved_words(part)}"
    yield from (f"  {note}" for note in noise_note(found))
    for group in CHANGED:
        cells = found.group(group)
        if cells:
            yield f"  {GROUP_WORDS[group]}"
        for cell in cells[:LISTED]:
            yield f"    {cell.case} · {cell.judge}: {turn_words(cell.before, cell.after)}"
        if len(cells) > LISTED:
            yield f"    and {len(cells) - LISTED:,} more"
    if found.parts:
        yield "  parts of scores"
        for line in part_lines(found):
            yield f"    {line}"
    broke = [one for one in found.verdicts if one.change == "broke"]
    if broke:
        yield "  verdicts that turned from passed to failed"
        for one in broke[:LISTED]:
            yield f"    {one.case}" + " (critical)" * one.critical + " (flaky)" * one.flaky
        if len(broke) > LISTED:
            yield f"    and {len(broke) - LISTED:,} more"
    if found.trials:
        yield "  trials"
        for one in found.trials:
            yield f"    {one.case}: {trial_words(one)}"
    for cases, where in ((found.new_cases, found.run), (found.gone_cases, found.beside)):
        if cases:
            yield f"  only in {where}: {count(len(cases), 'case')}"


def figures_words(judge: JudgeChange) -> str:
    """E.g. `90% → 80% over 10 cells`, those that both sides measured; empty without any."""
    if not judge.shared:
        return ""
    if judge.was == judge.now:
        return "no figure to compare" if judge.now is None else "unchanged"
    ways = RATE if judge.is_rate else NUMBER
    if judge.was is None or judge.now is None:
        before, now = ("none" if one is None else ways[0](one) for one in (judge.was, judge.now))
    else:
        before, now = told_apart(judge.was, judge.now, ways)
    return f"{before} → {now} over {count(judge.shared, 'cell')}"


def moved_words(judge: JudgeChange) -> str:
    """The same, and whether chance explains it: `90% → 80% over 10 cells · within the noise (p = 1)`."""
    return " · ".join(filter(None, (figures_words(judge), chance_words(judge))))


def part_lines(found: Comparison) -> Iterator[str]:
    """E.g. `rubric › depth: pass → fail in c1, c2`: a line for each part of a column and group."""
    for (judge, part, group), turned in groupby(
        found.parts, lambda one: (one.judge, one.part, one.group)
    ):
        cases = [one.case for one in turned]
        more = f" and {len(cases) - LISTED:,} more" if len(cases) > LISTED else ""
        yield f"{judge} › {part}: {GROUP_WORDS[group]} in {', '.join(cases[:LISTED])}{more}"


def turn_words(before: Cell, after: Cell) -> str:
    """E.g. `pass → fail`, `4 → error`."""
    return f"{_word(before)} → {_word(after)}"


def _word(cell: Cell) -> str:
    score = cell.score
    if score is None:
        return "nothing"
    label = getattr(score, "label", None)
    return label or value_words(score)
