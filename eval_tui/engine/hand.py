"""A worker of the pool: what it was given, how it stands, and why it may have to be ended."""

from __future__ import annotations

from eval_tui.engine.batches import CellName, Flight
from eval_tui.engine.frames import encode
from eval_tui.engine.lane import Death, Lane

MAX_OUTPUT = 64 * 1024 * 1024
"""Bytes that one judge and its child processes may print."""

STALL_S = 120.0
"""A worker that says nothing for so long, with no judge running, is taken for stuck."""

_ASTRAY_S = 1.0


class Hand:
    """One worker with its batches: the one being evaluated, and at most one ahead."""

    def __init__(self, lane: Lane, generation: int, now: float) -> None:
        self.lane = lane
        self.generation = generation
        self.flights: list[Flight] = []
        self.ready = False
        """It was set up."""
        self.retiring = False
        """It finishes what it is at for an older generation, and gets nothing more."""
        self.verdict: Death | None = None
        """Why the pool ended it."""
        self.heard = now
        """When it last said something or was given something, on the monotonic clock."""

    def give(self, flight: Flight, now: float) -> None:
        self.flights.append(flight)
        self.heard = now
        self.lane.channel.send(encode(flight.frame()))

    def take_ahead(self) -> list[Flight]:
        """Take back what it has not begun."""
        at = self.lane.at()
        ahead = [f for f in self.flights[1:] if at is None or at.batch != f.batch.id]
        self.flights = [f for f in self.flights if f not in ahead]
        for flight in ahead:
            self.lane.channel.send(encode({"t": "drop", "id": flight.batch.id}))
        return ahead

    def long_at(self, now: float, seconds: float) -> CellName | None:
        """The cell whose judge has been running for at least so long."""
        at = self.lane.at()
        if at is None or not at.running or now - at.started < seconds or not self.flights:
            return None
        return self.flights[0].cell(at)

    def fault(self, now: float) -> Death | None:
        """Why it has to be ended, if it has to."""
        if not self.flights:
            return None
        if self.lane.output_size() > MAX_OUTPUT:
            return Death("output", f"printed more than {MAX_OUTPUT // (1024 * 1024)} MB")
        flight, at = self.flights[0], self.lane.at()
        cell = flight.cell(at)
        if cell is not None and at is not None and at.running:
            limit = flight.limit(cell[1])
            if now - at.started > limit:
                return Death("timed out", f"ran past its limit of {limit:g} s")
        elif now - self.heard > STALL_S:
            return Death("timed out", f"the worker did not answer for {STALL_S:g} s")
        return None

    def astray(self, now: float) -> bool:
        """Whether it had begun a batch at the very moment when that was taken back."""
        at = self.lane.at()
        if at is None or not at.running or now < at.started + _ASTRAY_S:
            return False
        return all(at.batch != flight.batch.id for flight in self.flights)
