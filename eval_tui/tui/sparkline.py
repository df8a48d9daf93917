"""A row of numbers as a small plot, one cell for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BARS: Final = "▁▂▃▄▅▆▇█"
ASCII_BARS: Final = "_.-=+*%#"


def sparkline(values: Sequence[float | None], low: float, high: float, bars: str = BARS) -> str:
    """The values on a scale; one that is not known is a gap, one off the scale at its end."""
    return "".join(" " if value is None else _bar(value, low, high, bars) for value in values)


def _bar(value: float, low: float, high: float, bars: str) -> str:
    if high <= low:
        return bars[0]
    place = (min(max(value, low), high) - low) / (high - low)
    return bars[min(len(bars) - 1, int(place * len(bars)))]
