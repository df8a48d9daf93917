"""Two texts compared line by line: which lines are gone, new or the same, and how that is shown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from rich.cells import cell_len

from eval_tui.tui.document import Document, Span, SpanStyle, Writer
from eval_tui.tui.text import clean
from eval_tui.tui.wrap import row_end

CONTEXT: Final = 3
"""Lines around a change that are shown with it."""

LONGEST: Final = 4_000
"""Lines, of both texts and without what they begin and end with alike, up to which they are compared."""

_STYLES: Final[dict[str, SpanStyle]] = {"-": "bad", "+": "good", "@": "dim"}


class Block(NamedTuple):
    """Lines `a` to `b` of the old text that became lines `c` to `d` of the new one."""

    same: bool
    a: int
    b: int
    c: int
    d: int


@dataclass(frozen=True)
class Comparison:
    """The lines of two texts, and where they differ."""

    old: Sequence[str]
    new: Sequence[str]
    hunks: Sequence[Sequence[Block]]
    """Changes that are close together, each with the lines around it."""

    @property
    def counts(self) -> tuple[int, int]:
        """Lines that are gone, and new ones."""
        changed = [block for hunk in self.hunks for block in hunk if not block.same]
        return sum(one.b - one.a for one in changed), sum(one.d - one.c for one in changed)


def compare(old: str, new: str) -> Comparison | None:
    """How the lines of two texts differ; None where there are so many that it would take long."""
    before, after = _lines(old), _lines(new)
    start, limit = 0, min(len(before), len(after))
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    a, c = before[start : len(before) - end], after[start : len(after) - end]
    if len(a) + len(c) > LONGEST:
        return None
    blocks = [Block(True, 0, start, 0, start)] if start else []
    for tag, a1, a2, c1, c2 in difflib.SequenceMatcher(None, a, c).get_opcodes():
        at = (a1 + start, a2 + start, c1 + start, c2 + start)
        blocks.append(Block(tag == "equal", *at))
    if end:
        ends = (len(before) - end, len(before), len(after) - end, len(after))
        blocks.append(Block(True, *ends))
    return Comparison(before, after, _grouped(blocks))


def _lines(text: str) -> list[str]:
    """The lines, each with its line feed if it has one: a missing one at the end is a difference."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + lines[-1:] * bool(lines[-1])


def _grouped(blocks: Iterable[Block]) -> list[list[Block]]:
    """Changes with a few lines around them; those between two parts far apart are left out."""
    hunks: list[list[Block]] = []
    hunk: list[Block] = []
    before: Block | None = None
    for block in blocks:
        if not block.same:
            if not hunk and before is not None:
                hunk.append(_tail(before))
            hunk.append(block)
        elif hunk:
            hunk.append(_head(block))
            if block.b - block.a > 2 * CONTEXT:
                hunks.append(hunk)
                hunk = []
            else:
                hunk[-1] = block
        before = block
    if hunk:
        if hunk[-1].same:
            hunk[-1] = _head(hunk[-1])
        hunks.append(hunk)
    return hunks


def _head(block: Block) -> Block:
    size = min(CONTEXT, block.b - block.a)
    return Block(True, block.a, block.a + size, block.c, block.c + size)


def _tail(block: Block) -> Block:
    size = min(CONTEXT, block.b - block.a)
    return Block(True, block.b - size, block.b, block.d - size, block.d)


# As one text --------------------------------------------------------------------------------------


def write_diff(writer: Writer, lines: Sequence[str]) -> None:
    """The lines of a unified diff in their colours; its two first lines may name the sides."""
    named = len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ ")
    for number, line in enumerate(lines):
        writer.text(line, "dim" if named and number < 2 else _STYLES.get(line[:1]))


def unified_lines(found: Comparison, old_title: str, new_title: str) -> list[str]:
    """A unified diff, as other tools read it; no lines where nothing differs."""
    if not found.hunks:
        return []
    lines = [f"--- {old_title}", f"+++ {new_title}"]
    for hunk in found.hunks:
        lines.append(_hunk_head(hunk))
        for same, a, b, c, d in hunk:
            if same:
                lines += _with_sign(" ", found.new[c:d])
            else:
                lines += _with_sign("-", found.old[a:b])
                lines += _with_sign("+", found.new[c:d])
    return lines


def _hunk_head(hunk: Sequence[Block]) -> str:
    first, last = hunk[0], hunk[-1]
    return f"@@ -{_range(first.a, last.b)} +{_range(first.c, last.d)} @@"


def _range(start: int, stop: int) -> str:
    size = stop - start
    if size == 1:
        return str(start + 1)
    return f"{start + 1 if size else start},{size}"


def _with_sign(sign: str, lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        yield sign + line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


# Side by side -------------------------------------------------------------------------------------


def side_by_side(
    found: Comparison, old_title: str, new_title: str, width: int, gap: str
) -> Document:
    """The old text at the left and the new one at the right, in `width` cells with `gap` between
    them; long lines wrap.

    Copying gives the unified diff.
    """
    rows = _Sides(width, f" {gap} ")
    rows.add((old_title, "dim"), (new_title, "dim"))
    for hunk in found.hunks:
        rows.add((f"@@ line {hunk[0].a + 1:,}", "dim"), (f"@@ line {hunk[0].c + 1:,}", "dim"))
        for same, a, b, c, d in hunk:
            for at in range(max(b - a, d - c)):
                left = found.old[a + at] if a + at < b else None
                right = found.new[c + at] if c + at < d else None
                rows.add(
                    None if left is None else (left, None if same else "bad"),
                    None if right is None else (right, None if same else "good"),
                    not same,
                )
    raw = "\n".join(unified_lines(found, old_title, new_title))
    return Document(rows.lines, rows.spans, raw)


_Part = tuple[str, SpanStyle | None]


class _Sides:
    """Puts rows of two columns together. Changed lines have a sign too: colour alone says nothing."""

    def __init__(self, width: int, gap: str) -> None:
        self.gap = gap
        self.room = max((width - len(gap)) // 2, 8)
        self.lines: list[str] = []
        self.spans: dict[int, tuple[Span, ...]] = {}

    def add(self, left: _Part | None, right: _Part | None, changed: bool = False) -> None:
        lefts = self._pieces(left, "- " if changed else "  ")
        rights = self._pieces(right, "+ " if changed else "  ")
        for at in range(max(len(lefts), len(rights))):
            first = lefts[at] if at < len(lefts) else ""
            second = rights[at] if at < len(rights) else ""
            start = first + " " * (self.room - cell_len(first)) + self.gap
            spans: list[Span] = []
            if left and left[1] and first:
                spans.append(Span(0, len(first), left[1]))
            if right and right[1] and second:
                spans.append(Span(len(start), len(start) + len(second), right[1]))
            if spans:
                self.spans[len(self.lines)] = tuple(spans)
            self.lines.append(start + second)

    def _pieces(self, part: _Part | None, sign: str) -> list[str]:
        """A line in pieces that fit into its side."""
        if part is None:
            return []
        line = clean(part[0].removesuffix("\n"))
        room = self.room - len(sign)
        pieces: list[str] = []
        at = 0
        while True:
            end = row_end(line, at, room)
            pieces.append((sign if not pieces else "  ") + line[at:end].rstrip())
            at = end
            if at >= len(line):
                return pieces
