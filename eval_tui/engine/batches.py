"""Batches of cells on their way through the workers, as the pool keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eval_tui.engine.frames import Message
from eval_tui.engine.slot import At

DEFAULT_LIMIT_S = 30.0
"""Seconds that a judge may take on one case."""

CellName = tuple[str, str]
"""Case and judge."""


@dataclass(frozen=True)
class Batch:
    """Work for one worker: all due judges of some cases."""

    id: int
    generation: int
    cases: list[dict[str, Any]]
    """Items `{"case": str, "jobs": [{"judge": name, …}, …], …}`; a judge once per case."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further keys of the message to the worker."""
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    """Judge -> seconds that it may take on one case."""
    limit: float = DEFAULT_LIMIT_S
    """Seconds for judges that `limits` does not name."""


@dataclass(frozen=True)
class BatchInfo:
    """Where a message belongs."""

    id: int
    generation: int
    batch: Batch


class Flight:
    """A batch that was submitted: what of it has not been told yet."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.info = BatchInfo(batch.id, batch.generation, batch)
        self.cases = batch.cases
        """As sent last; the indices in a worker's slot refer to it."""
        self.left: dict[CellName, None] = dict.fromkeys(
            (item["case"], job["judge"]) for item in batch.cases for job in item["jobs"]
        )
        self.careful = False
        """A worker died over it and it is not sure whose doing that was."""
        self.idle_deaths = 0
        """How often a worker died over it with no cell to blame, and none told since."""

    def frame(self) -> Message:
        frame = {**self.batch.extra, "t": "batch", "id": self.batch.id, "cases": self.cases}
        return {**frame, "careful": True} if self.careful else frame

    def told(self, case: object, judge: object) -> bool:
        """Note that a cell was told; False when it was before, or is not of this batch."""
        self.idle_deaths = 0
        return self.left.pop((case, judge), True) is None  # type: ignore[arg-type]

    def trim(self) -> None:
        """Leave out of what is sent next what has been told. Not while a worker is at it."""
        cases: list[dict[str, Any]] = []
        for item in self.cases:
            jobs = [job for job in item["jobs"] if (item["case"], job["judge"]) in self.left]
            if jobs:
                cases.append({**item, "jobs": jobs})
        self.cases = cases

    def cell(self, at: At | None) -> CellName | None:
        """The cell that a worker is at, if it belongs to this batch and was not told yet."""
        if at is None or at.batch != self.batch.id:
            return None
        try:
            item = self.cases[at.case]
            name = (item["case"], item["jobs"][at.judge]["judge"])
        except IndexError:
            return None
        return name if name in self.left else None

    def first_left(self) -> CellName:
        """The first cell that was not told yet."""
        return next(iter(self.left))

    def limit(self, judge: str) -> float:
        return self.batch.limits.get(judge, self.batch.limit)
