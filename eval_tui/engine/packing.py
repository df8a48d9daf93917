"""How the store puts things into the database: names as keys, values as sealed JSON."""

from __future__ import annotations

import functools
import json
import zlib
from hashlib import blake2b
from typing import Any

import msgspec


@functools.lru_cache(maxsize=64)
def run_key(run: str) -> int:
    """A run's folder as the number that the database knows it by."""
    digest = blake2b(run.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def to_key(text: str) -> str | bytes:
    """Text as the database can hold it: names of files need not be Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_key(text: str | bytes) -> str:
    return text.decode("utf-8", "surrogatepass") if isinstance(text, bytes) else text


def pack(value: Any) -> bytes:
    try:
        return seal(msgspec.json.encode(value))
    except (UnicodeEncodeError, TypeError, ValueError):  # lone surrogates in texts from outside
        return seal(json.dumps(msgspec.to_builtins(value), allow_nan=False).encode())


def unpack(data: object) -> Any:
    """The packed value; None for what is damaged."""
    plain = unseal(data)
    if plain is None:
        return None
    try:
        return msgspec.json.decode(plain)
    except msgspec.DecodeError:
        return json.loads(plain)


def seal(data: bytes) -> bytes:
    """The data with a checksum in front."""
    return zlib.crc32(data).to_bytes(4, "big") + data


def unseal(data: object) -> bytes | None:
    """The data as it was sealed; None when anything of it changed since."""
    if not isinstance(data, bytes) or zlib.crc32(data[4:]).to_bytes(4, "big") != data[:4]:
        return None
    return data[4:]
