"""What the screens need from the engine: the face of its driver.

The app talks to nothing else. Screens read immutable values, ask for work by cell keys, and are
told what changed by `take_dirty`, which the app alone drains (see `screens.base.LiveScreen`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.grid import (
    CaseView,
    CellKey,
    Detail,
    Dirty,
    EvalInfo,
    FileText,
    Grid,
    RunInfo,
    Scope,
    Status,
)
from eval_tui.engine.money import Estimate


class Driver(Protocol):
    """The running engine of one project."""

    @property
    def grid(self) -> Grid: ...
    @property
    def config(self) -> EvalConfig | None:
        """The config in force; None while none was ever read."""
        ...

    @property
    def status(self) -> Status: ...
    @property
    def problems(self) -> tuple[Problem, ...]: ...

    def take_dirty(self) -> Dirty:
        """What changed since the last call. Drained by the app's timer, by nobody else."""
        ...

    def detail(self, case: str, judge: str) -> Detail:
        """Everything about one cell: a quick look-up."""
        ...

    async def view(self, case: str) -> CaseView:
        """One case for reading, loaded in a worker."""
        ...

    async def file_text(self, case: str, name: str) -> FileText:
        """The text of one file of a case; `name` is a `FileEntry.name`."""
        ...

    def select(
        self, scope: Scope, case: str | None = None, judge: str | None = None
    ) -> tuple[CellKey, ...]:
        """The cells that a command with this scope concerns."""
        ...

    def rerun(self, cells: Sequence[CellKey], force: bool = False) -> int:
        """Queue these cells; `force` runs them whatever is known. The number queued."""
        ...

    def estimate(self, cells: Sequence[CellKey], force: bool = False) -> Estimate:
        """What the model calls of such a rerun are expected to take."""
        ...

    def cancel(self, cells: Sequence[CellKey] | None) -> int:
        """Cancel these cells, or with None everything. The number cancelled."""
        ...

    def pause(self, on: bool) -> None:
        """Stop or resume starting work; what runs goes on."""
        ...

    def runs(self) -> tuple[RunInfo, ...]:
        """The runs of the eval on screen, newest first."""
        ...

    def evals(self) -> tuple[EvalInfo, ...]: ...
    async def open_run(self, run_id: str) -> None: ...
    async def open_eval(self, path: str) -> None: ...
    async def start(self) -> None: ...
    async def close(self) -> None: ...


NO_CHANGE = Dirty()


def merged(first: Dirty, second: Dirty) -> Dirty:
    """Both changes as one."""
    return Dirty(
        first.cells | second.cells,
        first.structure or second.structure,
        first.problems or second.problems,
        first.status or second.status,
    )
