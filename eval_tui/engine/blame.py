"""Which cell is to blame for the end of a worker."""

from __future__ import annotations

from eval_tui.engine.batches import CellName, Flight
from eval_tui.engine.frames import Message
from eval_tui.engine.lane import Death, Lane

MEDDLER = Death("exited", "the judge ended the process that its worker depends on")


class Suspects:
    """Cells that ran when the supervisor died: it may be either's doing, so next they run alone."""

    def __init__(self) -> None:
        self._times: dict[tuple[int, CellName], int] = {}
        """How often the supervisor died while a cell ran."""
        self.at_large: set[int] = set()
        """Batches of suspects. While there are any, one worker at a time runs."""

    def again(self, flight: Flight, cell: CellName) -> bool:
        """The supervisor died while the cell ran; whether that is proof enough."""
        key = (flight.batch.id, cell)
        self._times[key] = self._times.get(key, 0) + 1
        self.at_large.add(flight.batch.id)
        return self._times[key] > 1

    def over(self, flight: Flight) -> None:
        """Nothing of the batch is to be done any more."""
        self.at_large.discard(flight.batch.id)
        for key in [key for key in self._times if key[0] == flight.batch.id]:
            del self._times[key]


def blamed(flight: Flight, cell: CellName | None, death: Death, lane: Lane) -> CellName | None:
    """The cell of the batch that is lost; None where the batch is to be tried once more first.

    `cell` is the one at work, as far as that is known.
    """
    if (lane.garbled or lane.closed_early or death.broken) and not flight.careful:
        # It came to light after cells that were held back: the next worker holds none.
        flight.careful = True
        return None
    if cell is None and flight.left:
        flight.careful = True
        flight.idle_deaths += 1
        if flight.idle_deaths > 1:
            cell = flight.first_left()
    if cell is not None:
        flight.idle_deaths = 0
    return cell


def lost(flight: Flight, cell: CellName, death: Death, lane: Lane) -> Message:
    """What is told of a cell whose worker came to its end."""
    return {
        "t": "lost",
        "id": flight.batch.id,
        "case": cell[0],
        "judge": cell[1],
        "how": death.how,
        "text": death.text,
        "output": lane.printed(),
    }
