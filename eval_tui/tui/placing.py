"""Where the preview stands: below the grid, beside it, or nowhere. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

COLUMN: Final = 12
"""Cells that a column takes, roughly: what is said here must not change with every value."""
HEADER: Final = 8
"""Lines of the grid's header, roughly."""
BARS: Final = 3
"""Lines of the screen that are neither grid nor preview."""

WIDE: Final = 120
"""From this width on the preview may stand beside the grid."""
VERY_WIDE: Final = 180
"""From this width on it does, even where that hides columns."""
TALL: Final = 20
"""From this height on there is room below the grid."""
ROOMY: Final = 30
"""From this height on there is enough of it to see every column instead."""
SHORT: Final = 14
"""Below this height there is no room for a preview at all."""

BESIDE_LEAST: Final = 42
BESIDE_MOST: Final = 72
BELOW_LEAST: Final = 6
BELOW_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Place:
    """Where the preview stands, and how many cells wide (beside) or lines high (below) it is."""

    where: Literal["beside", "below", "nowhere"]
    size: int = 0


def place(width: int, height: int, cases: int, case_width: int, columns: int) -> Place:
    """The place of the preview on a screen of this size.

    It depends on how many cases and judges there are, never on their values: nothing jumps when a
    value arrives.
    """
    spare = width - case_width - columns * COLUMN
    all_fit = spare >= BESIDE_LEAST
    if height < SHORT or (width < WIDE and height < TALL):
        return Place("nowhere")
    if width >= WIDE and (all_fit or width >= VERY_WIDE or height < ROOMY):
        return Place("beside", max(BESIDE_LEAST, min(BESIDE_MOST, spare, width * 2 // 5)))
    room = height - BARS
    rest = room - HEADER - cases
    return Place("below", max(BELOW_LEAST, min(BELOW_MOST, max(rest, room * 3 // 10), room // 2)))
