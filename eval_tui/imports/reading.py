"""Reading a document: JSON from a file, or the result that a job wrote into its log."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import cast

from eval_tui.imports.plain import Path
from eval_tui.record.jsonish import decode

LARGEST = 512_000_000
"""Bytes. Opening takes several times as much memory as the file has."""
SLOW = 20_000_000
"""Bytes from which on reading takes a moment that one notices."""

RESULT_MARK = b"__EVERDICT_RESULT__"
"""In a job's log: the rest of the line is the result. The last one counts."""

_BLANK = re.compile(r"[ \t\r\n]*")
_VALUES = json.JSONDecoder()


class NoGrid(ValueError):
    """A file holds nothing that can be shown as a grid; the text says why, in one line."""


@dataclass(frozen=True)
class Loaded:
    """A document as plain values."""

    path: str
    """Absolute."""
    value: object
    data: bytes
    """The JSON that it was read from."""
    first_line: int = 1
    """The line of the file that the JSON begins in."""
    log: bool = False
    """It stood in a job's log."""

    def line_of(self, at: Path) -> int:
        """The line of the file in which a value begins; 0 where that would take too long to tell."""
        if len(self.data) > SLOW:
            return 0
        return self.first_line + _lines_before(self.data.decode("utf-8-sig", "replace"), at)


def size_of(path: str) -> int:
    """Bytes of a file that is about to be read. Raises NoGrid for one that cannot or will not be."""
    try:
        if os.path.isdir(path):
            raise NoGrid("it is a folder; open one of its files, or leave out `open` for a project")
        size = os.stat(path).st_size
    except OSError as error:
        raise NoGrid(error.strerror or str(error)) from error
    if size > LARGEST:
        raise NoGrid(
            f"it has {size / 1e6:,.0f} MB; files of up to {LARGEST / 1e6:,.0f} MB are opened."
            " Export fewer cases, or the analysis bundle, which has no traces"
        )
    return size


def load(path: str) -> Loaded:
    """The document in a file. Raises NoGrid for one that cannot be read, with the position."""
    size_of(path)
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise NoGrid(error.strerror or str(error)) from error
    if not data.strip():
        raise NoGrid("it is empty")
    full = os.path.abspath(path)
    marked = data.rfind(RESULT_MARK)
    try:
        return Loaded(full, decode(data), data)
    except (ValueError, RecursionError) as error:
        if marked < 0:
            raise NoGrid(_not_json(error)) from error
    line = data[marked + len(RESULT_MARK) :].split(b"\n", 1)[0]
    before = data.count(b"\n", 0, marked)
    try:
        return Loaded(full, decode(line), line.lstrip(), before + 1, log=True)
    except (ValueError, RecursionError) as error:
        raise NoGrid(f"line {before + 1}: the result of the job is cut off or no JSON") from error


def _not_json(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: no JSON: {error.msg}"
    return f"no JSON: {error}"


def _lines_before(text: str, at: Path) -> int:
    """How many lines end before a value of a JSON text begins; as far as its path can be followed."""
    place = _blank(text, 0)
    for step in at:
        inner = _member(text, place, step)
        if inner is None:
            break
        place = inner
    return text.count("\n", 0, place)


def _member(text: str, at: int, step: str | int) -> int | None:
    """Where the member of the object or list at `at` begins; None where there is none."""
    if text[at] != ("[" if isinstance(step, int) else "{"):
        return None
    at, index = _blank(text, at + 1), 0
    while text[at] not in "]}":
        here: str | int = index
        if isinstance(step, str):
            here, at = cast("tuple[str, int]", _VALUES.raw_decode(text, at))
            at = _blank(text, _blank(text, at) + 1)
        if here == step:
            return at
        at = _blank(text, _VALUES.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _blank(text, at + 1)
        index += 1
    return None


def _blank(text: str, at: int) -> int:
    """The place of the next character that is not blank."""
    found = _BLANK.match(text, at)
    return found.end() if found else at
