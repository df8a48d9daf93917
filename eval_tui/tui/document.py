"""Documents: long texts from outside, line by line, with styled spans and the raw text kept."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final, Literal, NamedTuple, get_args

from eval_tui.tui.text import clean

SpanStyle = Literal[
    "heading",
    "label",
    "dim",
    "good",
    "bad",
    "warn",
    "changed",
    "link",
    "link-here",
    "code-keyword",
    "code-name",
    "code-string",
    "code-number",
    "code-comment",
]
"""Styles of the parts of a document; each is a component class of the view that draws it."""

SPAN_STYLES: Final[tuple[SpanStyle, ...]] = get_args(SpanStyle)

_SGR: Final = re.compile("\x1b\\[[0-9;:]*m")


class Span(NamedTuple):
    """Characters `start` to `end` of a line in a style."""

    start: int
    end: int
    style: SpanStyle


class Match(NamedTuple):
    """Where a search found something: characters `start` to `end` of a line."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A text to read. `lines` are clean and may be shown; `raw` is what copying gives."""

    lines: Sequence[str] = ()
    spans: Mapping[int, tuple[Span, ...]] = field(default_factory=dict[int, tuple[Span, ...]])
    """Styled parts, by line."""
    raw: str = ""

    @cached_property
    def text(self) -> str:
        """All lines as one text, for searching."""
        return "\n".join(self.lines)

    @cached_property
    def _starts(self) -> array[int]:
        """Where each line starts in `text`."""
        lengths = (len(line) + 1 for line in self.lines[:-1])
        return array("I", accumulate(lengths, initial=0))

    def find(self, needle: str) -> list[Match]:
        """Every place that holds the needle, top to bottom; see `search_pattern` for case."""
        if not needle or not self.lines:
            return []
        found: list[Match] = []
        for hit in search_pattern(needle).finditer(self.text):
            line = bisect_right(self._starts, hit.start()) - 1
            start = hit.start() - self._starts[line]
            found.append(Match(line, start, start + hit.end() - hit.start()))
        return found


def search_pattern(needle: str) -> re.Pattern[str]:
    """The needle as plain text; capitals matter as soon as the needle has one."""
    flags = re.IGNORECASE if needle == needle.lower() else re.NOFLAG
    return re.compile(re.escape(needle), flags)


def without_colours(text: str) -> str:
    """The text without colour sequences (SGR), which only make a log harder to read."""
    return _SGR.sub("", text) if "\x1b" in text else text


def plain(raw: str) -> Document:
    """A whole text as a document. A single line feed at its end makes no empty last line."""
    lines = clean(raw).split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return Document(lines if raw else (), raw=raw)


class Writer:
    """Puts a document together, paragraph by paragraph. Everything given may be raw text."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._spans: dict[int, tuple[Span, ...]] = {}
        self._raw: list[str] = []

    def text(self, raw: str, style: SpanStyle | None = None, indent: int = 0) -> Writer:
        """One or more lines of text."""
        shown = clean(raw).split("\n")
        if len(shown) > 1 and not shown[-1]:
            shown.pop()
        for line in shown:
            padded = " " * indent + line
            if style and line:
                self._spans[len(self._lines)] = (Span(indent, len(padded), style),)
            self._lines.append(padded)
        self._raw.append(raw.removesuffix("\n"))
        return self

    def heading(self, raw: str) -> Writer:
        """A heading, with an empty line before it unless it is the first line."""
        if self._lines:
            self.blank()
        return self.text(raw, "heading")

    def blank(self) -> Writer:
        """An empty line; two in a row are one."""
        if self._lines and self._lines[-1]:
            self._lines.append("")
            self._raw.append("")
        return self

    def field(self, label: str, raw: str, style: SpanStyle | None = None) -> Writer:
        """`label: value`; the further lines of a value of several are indented."""
        first, _, rest = raw.partition("\n")
        head = f"{clean(label)}: "
        at = len(self._lines)
        line = head + clean(first)
        self._spans[at] = (Span(0, len(head), "label"),)
        if style:
            self._spans[at] += (Span(len(head), len(line), style),)
        self._lines.append(line)
        self._raw.append(f"{label}: {raw}")
        if rest:
            self.text(rest, style, indent=2)
            self._raw.pop()
        return self

    def items(self, raws: Iterable[str], style: SpanStyle | None = None) -> Writer:
        """One indented paragraph per item."""
        for raw in raws:
            self.text(raw, style, indent=2)
        return self

    def done(self, raw: str | None = None) -> Document:
        """The document; `raw` replaces what copying it gives."""
        return Document(self._lines, self._spans, "\n".join(self._raw) if raw is None else raw)
