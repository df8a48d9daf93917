"""How the samples of a score lie on its judge's scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from eval_tui.config.schema import Judge
from eval_tui.scores import Sample
from eval_tui.tui.marks import SHADES, Glyphs, number, scale_of, winner_words

MOST_STEPS: Final = 11
"""Values of a whole-numbered scale up to which each has a line of its own."""
LONGEST: Final = 40
"""Cells of the longest bar; beyond it bars are drawn to scale."""


def histogram(samples: Sequence[Sample], judge: Judge, glyphs: Glyphs) -> list[str]:
    """One line for each place on the scale, from its high end to its low: label, bar and count."""
    values = [sample.value for sample in samples if sample.value is not None]
    if all(isinstance(value, bool) for value in values):
        counts = [("passed", values.count(True)), ("failed", values.count(False))]
    elif judge.compares:
        counts = [(winner_words(value), values.count(value)) for value in (1, 0, -1)]
    else:
        counts = _places(values, judge)
    missing = len(samples) - len(values)
    counts += [("no answer", missing)] if missing else []
    width = max(cell_len(label) for label, _ in counts)
    unit = max(1.0, max(count for _, count in counts) / LONGEST)
    bars = [
        glyphs.bar * max(1, round(count / unit)) + f" {count}" if count else glyphs.dot
        for _, count in counts
    ]
    return [f"{label:>{width}} {bar}" for (label, _), bar in zip(counts, bars, strict=True)]


def _places(values: Sequence[bool | int | float], judge: Judge) -> list[tuple[str, int]]:
    """(label, how many) for each step of the scale; values beyond it have lines of their own."""
    low, high = scale_of(judge)
    inside = [value for value in values if low <= value <= high]
    beyond = Counter(number(value) for value in values if not low <= value <= high)
    steps = [low + step for step in range(int(high - low) + 1)]
    if high - low < MOST_STEPS and low == int(low) and all(v == int(v) for v in inside):
        found = Counter(float(value) for value in inside)
        counts = [(number(int(step)), found[step]) for step in reversed(steps)]
    else:
        size = (high - low) / SHADES
        bins = Counter(min(SHADES - 1, int((value - low) / size)) for value in inside)
        counts = [
            (f"{number(low + at * size)} to {number(low + (at + 1) * size)}", bins[at])
            for at in reversed(range(SHADES))
        ]
    return counts + sorted(beyond.items())
