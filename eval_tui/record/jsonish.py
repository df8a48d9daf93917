"""Reading JSON as it is in the wild: fast where msgspec is installed, tolerant where it matters."""

from __future__ import annotations

import json
from collections.abc import Callable

_fast: Callable[[bytes], object] | None = None
try:
    import msgspec

    _fast = msgspec.json.decode
except ImportError:
    pass  # the project's interpreter need not have it

_BOM = b"\xef\xbb\xbf"
_BLANKS = tuple(" \t\r\n")


def list_start(data: bytes) -> list[object]:
    """The whole values at the beginning of a JSON list whose end is cut off; empty for all else."""
    text = data.removeprefix(_BOM).decode("utf-8", "ignore").lstrip()
    scan, found, at = json.JSONDecoder().raw_decode, list[object](), 1
    if not text.startswith("["):
        return found
    try:
        while True:
            value, end = scan(text, _blank_end(text, at))
            at = _blank_end(text, end)
            if text[at : at + 1] not in (",", "]"):  # a number may go on behind the cut
                return found
            found.append(value)
            at += 1
    except (ValueError, RecursionError):
        return found


def _blank_end(text: str, at: int) -> int:
    while text[at : at + 1] in _BLANKS:
        at += 1
    return at


def decode(data: bytes) -> object:
    """The JSON value in `data`; NaN, infinities and undecodable bytes are tolerated.

    msgspec gives the same values as `json` wherever it accepts the input at all. Raises
    ValueError or RecursionError for what is no JSON.
    """
    if _fast is not None:
        try:
            return _fast(data)
        except (ValueError, RecursionError):
            pass  # `json` takes more, and says better what is wrong with the rest
    return json.loads(data.removeprefix(_BOM).decode("utf-8", "replace"))
