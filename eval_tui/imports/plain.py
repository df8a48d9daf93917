"""Values of documents that anyone may have written: asked for by type, and absent when of another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

Plain = Mapping[str, object]
"""An object of a document."""

Path = tuple[str | int, ...]
"""Where something stands in a document: keys and indices."""


def is_object(value: object) -> bool:
    return isinstance(value, dict)


def an_object(value: object) -> Plain:
    """The value if it is an object, else an empty one."""
    return cast("Plain", value) if isinstance(value, dict) else {}


def a_list(value: object) -> Sequence[object]:
    """The value if it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else ()


def text(value: object) -> str:
    """The value if it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def placed(value: object, at: Path) -> Iterator[tuple[Path, object]]:
    """The entries of a list, each with its place."""
    return (((*at, index), entry) for index, entry in enumerate(a_list(value)))


def path_words(at: Path) -> str:
    """`scorecard.results[2].scores[0]`."""
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at)
    return words.removeprefix(".")


_READABLE = (
    "reasoning",
    "reason",
    "explanation",
    "summary",
    "failure_analysis",
    "evidence",
    "comment",
)
"""Keys of a structured detail that are for people, the most telling first."""


TOO_DEEP = "(nested too deeply to be shown)"


def words_of(value: object) -> str:
    """Any value as text to read: objects by their readable keys, lists line by line, else as JSON."""
    try:
        return _words_of(value)
    except RecursionError:
        return TOO_DEEP


def _words_of(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(map(_words_of, cast("list[object]", value)))
    found = an_object(value)
    readable = [key for key in _READABLE if found.get(key)]
    if readable:
        return "\n".join(f"{key}: {_words_of(found[key])}" for key in readable)
    return as_json(value)


def as_json(value: object, indent: int | None = None) -> str:
    """The value as JSON, with its letters as they are."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent)
    except (ValueError, RecursionError):
        return TOO_DEEP
