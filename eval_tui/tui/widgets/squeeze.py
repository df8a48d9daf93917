"""One line out of any text, in a given width, saying how much is not shown."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len

from eval_tui.tui.text import ELLIPSIS, cut, graphemes, one_line

_SPACE: Final = re.compile(r"\s")


def squeeze(raw: str, width: int, keep_end: bool = False, ellipsis: str = ELLIPSIS) -> str:
    """The text (raw) on one line of at most `width` cells.

    What does not fit is cut and counted: `the beginning… +N chars`; with `keep_end`, what looks
    like a path keeps its end: `…the/end +N chars`. Under about 20 cells there is no room for the count.
    """
    if width <= 0:
        return ""
    if len(raw) <= width and cell_len(shown := _flat(raw)) <= width:
        return shown
    keep_end = keep_end and "/" in raw and not _SPACE.search(raw) and len(raw) < 4 * width
    # Nothing beyond a few characters per cell can be seen; a long text is not measured whole.
    flat = _flat(raw if keep_end else raw[: 4 * width])
    tail = len(f" +{len(raw):,} chars")
    if width < tail + 8:
        return cut(flat, width, ellipsis)
    room = width - tail
    shown = ellipsis + _end(flat, room - 1) if keep_end else cut(flat + ellipsis, room, ellipsis)
    return f"{shown} +{max(len(raw) - len(shown) + 1, 1):,} chars"


def _flat(raw: str) -> str:
    """Clean, on one line, a character for a character."""
    return one_line(raw.replace("\t", " ").replace("\n", " "))


def _end(text: str, width: int) -> str:
    """The end of a text in at most `width` cells."""
    at = len(text)
    for start, _, cells in reversed(graphemes(text)):
        width -= cells
        if width < 0:
            break
        at = start
    return text[at:]
