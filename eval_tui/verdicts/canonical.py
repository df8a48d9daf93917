"""One text for one value, whoever writes it down: canonical JSON, and digests over it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import cast

_SURROGATE = re.compile("[\ud800-\udfff]")
_FNV_START, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


def canonical(value: object) -> str:
    """Canonical JSON: keys in the order of UTF-16 code units, no blanks, numbers as JavaScript has them.

    Numbers that JSON cannot hold become `null`, as JavaScript has it. Raises ValueError for what is
    no JSON at all.
    """
    if value is None or isinstance(value, (bool, str)):
        return _scalar(value)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        pairs = sorted((_utf16(str(key)), str(key), item) for key, item in items)
        return "{" + ",".join(f"{_scalar(key)}:{canonical(item)}" for _, key, item in pairs) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(map(canonical, cast("Sequence[object]", value))) + "]"
    raise ValueError(f"{type(value).__name__} has no place in JSON")


def digest(value: object) -> str:
    """`sha256:` and the hexadecimal digest of a value's canonical JSON."""
    return f"sha256:{hexadecimal(value)}"


def hexadecimal(value: object) -> str:
    """The digest without the name of its algorithm."""
    return sha256(canonical(value).encode("utf-8")).hexdigest()


def legacy_digest(value: object) -> str:
    """What older documents are stamped with: FNV-1a over UTF-16 code units, 16 digits, no name."""
    found = _FNV_START
    units = _utf16(canonical(value))
    for at in range(0, len(units), 2):
        found ^= int.from_bytes(units[at : at + 2], "big")
        found = found * _FNV_PRIME & 0xFFFFFFFFFFFFFFFF
    return f"{found:016x}"


def matches(stamp: str, value: object) -> bool:
    """Whether a stamped digest is that of a value; the stamp says by which algorithm."""
    return stamp == (digest(value) if stamp.startswith("sha256:") else legacy_digest(value))


def _scalar(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _number(value: int | float) -> str:
    """The number as JavaScript prints it: `1`, `0.00001`, `1e-7`, `1e+21`."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if sign else ""
    if len(text) <= point <= 21:
        return minus + text + "0" * (point - len(text))
    if 0 < point <= 21:
        return f"{minus}{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    rest = f".{text[1:]}" if len(text) > 1 else ""
    return f"{minus}{text[0]}{rest}e{point - 1:+d}"
