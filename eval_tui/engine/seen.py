"""What a judge saw of a case's record, and what cannot be read because it is just being written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from eval_tui.engine.versions import Observation, digest
from eval_tui.record.case import CaseParts, PartUnreadable

YOUNG_S = 1.0
"""A document that cannot be read and is younger than this is probably being written (D13)."""

Seen = dict[tuple[str, str], str]
"""(kind, key) -> version of what was looked at in a record."""


def noting(seen: Seen) -> Callable[[str, str, str], None]:
    """An observer for a record: two versions of one thing make one that equals nothing."""

    def note(kind: str, key: str, version: str) -> None:
        before = seen.setdefault((kind, key), version)
        if before != version:
            seen[(kind, key)] = "moved"

    return note


def observations(seen: Mapping[tuple[str, str], str], folder_digest: str) -> list[Observation]:
    """What was seen as inputs, with the folder's digest where a path was handed out."""
    return [
        (kind, key, folder_digest if kind == "case_dir" else version)
        for (kind, key), version in seen.items()
    ]


def why_version(parts: CaseParts, key: str) -> str:
    """The version of the words that say why a key of the record is absent."""
    return digest(parts.why_absent(key).encode("utf-8", "surrogatepass"))


def is_young(error: BaseException | None) -> bool:
    """Whether a document could not be read that is probably being written just now (D13)."""
    while error is not None:
        if isinstance(error, PartUnreadable):
            try:
                return time.time() - os.stat(error.path).st_mtime < YOUNG_S
            except OSError:
                return True
        error = error.__cause__ or error.__context__
    return False
