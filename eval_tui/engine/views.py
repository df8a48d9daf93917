"""Questions to a worker that never runs user code: reading a case, looking through a run."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eval_tui.engine.crew import Crew
from eval_tui.engine.frames import Message, encode
from eval_tui.engine.lane import Death, Lane
from eval_tui.engine.supervisor import SupervisorError

MEMORY_MB = 4096
"""Bound on the memory of the reading worker; a file that needs more costs one question."""

WORTH_SHARING = 1_000
"""Cases from which on it takes two workers less time to look through a run than one."""


class ViewError(RuntimeError):
    """A question was not answered; the text says why."""


@dataclass
class _Question:
    number: int
    request: dict[str, Any]
    answer: asyncio.Future[dict[str, Any]]
    timeout_s: float
    deaths: int = 0
    pieces: list[Any] = field(default_factory=list[Any])
    """What has come of an answer that comes in pieces."""


class Views:
    """One question at a time through one kept worker; the others wait in line."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._lane: Lane | None = None
        self._numbers = itertools.count(1)
        self._line: deque[_Question] = deque()
        self._asked: _Question | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def view(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The answer; `pieces`, a list in it, came piece by piece.

        Raises ViewError, and TimeoutError `timeout_s` after its turn came.
        """
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._line.append(_Question(next(self._numbers), request, answer, timeout_s))
        self._next()
        return await answer

    def _next(self) -> None:
        while self._asked is None and self._line:
            question = self._line.popleft()
            if question.answer.done():  # nobody waits for it any more
                continue
            try:
                lane = self._lane = self._lane or self._crew.fork(self, MEMORY_MB)
            except (SupervisorError, OSError) as error:
                question.answer.set_exception(ViewError(str(error)))
                continue
            self._asked, question.pieces = question, []
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(question.timeout_s, self._late, question)
            frame = {"t": "view", "id": question.number, "request": question.request}
            lane.channel.send(encode(frame))

    def _late(self, question: _Question) -> None:
        if self._asked is question:
            self._drop_lane()
            self._settle(TimeoutError(f"no answer within {question.timeout_s:g} s"))

    def _settle(self, outcome: dict[str, Any] | Exception) -> None:
        question, self._asked = self._asked, None
        if self._timer is not None:
            self._timer.cancel()
        if question is not None and not question.answer.done():
            if isinstance(outcome, Exception):
                question.answer.set_exception(outcome)
            else:
                question.answer.set_result(outcome)
        self._next()

    def _drop_lane(self) -> None:
        if self._lane is not None:
            self._crew.discard(self._lane)
            self._lane = None

    def lane_message(self, lane: Lane, message: Message) -> None:
        if self._asked is None or message.get("id") != self._asked.number:
            return
        self._crew.alive()
        if message["t"] == "piece":
            self._asked.pieces.append(message["piece"])
        elif message["t"] == "viewed":
            self._settle({**message["reply"], "pieces": self._asked.pieces})
        elif message["t"] == "view_failed":
            self._settle(ViewError(message["text"]))

    def lane_exit(self, lane: Lane, death: Death) -> None:
        self._lane = None
        question = self._asked
        if question is None:
            return
        question.deaths += 1
        if death.how == "supervisor" and question.deaths < 2:  # not its doing: ask again
            self._asked = None
            if self._timer is not None:
                self._timer.cancel()
            self._line.appendleft(question)
            self._next()
        else:
            self._settle(ViewError(f"the reading worker failed: {death.text}"))

    def rest(self) -> None:
        """Nothing more is asked for the time being: the worker may go."""
        if self._asked is None:
            self._drop_lane()

    def close(self) -> None:
        """Nobody gets an answer any more."""
        waiting = [*([self._asked] if self._asked else []), *self._line]
        self._line.clear()
        self._asked = None
        if self._timer is not None:
            self._timer.cancel()
        for question in waiting:
            if not question.answer.done():
                question.answer.cancel()


class Readers:
    """One reading worker, and a second one that helps with large questions."""

    def __init__(self, crew: Crew, most: int) -> None:
        """`most`: how many workers may be busy at once."""
        self._first, self._second = Views(crew), Views(crew)
        self._most = most

    async def view(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """The answer. Raises ViewError, and TimeoutError `timeout_s` after its turn came."""
        parts = halves(request) if self._most > 1 else ()
        if not parts:
            return await self._first.view(request, timeout_s)
        asked = zip((self._first, self._second), parts, strict=True)
        try:
            answers = await asyncio.gather(*(who.view(part, timeout_s) for who, part in asked))
        finally:
            self._second.rest()
        return joined(answers)

    def close(self) -> None:
        """Nobody gets an answer any more."""
        self._first.close()
        self._second.close()


def halves(request: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Two questions instead of a large one that can be shared out; else none."""
    cases: Sequence[Any] = request.get("cases", ()) if request.get("op") == "scan" else ()
    if len(cases) < WORTH_SHARING:
        return ()
    middle = len(cases) // 2
    first = {**request, "cases": cases[:middle]}
    return first, {**request, "cases": cases[middle:], "ambients": {}}


def joined(answers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The answer to a question of which each of `answers` answers a part."""
    signatures: dict[str, str] = {}
    holds: list[str] = []
    for answer in answers:
        signatures.update(answer["signatures"])
        holds += answer["holds"]
    return {"signatures": signatures, "holds": holds}
