"""Source code in colours, worked out as far as it is looked at and no further."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from eval_tui.tui.document import Span, SpanStyle

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LARGEST: Final = 500_000
"""Characters up to which a file has colours."""

LONGEST_LINE: Final = 5_000
"""Characters of a line up to which its file has colours: some patterns take long on endless ones."""

SLICE: Final = 6_000
"""Characters between two looks at the keyboard."""

_STYLES: Final[tuple[tuple[str, SpanStyle], ...]] = (
    ("Comment", "code-comment"),
    ("Literal.String", "code-string"),
    ("Literal.Number", "code-number"),
    ("Keyword", "code-keyword"),
    ("Operator.Word", "code-keyword"),
    ("Name.Tag", "code-name"),
    ("Name.Function", "code-name"),
    ("Name.Class", "code-name"),
    ("Name.Decorator", "code-name"),
    ("Name.Attribute", "code-name"),
    ("Generic.Heading", "heading"),
    ("Generic.Subheading", "heading"),
    ("Generic.Inserted", "good"),
    ("Generic.Deleted", "bad"),
)
"""By the name of a kind of token, or of one above it."""


class Colours(Mapping[int, tuple[Span, ...]]):
    """The styled parts of a text by line. Lines that are not read yet have none; `behind` is told."""

    def __init__(self, text: str, lexer: Lexer) -> None:
        self._text = text
        self._tokens = iter(lexer.get_tokens_unprocessed(text))
        self._lines: dict[int, list[Span]] = {}
        self._line = 0
        self._start = 0
        self._wanted = 0
        self._told = False
        self._done = False
        self._styles: dict[object, SpanStyle | None] = {}
        self.behind: Callable[[], object] = lambda: None
        """Called when a line is asked for that is not read yet; once until `advance` is through."""

    def advance(self) -> bool:
        """Read on for a while. Whether there is more that was asked for."""
        stop = self._start + SLICE
        for at, kind, value in self._tokens:
            self._take(at, str(value), self._style(kind))
            if at >= stop:
                self._told = self._line <= self._wanted
                return self._told
        self._done, self._told = True, False
        return False

    def _take(self, at: int, value: str, style: SpanStyle | None) -> None:
        """A token that starts at `at`; it may go over several lines."""
        for number, piece in enumerate(value.split("\n")):
            if number:
                self._line += 1
                self._start = at
            if style and piece:
                column = at - self._start
                span = Span(column, column + len(piece), style)
                self._lines.setdefault(self._line, []).append(span)
            at += len(piece) + 1

    def _style(self, kind: object) -> SpanStyle | None:
        if kind not in self._styles:
            name = str(kind).removeprefix("Token.")
            self._styles[kind] = next((s for head, s in _STYLES if name.startswith(head)), None)
        return self._styles[kind]

    def __getitem__(self, line: int) -> tuple[Span, ...]:
        if line >= self._line and not self._done:
            self._wanted = max(self._wanted, line)
            if not self._told:
                self._told = True
                self.behind()
        return tuple(self._lines.get(line, ()))

    def __iter__(self) -> Iterator[int]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Colours) and self._text == other._text

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def colours_for(name: str, text: str, longest_line: int) -> Colours | None:
    """The colours of a clean text; None when it is no source code that is known, or too large.

    Takes a moment for the first file of a kind: not for the event loop.
    """
    if len(text) > LARGEST or longest_line > LONGEST_LINE:
        return None
    from pygments.lexers import find_lexer_class_for_filename

    found = find_lexer_class_for_filename(name.rpartition("/")[2])
    if found is None:
        return None
    colours = Colours(text, found())
    colours.advance()
    return colours
