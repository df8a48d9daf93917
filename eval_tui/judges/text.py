"""Words for what a judge did: bounded, and safe whatever the judge's objects do when asked."""

from __future__ import annotations

import linecache
import os
import traceback
from collections.abc import Callable, Mapping
from types import TracebackType

LIMIT = 2_000_000
"""Characters of a rationale or a detail that are kept."""

_MAX_FRAMES = 40
_MAX_CHAIN = 5

OwnFile = Callable[[str], bool]
"""Whether a source file belongs to the judge whose traceback is cut."""


def bounded(text: str, limit: int = LIMIT) -> str:
    """The text, cut at the limit with the number of characters that were left out."""
    return text if len(text) <= limit else f"{text[:limit]}… +{len(text) - limit:,} chars"


def safe_str(value: object) -> str:
    """`str(value)` as a plain, bounded str; a description where that raises."""
    try:
        return bounded(str.__str__(value) if isinstance(value, str) else str.__str__(str(value)))
    except BaseException as exc:
        return f"<{type_name(value)} whose text cannot be had: {type_name(exc)}>"


def short_repr(value: object, limit: int = 80) -> str:
    """`repr(value)` on one line for a message, or a description where that raises."""
    try:
        words = " ".join(repr(value).split())
    except BaseException:
        return f"<{type_name(value)}>"
    return words if len(words) <= limit else words[: limit - 1] + "…"


def type_name(value: object) -> str:
    """The name of a value's class."""
    return type.__getattribute__(type(value), "__name__")


def exception_words(exc: BaseException) -> str:
    """`Type: text`, or the bare type when the exception has no text."""
    words = safe_str(exc).strip()
    return f"{type_name(exc)}: {words}" if words else type_name(exc)


def own_traceback(
    exc: BaseException, own: OwnFile, lines: Mapping[tuple[str, int], str] | None = None
) -> str:
    """The traceback of an exception and its causes, cut to the frames of the judge's own files.

    `lines` gives source lines that are known already, by file and line. Without an own frame
    the exception stands alone, as empty text.
    """
    blocks: list[str] = []
    any_frames = False
    current: BaseException | None = exc
    joint = ""
    while current is not None and len(blocks) < _MAX_CHAIN:
        frames = _frames(current.__traceback__, own, lines or {})
        any_frames = any_frames or bool(frames)
        blocks.append(frames + exception_words(current) + joint)
        if current.__cause__ is not None:
            current, joint = current.__cause__, "\n\nwhich caused:\n"
        elif current.__suppress_context__:
            current = None
        else:
            current, joint = current.__context__, "\n\nand while that was handled:\n"
    return bounded("".join(reversed(blocks)), 100_000) if any_frames else ""


def own_line(
    exc: BaseException, own: OwnFile, lines: Mapping[tuple[str, int], str] | None = None
) -> tuple[str, int, str] | None:
    """File, line and source text of the innermost frame of the judge's own files."""
    last: tuple[str, int] | None = None
    for frame, line in traceback.walk_tb(exc.__traceback__):
        if own(frame.f_code.co_filename):
            last = (frame.f_code.co_filename, line)
    return None if last is None else (*last, _source(*last, lines or {}))


def _frames(tb: TracebackType | None, own: OwnFile, lines: Mapping[tuple[str, int], str]) -> str:
    places = [
        (frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in traceback.walk_tb(tb)
        if own(frame.f_code.co_filename)
    ]
    left_out = len(places) - _MAX_FRAMES
    shown: list[str] = []
    for number, (file, line, name) in enumerate(places):
        if left_out > 0 and _MAX_FRAMES // 2 <= number < _MAX_FRAMES // 2 + left_out:
            if number == _MAX_FRAMES // 2:
                shown.append(f"  … {left_out} frames left out …\n")
            continue
        source = _source(file, line, lines)
        shown.append(f'  File "{file}", line {line}, in {name}\n')
        if source:
            shown.append(f"    {source}\n")
    return "".join(shown)


def _source(file: str, line: int, lines: Mapping[tuple[str, int], str]) -> str:
    """One line of source, stripped, or empty."""
    known = lines.get((file, line))
    if known is not None:
        return known.strip()
    try:
        return linecache.getline(file, line).strip() if os.path.isabs(file) else ""
    except BaseException:
        return ""
