"""Telling when work that took long has come to its end."""

from __future__ import annotations

from typing import Final

LONG_SECONDS: Final = 10.0
"""Work that took at least this long is worth a bell."""


class LongWork:
    """Watches whether anything is being done."""

    def __init__(self) -> None:
        self._since: float | None = None

    def ended(self, busy: bool, now: float) -> bool:
        """Whether work of at least LONG_SECONDS is over just now; `now` in seconds of any clock."""
        if busy:
            self._since = now if self._since is None else self._since
            return False
        since, self._since = self._since, None
        return since is not None and now - since >= LONG_SECONDS
