"""The pool: batches in, one message per cell out, whatever the judges do to their workers.

A judge that takes its worker down costs its own cell and nothing else: what was told is kept,
the cell is told as lost, and a fresh worker does what is left of the batch.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Collection, Iterable
from typing import Any

from eval_tui.engine.batches import Batch, CellName, Flight
from eval_tui.engine.births import Births
from eval_tui.engine.blame import MEDDLER, Suspects, blamed, lost
from eval_tui.engine.crew import Crew
from eval_tui.engine.frames import Message, encode
from eval_tui.engine.hand import Hand
from eval_tui.engine.lane import Death, Lane
from eval_tui.engine.outbox import OnMessage, Outbox
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.supervisor import SupervisorError, SupervisorFactory
from eval_tui.engine.views import Readers

DEFAULT_MEMORY_MB = 2048
TICK_S = 0.05
SETUP_ATTEMPTS = 2

REST_S = 0.2
"""How long nothing is to be done before the workers of the next generation are prepared for."""


class Pool:
    """Runs batches on at most `size` workers. Belongs to one event loop.

    `on_message` gets every message of the workers with the batch it belongs to, and the pool's
    own: `lost` (a cell whose judge took its worker down or had to be ended: `case`, `judge`,
    `how`, `text`, `output`), `done`, `cancelled`, and `broken` (no worker can be had: `text`).
    It is called from the loop, never from inside a method of the pool. Whatever the workers say
    passes `secrets` on its way; this is the only place where it does.
    """

    def __init__(
        self,
        supervisor_factory: SupervisorFactory,
        size: int,
        on_message: OnMessage,
        secrets: Secrets | None = None,
    ) -> None:
        self._secrets = secrets
        self._size = max(1, size)
        self._outbox = Outbox(on_message, secrets)
        self._crew = Crew(supervisor_factory, self._broken)
        self._readers = Readers(self._crew, self._size)
        self._hands: dict[int, Hand] = {}
        self._queue: deque[Flight] = deque()
        self._generation = 0
        self._setup: dict[str, Any] = {}
        self._births = Births()
        self._setup_deaths = 0
        self._suspects = Suspects()
        self._timer: asyncio.TimerHandle | None = None
        self._rest: asyncio.TimerHandle | None = None
        self._closed = False

    async def start(self) -> None:
        """Start the supervisor; does not wait until it is ready."""
        self._crew.start()

    @property
    def size(self) -> int:
        """How many workers there may be."""
        return self._size

    @property
    def python(self) -> str:
        """The interpreter of the judges and its version; empty until it is ready."""
        return self._crew.python

    @property
    def crew(self) -> Crew:
        """Forks workers for other errands as well."""
        return self._crew

    @property
    def room(self) -> int:
        """How many more batches may be submitted: one per worker to run and one ahead."""
        at_work = [hand for hand in self._hands.values() if not hand.retiring]
        underway = len(self._queue) + sum(len(hand.flights) for hand in at_work)
        return max(0, 2 * self._size - underway)

    def new_generation(self, setup: dict[str, Any], *, keep_running: bool = False) -> int:
        """From now on workers are set up with `setup`; returns the number of the generation.

        A pool that was broken tries again. Nothing more is told of older generations' batches
        but that they are cancelled; with `keep_running` those that run are finished first.
        `memory_mb` in `setup` bounds the memory of each worker (0: no bound).
        """
        self._generation += 1
        self._setup = {**setup, "t": "setup"}
        self._births.begin(setup, self._memory_mb)
        self._setup_deaths = 0
        if self._secrets is not None:
            self._secrets.refresh()
        self._crew.retry()
        dropped = list(self._queue)
        self._queue.clear()
        for hand in list(self._hands.values()):
            if keep_running and hand.flights:
                hand.retiring = True
                dropped.extend(hand.take_ahead())
            else:
                dropped.extend(hand.flights)
                self._discard(hand)
        if not keep_running:
            self._outbox.forget_batches()
        for flight in sorted(dropped, key=lambda flight: flight.batch.id):
            self._cancelled(flight)
        return self._generation

    @property
    def _memory_mb(self) -> int:
        return int(self._setup.get("memory_mb", DEFAULT_MEMORY_MB))

    def submit(self, batch: Batch) -> None:
        """Queue a batch; beyond `room` it only waits. One of an old generation is cancelled."""
        flight = Flight(batch)
        if self._crew.broken:  # told anew: what was cancelled alone would be due again at once
            self._outbox.put({"t": "broken", "text": self._crew.broken}, None)
        if batch.generation != self._generation or self._crew.broken or self._closed:
            self._cancelled(flight)
            return
        self._queue.append(flight)
        self._dispatch()

    def cancel(self, batch_ids: Collection[int] | None = None) -> None:
        """Cancel batches, all by default. What their cells have told until now is kept."""

        def chosen(flight: Flight) -> bool:
            return batch_ids is None or flight.batch.id in batch_ids

        for hand in list(self._hands.values()):
            if any(chosen(flight) for flight in hand.flights):
                hand.lane.channel.drain()
        for flight in [flight for flight in self._queue if chosen(flight)]:
            self._queue.remove(flight)
            self._cancelled(flight)
        for hand in list(self._hands.values()):
            if not hand.flights:
                continue
            if any(chosen(flight) for flight in hand.flights[1:]):
                for flight in hand.take_ahead():
                    self._cancelled(flight)
            if chosen(hand.flights[0]):
                self._cancelled(hand.flights.pop(0))
                self._replace(hand)
        self._dispatch()

    def at_work(self, seconds: float) -> list[CellName]:
        """Cells whose judge is running for at least so long."""
        now = time.monotonic()
        found = [hand.long_at(now, seconds) for hand in self._hands.values()]
        return [cell for cell in found if cell is not None]

    async def view(self, request: dict[str, Any], timeout: float = 20.0) -> dict[str, Any]:
        """Ask a worker that runs no user code. Raises ViewError and TimeoutError."""
        return await self._readers.view(request, timeout)

    async def close(self) -> None:
        """End all workers and the supervisor. Bounded; leaves no process."""
        self._closed = True
        self._queue.clear()
        self._hands.clear()
        self._outbox.clear()
        for timer in (self._timer, self._rest):
            if timer is not None:
                timer.cancel()
        self._readers.close()
        await self._crew.close()

    # Telling

    def _cancelled(self, flight: Flight) -> None:
        self._suspects.over(flight)
        self._outbox.put({"t": "cancelled", "id": flight.batch.id}, flight.info)

    def _done(self, flight: Flight) -> None:
        self._suspects.over(flight)
        self._outbox.put({"t": "done", "id": flight.batch.id}, flight.info)

    def _broken(self, text: str) -> None:
        self._outbox.put({"t": "broken", "text": text}, None)
        for flight in self._queue:
            self._cancelled(flight)
        self._queue.clear()

    # Handing out

    def _dispatch(self) -> None:
        while self._queue:
            hand = self._free_hand()
            if hand is None:
                break
            hand.give(self._queue.popleft(), time.monotonic())
        if not self._queue:
            self._rebalance()
        self._watch()

    def _free_hand(self) -> Hand | None:
        """A worker for the next batch: an idle one, a new one, or one that is at its last."""
        hands = [hand for hand in self._hands.values() if not hand.retiring and not hand.verdict]
        idle = [hand for hand in hands if not hand.flights]
        if self._suspects.at_large and len(idle) < len(self._hands):
            return None
        if hand := (idle[0] if idle else self._fork()):
            return hand
        ahead = [hand for hand in hands if len(hand.flights) == 1]
        return min(ahead, key=lambda hand: hand.heard, default=None)

    def _fork(self) -> Hand | None:
        """A new worker, if there may be one more; those that retire do not count at first."""
        at_work = sum(not hand.retiring for hand in self._hands.values())
        if at_work >= self._size or len(self._hands) >= 2 * self._size:
            return None
        try:
            frame, birth = encode(self._setup), (self._births.like, self._generation)
            lane = self._crew.fork(self, self._memory_mb, frame, born_like=birth)
        except SupervisorError:
            return None
        except OSError as error:  # no more files or memory; with some workers it goes on
            if not self._hands:
                self._broken(f"no worker process can be started: {error}")
            return None
        hand = self._hands[lane.number] = Hand(lane, self._generation, time.monotonic())
        return hand

    def _rebalance(self) -> None:
        """Nobody idles while a batch waits behind another one."""
        if self._suspects.at_large:
            return
        for hand in list(self._hands.values()):
            if len(hand.flights) > 1 and not hand.retiring:
                idle = [h for h in self._hands.values() if not h.flights and not h.verdict]
                other = idle[0] if idle else self._fork()
                if other is None:
                    return
                for flight in hand.take_ahead():
                    other.give(flight, time.monotonic())

    def _discard(self, hand: Hand) -> None:
        """End a worker; nothing more is heard of it."""
        self._hands.pop(hand.lane.number, None)
        self._crew.discard(hand.lane)

    def _put_back(self, flights: Iterable[Flight]) -> None:
        """To the head of the queue what lost its worker, unless nobody can do it any more."""
        for flight in reversed(list(flights)):
            flight.trim()
            if not flight.left:
                self._done(flight)
            elif self._crew.broken or flight.batch.generation != self._generation:
                self._cancelled(flight)
            else:
                self._queue.appendleft(flight)

    # Listening

    def lane_message(self, lane: Lane, message: Message) -> None:
        hand = self._hands.get(lane.number)
        if hand is None:
            return
        hand.heard = time.monotonic()
        kind = message["t"]
        if kind == "set":
            hand.ready = True
            self._setup_deaths = 0
            return
        if kind == "crashed" and message["id"] is None:
            self._setup_failed(message["traceback"])
            return
        flight = next((f for f in hand.flights if f.batch.id == message.get("id")), None)
        if flight is not None:
            self._crew.alive()
            self._flight_message(hand, flight, message)

    def _flight_message(self, hand: Hand, flight: Flight, message: Message) -> None:
        kind = message["t"]
        if kind == "cell" and not flight.told(message.get("case"), message.get("judge")):
            return  # a cell is told once, whatever a worker or a copy of it says
        if kind not in ("done", "recycle", "imports"):
            self._outbox.put(message, flight.info)
        if kind == "done":
            hand.flights.remove(flight)
            self._done(flight)
            if hand.retiring and not hand.flights:
                self._discard(hand)
        elif kind == "imports":
            self._births.learn(message["names"])
            return
        elif kind == "recycle":
            if name := message.get("unfit"):
                self._births.exclude(name)
            self._replace(hand)
        elif kind == "crashed":
            cell = flight.cell(hand.lane.at()) or (flight.first_left() if flight.left else None)
            if cell is not None:
                last = message["traceback"].strip().rpartition("\n")[2]
                self._lost(flight, cell, Death("exited", f"the worker failed: {last}"), hand.lane)
            self._replace(hand)
        else:
            return
        self._dispatch()

    def _replace(self, hand: Hand) -> None:
        """Give a worker up; what is left of its batches is done by others."""
        flights, hand.flights = hand.flights, []
        self._discard(hand)
        self._put_back(flights)

    def _lost(self, flight: Flight, cell: CellName, death: Death, lane: Lane) -> None:
        flight.told(*cell)
        self._outbox.put(lost(flight, cell, death, lane), flight.info)

    def _setup_failed(self, text: str) -> None:
        """No worker of this generation can work: say so once, and cancel what waits for it."""
        self._outbox.put({"t": "broken", "text": f"the workers cannot be set up:\n{text}"}, None)
        dropped = list(self._queue)
        self._queue.clear()
        for hand in list(self._hands.values()):
            dropped.extend(hand.flights)
            self._discard(hand)
        for flight in dropped:
            self._cancelled(flight)

    def lane_exit(self, lane: Lane, death: Death) -> None:
        hand = self._hands.pop(lane.number, None)
        if hand is None or not hand.flights:
            self._dispatch()
            return
        current = hand.flights[0]
        cell = current.cell(lane.at())
        if lane.garbled and current.left:  # by now the worker may be further on
            cell = current.first_left()
        if hand.verdict is not None:
            death = hand.verdict
        if death.how == "supervisor" and hand.verdict is None:
            if cell is not None and self._suspects.again(current, cell):
                self._crew.alive()
                self._lost(current, cell, MEDDLER, lane)
        elif not hand.ready:
            self._setup_deaths += 1
            if self._setup_deaths >= SETUP_ATTEMPTS:
                self._put_back(hand.flights)
                self._setup_failed(death.text)
                return
        elif (culprit := blamed(current, cell, death, lane)) is not None:
            self._crew.alive()  # it is the cell's doing, whatever it took along
            self._lost(current, culprit, death, lane)
        self._put_back(hand.flights)
        self._dispatch()

    # Watching

    def _watch(self) -> None:
        """Tick while there is something to watch."""
        loop = asyncio.get_running_loop()
        busy = any(hand.flights for hand in self._hands.values()) or self._crew.needs_watching
        if self._rest is not None:
            self._rest.cancel()
        if self._births and not (busy or self._closed):
            self._rest = loop.call_later(REST_S, self._prepare)
        if busy and self._timer is None and not self._closed:
            self._timer = loop.call_later(TICK_S, self._tick)

    def _prepare(self) -> None:
        """Nothing is to be done: let the next workers be born with what these had to import."""
        if self._setup and (order := self._births.order(self._setup, self._memory_mb)):
            self._crew.order_template(order)

    def _tick(self) -> None:
        self._timer = None
        now = time.monotonic()
        for hand in list(self._hands.values()):
            if hand.verdict is not None:
                continue
            if hand.astray(now):
                self._replace(hand)
            elif hand.fault(now) is not None:
                hand.lane.channel.drain()  # it may have ended in the meantime
                if hand.lane.number in self._hands and (verdict := hand.fault(now)):
                    hand.verdict = verdict
                    self._crew.kill(hand.lane)
        self._crew.tick(now)
        self._dispatch()
