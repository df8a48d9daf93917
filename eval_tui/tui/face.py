"""What the screens need from the engine: the face of its driver.

The app talks to nothing else. Screens read immutable values, ask for work by cell keys, and are
told what changed by `take_dirty`, which the app alone drains (see `screens.base.LiveScreen`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.authority import Authority
from eval_tui.engine.finding import Finding
from eval_tui.engine.grid import (
    CaseView,
    CellKey,
    Counterpart,
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
from eval_tui.scores import Score

if TYPE_CHECKING:
    from eval_tui.engine.dryrun import DryRun
    from eval_tui.engine.stored import StoredEval

T = TypeVar("T")


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

    @property
    def authority(self) -> Authority:
        """What is declared as ground truth, what of it was accepted, and the policy in force."""
        ...

    @property
    def finding(self) -> Finding:
        """What it takes to find cells and to compare them."""
        ...

    def authority_changed(self) -> None:
        """Something was accepted: verdicts are told anew."""
        ...

    def take_dirty(self) -> Dirty:
        """What changed since the last call. Drained by the app's timer, by nobody else."""
        ...

    def detail(self, case: str, judge: str) -> Detail:
        """Everything about one cell: a quick look-up."""
        ...

    def full_score(self, case: str, judge: str) -> Score | None:
        """The score in view with its whole rationale."""
        ...

    @property
    def run_dir(self) -> str:
        """The folder of the run in view; empty while there is none."""
        ...

    @property
    def baseline_id(self) -> str:
        """The run that the one in view is compared with case by case, or empty."""
        ...

    def as_written(self, path: str) -> bool:
        """Whether a file is there as `write_own` left it, in this session or an earlier one."""
        ...

    async def write_own(self, path: str, write: Callable[[], T]) -> T:
        """Write a file of the run, off the loop: no judge is run because of it."""
        ...

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        """One case for reading, loaded in a worker; with `beginning` no more of a long trace."""
        ...

    async def dry_run(self, case: str, judge: str) -> DryRun:
        """What a model judge would ask now. Raises OSError when that cannot be told."""
        ...

    async def file_text(self, case: str, name: str) -> FileText:
        """The text of one file of a case; `name` is a `FileEntry.name`."""
        ...

    async def counterparts(self, case: str, name: str, run: str = "") -> tuple[Counterpart, ...]:
        """What one file of a case can be compared with; `run`: the id of one in place of the baseline.

        Raises OSError.
        """
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

    async def stored_eval(self, path: str) -> StoredEval:
        """An eval of the project at its newest run, as that was last scored."""
        ...

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
