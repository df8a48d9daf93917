"""What the faces see of a session: how its cells look, and what of all that is new to them.

How a cell looks is worked out when somebody asks: most states of a cell on its way through the
workers pass between two frames.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import EMPTY_CELL, Cell, CellKey, Dirty
from eval_tui.engine.looks import Doing, look

if TYPE_CHECKING:
    from eval_tui.engine.session import Session


class Display:
    """The cells of a session as they are shown."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cells: dict[CellKey, Cell] = {}
        self._outdated: dict[CellKey, None] = {}
        """Cells whose look must be worked out again; those that changed last come last."""
        self.waiting = 0
        """How many cells count as waiting."""
        self._new_cells: set[CellKey] = set()
        self._structure = self._problems = True
        self.any_news = True
        """Something is new since the last `take_dirty`."""

    def cell(self, key: CellKey) -> Cell:
        """The cell as it looks now. Changes nothing: threads may ask as well."""
        if key in self._outdated:
            return self._looks(key)
        return self._cells.get(key, EMPTY_CELL)

    def show(self, key: CellKey) -> None:
        """A cell may look different now."""
        self._outdated.pop(key, None)
        self._outdated[key] = None

    def outdate(self, cells: Iterable[CellKey]) -> None:
        """The same for many cells at once."""
        self._outdated.update(dict.fromkeys(cells))

    def catch_up(self, most: int | None = None) -> None:
        """Work out how (up to `most`) cells look, beginning with those that changed last."""
        outdated = self._outdated
        for _ in range(len(outdated) if most is None else min(most, len(outdated))):
            self._look(outdated.popitem()[0])

    def news(self, *, problems: bool = False, structure: bool = False) -> None:
        """The status, and whatever is named, is another one."""
        self._problems = self._problems or problems
        self._structure = self._structure or structure
        self.any_news = True

    def take_dirty(self) -> Dirty:
        """What changed since the last call."""
        new = frozenset(self._new_cells)
        dirty = Dirty(new, self._structure, self._problems, self.any_news)
        self._new_cells.clear()
        self._structure = self._problems = self.any_news = False
        return dirty

    def clear(self) -> None:
        """Another grid: nothing of the old one is shown."""
        self._cells.clear()
        self._outdated.clear()
        self.waiting = 0

    def drop_gone(self) -> None:
        """What left the grid looks like nothing."""
        infos = self._session.infos
        for key in self._outdated.keys() - infos.keys():
            del self._outdated[key]
        for key in [k for k in self._cells if k not in infos]:
            del self._cells[key]
        self.waiting = sum(map(_waits, self._cells.values()))

    def _look(self, key: CellKey) -> None:
        cell, old = self._looks(key), self._cells.get(key)
        if old != cell:
            self.waiting += _waits(cell) - _waits(old)
            self._cells[key] = cell
            self._new_cells.add(key)
            self.any_news = True

    def _looks(self, key: CellKey) -> Cell:
        session = self._session
        info, judge = session.infos.get(key), session.judges.get(key.judge)
        if info is None or judge is None:
            return EMPTY_CELL
        return look(judge, info, session.recorded(key), self._doing(key, judge))

    def _doing(self, key: CellKey, judge: Judge) -> Doing:
        session = self._session
        underway = session.queue.underway(key)
        return Doing(
            judged=session.judged(key),
            present=key.case in session.snapshot.cases,
            due=session.queue.is_due(key),
            checking=key in session.restore.checking or underway == "checking",
            running=underway == "running",
            paused=session.status.paused,
            asking=session.asking.state(key) if judge.asks_model else "",
            outdated=key in session.target.outdated,
        )


def _waits(cell: Cell | None) -> bool:
    """Whether the cell counts as waiting; while paused what is due counts as queued."""
    return cell is not None and cell.waiting not in (None, "paused")
