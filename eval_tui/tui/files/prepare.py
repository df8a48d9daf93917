"""A file made ready to be looked at: as what it is, as its text, or beside another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eval_tui.engine.grid import Counterpart, FileEntry, FileText
from eval_tui.tui.diff import compare, side_by_side, unified_lines, write_diff
from eval_tui.tui.document import Document, Writer, plain
from eval_tui.tui.files import markdown
from eval_tui.tui.files.colours import colours_for
from eval_tui.tui.files.data import DataTree, NoTree, read_tree
from eval_tui.tui.files.kinds import Kind, kind_of, size_words
from eval_tui.tui.files.pictures import NoPicture, image_facts, read_start
from eval_tui.tui.files.table import NoTable, read_table
from eval_tui.tui.marks import ASCII, Glyphs

SIDE_WORDS: Final = {
    "baseline": "the baseline",
    "other": "the other run",
    "reference": "the reference",
    "original": "the original",
}


@dataclass(frozen=True)
class Prepared:
    """What to show of a file, and how it is shown, in words."""

    content: Document | DataTree
    how: str = ""
    is_table: bool = False
    """Rows that must not wrap."""
    picture: str = ""
    """The path of an image to be drawn below the words."""


def note(words: str) -> Document:
    """A few words of our own in the place of a text."""
    return Writer().text(words, "dim").done()


def prepare(file: FileEntry, loaded: FileText, raw: bool, glyphs: Glyphs) -> Prepared:
    """A file as what it is, or with `raw` as its text. Takes a moment: not for the event loop."""
    kind = kind_of(file.name, loaded.binary)
    if kind == "image":
        return _image(file, loaded, glyphs)
    if loaded.binary:
        return Prepared(note(f"A binary file of {size_words(loaded.size)}."))
    if loaded.truncated:
        return Prepared(_beginning(loaded, glyphs))
    if not loaded.text:
        return Prepared(note("An empty file."))
    why = ""
    if not raw:
        try:
            if (found := _rendered(kind, file.name, loaded.text, glyphs)) is not None:
                return found
        except (NoTree, NoTable) as error:
            why = f"as text: {error}"
    return Prepared(_text(kind, file.name, loaded.text), why or ("as text" if raw else ""))


def _rendered(kind: Kind, name: str, text: str, glyphs: Glyphs) -> Prepared | None:
    match kind:
        case "markdown" if len(text) <= markdown.LARGEST:
            return Prepared(markdown.rendered(text, glyphs), "rendered")
        case "markdown":
            raise NoTree(f"too large to be rendered (up to {markdown.LARGEST:,} characters)")
        case "json" | "lines" | "yaml":
            return Prepared(read_tree(kind, text), "as a tree")
        case "table":
            return Prepared(read_table(name, text, glyphs), "in columns", is_table=True)
        case _:
            return None


def _text(kind: Kind, name: str, text: str) -> Document:
    document = plain(text)
    if kind == "text":
        return document
    longest = max(map(len, document.lines), default=0)
    colours = colours_for(name, document.text, longest)
    return document if colours is None else Document(document.lines, colours, document.raw)


def _beginning(loaded: FileText, glyphs: Glyphs) -> Document:
    document = plain(loaded.text)
    missing = max(loaded.size - len(loaded.text.encode(errors="replace")), 1)
    more = f"{glyphs.ellipsis} +{missing:,} bytes: only the beginning was read; e opens the whole file."
    if not loaded.text:
        more = f"A file of {size_words(loaded.size)}, too large to be read here; e opens it."
    return Document([*document.lines, more], raw=loaded.text)


def _image(file: FileEntry, loaded: FileText, glyphs: Glyphs) -> Prepared:
    words = f"A binary file of {size_words(loaded.size)}."
    try:
        facts = image_facts(read_start(file.path)) if file.path else None
    except NoPicture as error:
        return Prepared(note(f"{words} It cannot be shown: {error}."))
    if facts is None:
        return Prepared(note(words))
    words = f"{facts.format}, {facts.width:,} x {facts.height:,} pixels, {size_words(loaded.size)}."
    # Half blocks are no ASCII.
    return Prepared(note(words), picture=file.path if glyphs is not ASCII else "")


def prepare_diff(loaded: FileText, other: Counterpart, width: int, glyphs: Glyphs) -> Prepared:
    """What changed from `other` to the file: side by side in `width` cells, or with 0 in one text."""
    was, title = other.file, f"{SIDE_WORDS[other.side]} ({other.title})"
    how = f"against {title}"
    if was.binary or loaded.binary or was.truncated or loaded.truncated:
        kinds = "too large" if was.truncated or loaded.truncated else "binary"
        sizes = f"{size_words(was.size)} before, {size_words(loaded.size)} now"
        return Prepared(note(f"Not compared line by line: {kinds}. {sizes}."), how)
    found = compare(was.text, loaded.text)
    if found is None:
        return Prepared(note("There are too many lines that differ to be compared here."), how)
    if not found.hunks:
        return Prepared(note(f"Exactly as in {title}."), how)
    gone, new = found.counts
    how = f"-{gone:,} +{new:,} {how}"
    if width:
        return Prepared(side_by_side(found, other.title, "this run", width, glyphs.side), how)
    writer = Writer()
    lines = unified_lines(found, other.title, "this run")
    write_diff(writer, lines)
    return Prepared(writer.done("\n".join(lines) + "\n"), how)
