"""Which credentials the API turns away, so that not every cell is told so one by one.

One refusal need not be about the key: gateways answer 401 for a model that a key may not ask, and
403 for words that they do not like. The same refusal about two cases, without an answer in
between, is about the key. So it does not matter in which order the answers come in.
"""

from __future__ import annotations

from typing import NamedTuple

from eval_tui.engine.failures import Failure


class Door(NamedTuple):
    """Where one asks, and as whom."""

    mark: str
    """Of the credentials (see `Credentials.mark`)."""
    model: str


class Refusals:
    """The doors that are closed, for the life of a session."""

    def __init__(self) -> None:
        self._suspected: dict[tuple[Door, int | None], str] = {}
        """By door and status: the case that was turned away there first."""
        self._closed: dict[Door, Failure] = {}

    def at(self, door: Door) -> Failure | None:
        """What every request is told here; None while asking may help."""
        return self._closed.get(door)

    def turned_away(self, door: Door, case: str, failure: Failure) -> bool:
        """A request about a case was refused; whether the door is closed by that."""
        first = self._suspected.setdefault((door, failure.status), case)
        if first == case or door in self._closed:
            return False
        self._closed[door] = failure
        return True

    def let_in(self, door: Door) -> bool:
        """A request was answered; whether the door was taken for closed."""
        self._suspected = {key: one for key, one in self._suspected.items() if key[0] != door}
        return self._closed.pop(door, None) is not None

    def forget(self) -> None:
        """The person asks again."""
        self._suspected.clear()
        self._closed.clear()
