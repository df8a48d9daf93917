"""Text from outside: rationales, traces, file contents, names and messages are data.

Nothing here parses markup, and nothing that a terminal would execute gets past `clean`.
Every surface of the app (cells, headers, toasts, the palette, tooltips, titles) shows outside
text through `clean`, `one_line` or `content`; the raw text is kept for copy and export.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rich.cells import cell_len, split_graphemes
from textual.content import Content
from textual.style import Style

TAB_SIZE: Final = 4
"""Columns between tab stops; tabs become spaces up to the next one."""

ELLIPSIS: Final = "…"

_REPLACEMENT: Final = "\ufffd"


def _table() -> dict[int, str]:
    """Character replacements: C0 to pictures, what steers a terminal or its bidi to U+FFFD."""
    table = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
    table[0x7F] = "\u2421"
    table.update(dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT))
    bidi = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    table.update(dict.fromkeys(bidi, _REPLACEMENT))
    # Python's and some terminals' line ends that no file format here means as one.
    table.update(dict.fromkeys((0x2028, 0x2029), "\u2424"))
    return table


_TABLE: Final = _table()
_UNCLEAN: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text as it may be shown: every character in it is visible, none of them acts.

    Control codes become their pictures (`␛`), C1, bidi controls and lone surrogates U+FFFD, tabs
    spaces. Line feeds stay. Text without any of these is returned as it is.
    """
    if not _UNCLEAN.search(text):
        return text
    return _SURROGATE.sub(_REPLACEMENT, text).translate(_TABLE).expandtabs(TAB_SIZE)


def one_line(text: str) -> str:
    """`clean` for surfaces of a single line: line feeds become `␊` as well."""
    return clean(text).replace("\n", "\u240a")


def content(text: str, style: str | Style = "") -> Content:
    """Outside text as something that every widget shows literally, in `style`."""
    shown = clean(text)
    return Content.styled(shown, style) if style and shown else Content(shown)


def graphemes(text: str) -> list[tuple[int, int, int]]:
    """Spans `(start, end, cells)` that must not be cut apart: clusters, flags, skin tones."""
    spans, _ = split_graphemes(text)
    if text.isascii():
        return spans
    merged: list[tuple[int, int, int]] = []
    half_flag = False
    for start, end, cells in spans:
        first = text[start]
        flag = "\U0001f1e6" <= first <= "\U0001f1ff"
        if merged and ((flag and half_flag) or "\U0001f3fb" <= first <= "\U0001f3ff"):
            before = merged[-1]
            merged[-1] = (before[0], end, before[2] + cells)
            half_flag = False
            continue
        half_flag = flag
        merged.append((start, end, cells))
    return merged


def cut(text: str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """The text in at most `width` cells; what does not fit is cut between graphemes, with `…`."""
    if width <= 0:
        return ""
    if len(text) <= width and text.isascii():
        return text
    # Nothing beyond a few characters per cell can be seen; a long text is not measured whole.
    head = text[: width * 16 + 16]
    if len(head) == len(text) and cell_len(text) <= width:
        return text
    room, end = width - 1, 0
    for _, stop, cells in graphemes(head):
        room -= cells
        if room < 0:
            break
        end = stop
    return head[:end] + ellipsis


def fit(text: str, width: int, align: str = "left", ellipsis: str = ELLIPSIS) -> str:
    """The text in exactly `width` cells: cut, or padded on the side away from `align`."""
    shown = cut(text, width, ellipsis)
    blank = " " * (width - cell_len(shown))
    return blank + shown if align == "right" else shown + blank


def widest(names: Iterable[str], most: int) -> int:
    """Cells of the widest of these names, each as one line, but not more than `most`."""
    return min(most, max((cell_len(one_line(name)) for name in names), default=0))


def shorten(text: str, limit: int, ellipsis: str = ELLIPSIS) -> str:
    """The first `limit` characters, never within a grapheme, and how much is missing.

    A text that is cut ends with `… +N chars`, N being the characters left out.
    """
    if len(text) <= limit:
        return text
    end = 0
    for _, stop, _ in graphemes(text[: limit + 64]):
        if stop > limit:
            break
        end = stop
    return f"{text[:end]}{ellipsis} +{len(text) - end:,} chars"
