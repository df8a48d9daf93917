"""Markdown as a text to read: headings, lists, tables and emphasis, without its marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len

from eval_tui.tui.document import Document, Span, SpanStyle
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.text import clean, fit

if TYPE_CHECKING:
    from markdown_it.token import Token

LARGEST: Final = 150_000
"""Characters up to which Markdown is rendered."""

WIDEST: Final = 40
"""Cells that a column of a table may take; the text as it is shows what is cut."""


class _Run(NamedTuple):
    text: str
    style: SpanStyle | None


def rendered(text: str, glyphs: Glyphs) -> Document:
    """A Markdown text as it is meant to be read; copying gives the text as it is."""
    from markdown_it import MarkdownIt

    page = _Page(glyphs)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    at = 0
    while at < len(tokens):
        if tokens[at].type == "table_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
            page.table(tokens[at:end])
            at = end
        else:
            page.take(tokens[at])
        at += 1
    return Document(page.lines, page.spans, text)


class _Page:
    """The lines so far, and what the lines to come stand behind: bullets, quotes."""

    def __init__(self, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self.lines: list[str] = []
        self.spans: dict[int, tuple[Span, ...]] = {}
        self._before: list[str] = []
        """What each line begins with, by the lists and quotes that it is in."""
        self._bullet = ""
        """In place of the last of `_before`, for the first line of an item."""
        self._counts: list[int | None] = []
        self._style: SpanStyle | None = None

    def take(self, token: Token) -> None:
        """A token of a block, in the order in which the parser gives them."""
        match token.type:
            case "heading_open":
                self._gap()
                self._style = "heading"
            case "heading_close":
                self._style = None
            case "inline":
                self._write(_runs(token.children or (), self._style))
            case "paragraph_open" if not token.hidden:
                self._gap()
            case "fence" | "code_block":
                self._gap()
                for line in token.content.removesuffix("\n").split("\n"):
                    self._write([_Run("    " + line, "code-string")])
            case "html_block":
                self._gap()
                self._write([_Run(token.content.rstrip("\n"), "dim")])
            case "hr":
                self._gap()
                self._write([_Run(self._glyphs.rule * 3, "dim")])
            case "blockquote_open":
                self._gap()
                self._before.append(f"{self._glyphs.side} ")
            case "blockquote_close" | "list_item_close":
                self._before.pop()
                self._bullet = ""
            case "bullet_list_open" | "ordered_list_open":
                if not self._counts:
                    self._gap()
                first = token.attrGet("start")
                ordered = token.type == "ordered_list_open"
                self._counts.append((int(first) if first is not None else 1) if ordered else None)
            case "bullet_list_close" | "ordered_list_close":
                self._counts.pop()
            case "list_item_open":
                self._item()
            case _:
                pass

    def _item(self) -> None:
        count = self._counts[-1]
        self._bullet = f"{self._glyphs.marked} " if count is None else f"{count}. "
        if count is not None:
            self._counts[-1] = count + 1
        self._before.append(" " * len(self._bullet))

    def _gap(self) -> None:
        """An empty line before a block, but not within the first line of an item."""
        if self.lines and self.lines[-1].strip() and not self._bullet:
            self.lines.append("".join(self._before).rstrip())

    def _write(self, runs: Iterable[_Run]) -> None:
        text, spans = self._begin(), list[Span]()
        for run in runs:
            for number, piece in enumerate(clean(run.text).split("\n")):
                if number:
                    self._end(text, spans)
                    text, spans = self._begin(), []
                if piece and run.style:
                    spans.append(Span(len(text), len(text) + len(piece), run.style))
                text += piece
        self._end(text, spans)

    def _begin(self) -> str:
        head = "".join(self._before[:-1]) + (self._bullet or "".join(self._before[-1:]))
        self._bullet = ""
        return head

    def _end(self, text: str, spans: Sequence[Span]) -> None:
        if spans:
            self.spans[len(self.lines)] = tuple(spans)
        self.lines.append(text)

    def table(self, tokens: Sequence[Token]) -> None:
        """The tokens of a table, as columns."""
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                plain = "".join(run.text for run in _runs(token.children or (), None))
                rows[-1].append(clean(plain).replace("\n", " "))
        widths = [0] * max(map(len, rows), default=0)
        for row in rows:
            for column, cell in enumerate(row):
                widths[column] = max(widths[column], min(cell_len(cell), WIDEST))
        self._gap()
        for number, row in enumerate(rows):
            cells = [
                fit(cell, width, ellipsis=self._glyphs.ellipsis)
                for cell, width in zip(row, widths, strict=False)
            ]
            self._write([_Run("  ".join(cells).rstrip(), None if number else "label")])
            if not number:
                self._write([_Run("  ".join(self._glyphs.rule * width for width in widths), "dim")])


def _runs(tokens: Iterable[Token], style: SpanStyle | None) -> list[_Run]:
    """What stands in a line, with its emphasis; a link is followed by where it leads."""
    runs: list[_Run] = []
    outer: list[SpanStyle | None] = [style]
    links: list[str] = []
    for token in tokens:
        match token.type:
            case "text":
                runs.append(_Run(token.content, outer[-1]))
            case "softbreak":
                runs.append(_Run(" ", outer[-1]))
            case "hardbreak":
                runs.append(_Run("\n", None))
            case "code_inline":
                runs.append(_Run(token.content, "code-string"))
            case "strong_open" | "em_open":
                outer.append("label")
            case "link_open":
                outer.append("link")
                links.append(str(token.attrGet("href") or ""))
            case "link_close":
                outer.pop()
                target = links.pop()
                if target and (not runs or runs[-1].text != target):
                    runs.append(_Run(f" ({target})", "dim"))
            case "strong_close" | "em_close":
                outer.pop()
            case "image":
                runs.append(_Run(f"[image: {token.content or token.attrGet('src')}]", "dim"))
            case _:
                runs.append(_Run(token.content, "dim"))
    return runs
