"""Values of parts: handed out as fresh copies, shared with trusted readers, or as a digest."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from typing import Protocol


def digest_bytes(*pieces: bytes) -> str:
    """blake2b-16 of the pieces, as hexadecimal text."""
    state = hashlib.blake2b(digest_size=16)
    for piece in pieces:
        state.update(piece)
    return state.hexdigest()


def digest_value(value: object) -> str:
    """Digest of plain data. Types and the order of keys count, since a judge can see both."""
    if isinstance(value, str):
        return digest_bytes(b"s", value.encode("utf-8", "surrogatepass"))
    return digest_bytes(b"r", repr(value).encode("utf-8", "surrogatepass"))


class Part(Protocol):
    """One part of a record as loaded."""

    def fresh(self) -> object:
        """A value that the caller may change."""
        ...

    def shared(self) -> object:
        """One value for all trusted readers, who leave it as it is."""
        ...

    def digest(self) -> str:
        """Digest of the derived value."""
        ...


class Fixed:
    """A value that cannot be changed: text, a number, None."""

    def __init__(self, value: object) -> None:
        self._value = value
        self._digest: str | None = None

    def fresh(self) -> object:
        return self._value

    def shared(self) -> object:
        return self._value

    def digest(self) -> str:
        if self._digest is None:
            self._digest = digest_value(self._value)
        return self._digest


class Plain(Fixed):
    """Lists and mappings, copied for each reader by way of their pickled form."""

    def __init__(self, value: object, digest: str | None = None) -> None:
        super().__init__(value)
        self._digest = digest
        self._pickled: bytes | None = None

    def fresh(self) -> object:
        if self._pickled is None:
            self._pickled = pickle.dumps(self._value, protocol=5)
        return pickle.loads(self._pickled)


class Encoded:
    """A document kept as bytes and decoded anew for each reader: the cheapest way to a fresh copy."""

    def __init__(self, data: bytes, decode: Callable[[bytes], object], shared: object) -> None:
        self._data = data
        self._decode = decode
        self._shared = shared
        self._digest: str | None = None

    def fresh(self) -> object:
        return self._decode(self._data)

    def shared(self) -> object:
        return self._shared

    def digest(self) -> str:
        if self._digest is None:
            self._digest = digest_bytes(b"j", self._data)
        return self._digest


_MUTABLE: tuple[type, ...] = (list, dict, set, tuple)


def part_for(value: object) -> Part:
    """The right kind of part for plain data."""
    return Plain(value) if isinstance(value, _MUTABLE) else Fixed(value)
