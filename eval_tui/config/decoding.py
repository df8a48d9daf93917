"""Bytes of a text file -> text, whatever encoding and line ends they have."""

from __future__ import annotations

import codecs
import hashlib
import re
from typing import NamedTuple

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Decoded(NamedTuple):
    """Text with `\\n` line ends and no byte-order mark or lone surrogate."""

    text: str
    replaced_at: int | None
    """Offset in `text` of the first place that could not be decoded, or None."""


def decode(source: bytes | str) -> Decoded:
    """Never raises: what cannot be decoded becomes U+FFFD (D10)."""
    if isinstance(source, str):
        text, broken = source.removeprefix("\ufeff"), _LONE_SURROGATE.search(source) is not None
        text = _LONE_SURROGATE.sub("\ufffd", text)
    else:
        text, broken = _decode_bytes(source)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text, max(text.find("\ufffd"), 0) if broken else None)


def _decode_bytes(data: bytes) -> tuple[str, bool]:
    bom, encoding = next(((b, e) for b, e in _BOMS if data.startswith(b)), (b"", "utf-8"))
    data = data[len(bom) :]
    try:
        return data.decode(encoding), False
    except UnicodeDecodeError:
        return data.decode(encoding, "replace"), True


def text_digest(text: str) -> str:
    """32 hexadecimal digits over the text; equal for files that differ in line ends only."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
