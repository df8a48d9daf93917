"""How many calls may be in flight: fewer while the API is overloaded, all of them again after."""

from __future__ import annotations

import asyncio
from collections import deque

FEWER = 0.7
"""What an overload leaves of the limit."""
MORE = 0.5
"""What an answer adds to it. With FEWER: a round in which every call was turned away once and
then answered leaves the limit about where it was; rounds without answers lower it."""


class Throttle:
    """A semaphore whose limit falls with every overload and grows back with the answers.

    A burst of rejections is one overload: the limit falls again only when as many calls have
    ended as may be in flight, since those sent before say nothing about the new limit.
    """

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.in_flight = 0
        self._limit = float(self.most)
        self._ended = self.most
        """Calls since the limit fell."""
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """How many calls may be in flight now."""
        return int(self._limit)

    async def enter(self) -> None:
        """Take a place, in the order of asking. Cancelling gives up the turn."""
        if not self._waiting and self.in_flight < self.limit:
            self.in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place came and the cancelling with it
                self.leave()
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def leave(self) -> None:
        """Give the place back."""
        self.in_flight -= 1
        self._ended += 1
        self._admit()

    def overloaded(self) -> None:
        """A call was turned away because there are too many."""
        if self._ended >= self.limit:
            self._ended = 0
            self._limit = max(1.0, self._limit * FEWER)

    def answered(self) -> None:
        """A call was answered."""
        if self._limit < self.most:
            self._limit = min(float(self.most), self._limit + MORE)
            self._admit()

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)
