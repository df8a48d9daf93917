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
