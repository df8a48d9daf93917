"""What can go wrong when a judge asks for a part of a record."""

from __future__ import annotations

from collections.abc import Hashable


class PartUnreadable(Exception):
    """A part of the record exists and cannot be read as what it should be (D10).

    Deliberately neither `LookupError` nor `OSError`: a judge's `.get()`, a template's look-up or
    a retry on I/O errors must not take it for something else.
    """

    def __init__(self, path: str, why: str, digest: str = "") -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        """Absolute path of the file or folder."""
        self.why = why
        """What is wrong with it, in words."""
        self.digest = digest
        """Digest of the bytes that could not be read, or empty."""

    @property
    def version(self) -> str:
        """What stands for the value's digest while it cannot be read."""
        return f"unreadable:{self.digest or self.why}"

    def again(self) -> PartUnreadable:
        """A fresh exception of the same content, so that tracebacks do not pile up."""
        return PartUnreadable(self.path, self.why, self.digest)


class StepMissing(Exception):
    """A judge is bound to a step that left no record (D19)."""

    def __init__(self, step: str) -> None:
        super().__init__(f"step {step!r} left no record")
        self.step = step


class MissingKey(KeyError):
    """A key that the record, its `files` or its `annotations` do not have.

    Its own class, so that missing evidence can be told from a `KeyError` of the judge's own data.
    """

    def __init__(self, key: Hashable, path: str) -> None:
        super().__init__(key)
        self.key = key
        self.path = path
        """Which mapping was asked: `outputs`, `files` or `annotations`."""
