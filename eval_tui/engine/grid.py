"""What the faces of the engine (screens, headless commands) see: immutable cells and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import product
from typing import Any, Literal, NamedTuple, Protocol

from eval_tui.config.schema import Judge
from eval_tui.scores import Score


class CellState(Enum):
    """A cell's life: `queued -> running -> fresh`, `fresh -> stale`, and the ways to wait."""

    EMPTY = "empty"
    """Nothing is known and nothing is planned (the case did not run)."""
    CHECKING = "checking"
    """A stored value is shown while its inputs are compared with the disk."""
    QUEUED = "queued"
    RUNNING = "running"
    FRESH = "fresh"
    STALE = "stale"
    """An input changed; the old value is still shown."""
    WAITING = "waiting"
    """It would run, but not now: see `Cell.waiting`."""


Waiting = Literal["money", "paused", "cancelled", "off"]
"""Why a cell waits: for money or a go-ahead, while paused, after a cancel, `--auto off`/`--no-llm`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One (case, judge) pair as the grid shows it. Rationales come from `Detail`, not from here."""

    state: CellState
    score: Score | None = None
    """The value in view: new, old (when stale, queued, running, waiting) or recorded."""
    recorded: bool = False
    """The value in view is what `summary.yaml` recorded, not recomputed here."""
    waiting: Waiting | None = None

    @property
    def settled(self) -> bool:
        """Whether the value in view belongs to the present inputs."""
        return self.state is CellState.FRESH


EMPTY_CELL = Cell(CellState.EMPTY)

RowStatus = Literal["ran", "not_run", "recorded_only"]


@dataclass(frozen=True, slots=True)
class Row:
    """One case of the grid."""

    case: str
    status: RowStatus
    in_dataset: bool = True
    notes: tuple[str, ...] = ()


class CellKey(NamedTuple):
    """The identity of a cell: names, never positions."""

    case: str
    judge: str


cell_key: Callable[[tuple[str, str]], CellKey] = partial(tuple[str, str].__new__, CellKey)
"""A key of a case and a judge, for many cells: half the price of calling the class."""


def cell_keys(cases: Iterable[str], judges: Iterable[str]) -> Iterator[CellKey]:
    """Every one of these cases with every one of these judges, case by case."""
    return map(cell_key, product(cases, judges))


Scope = Literal["cell", "row", "column", "failed", "retryable", "all", "waiting"]
"""Which cells a command concerns; the first three are relative to one cell."""


class Grid(Protocol):
    """Read access to the live grid. Rows and columns are replaced as whole tuples."""

    @property
    def rows(self) -> tuple[Row, ...]: ...
    @property
    def columns(self) -> tuple[Judge, ...]: ...
    def cell(self, case: str, judge: str) -> Cell: ...


@dataclass(frozen=True, slots=True)
class Dirty:
    """What changed since the last `take_dirty`."""

    cells: frozenset[CellKey] = frozenset()
    structure: bool = False
    """Rows, columns, thresholds or the run on screen changed: lay the grid out anew."""
    problems: bool = False
    status: bool = False

    def __bool__(self) -> bool:
        return bool(self.cells) or self.structure or self.problems or self.status


@dataclass(frozen=True, slots=True)
class Status:
    """What the status line says."""

    eval_name: str = ""
    run_id: str = ""
    following: bool = False
    """The newest run is followed when a newer one appears."""
    running: int = 0
    queued: int = 0
    waiting: int = 0
    paused: bool = False
    trigger: str = ""
    """What the last plan was for: a path relative to the root, or `rerun`, `start`, ..."""
    touched: int = 0
    """Cells that the last trigger concerned."""
    ran: int = 0
    """Cells that really ran since the last trigger; `reused` were still valid."""
    reused: int = 0
    calls: int = 0
    watching: str = ""
    """How changes are seen: `events`, `polling`, or empty when not watching."""
    banner: str = ""
    """A lasting message (broken config, read-only project), or empty."""


@dataclass(frozen=True, slots=True)
class Read:
    """One input of a cell, for the *why* tab."""

    what: str
    """In words: `conversation`, `key "metrics" (absent)`, `file output/page.md`, `module helper.py`."""
    changed: bool = False
    """It differed from the time before, so the cell ran."""


@dataclass(frozen=True, slots=True)
class PastScore:
    """An older result of the same cell."""

    score: Score
    at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything about one cell."""

    key: CellKey
    cell: Cell
    score: Score | None
    """The score in view, with its whole rationale."""
    recorded: Score | None = None
    """What `summary.yaml` holds for the cell, if anything."""
    reads: tuple[Read, ...] = ()
    condition_reads: tuple[Read, ...] = ()
    trigger: str = ""
    """Why it ran last, in words: `output/page.md changed`, `first run`, `rerun by hand`."""
    at: float | None = None
    duration_s: float | None = None
    output: str = ""
    """What the judge printed: the first and last 32 kB."""
    notes: tuple[str, ...] = ()
    """What the worker noticed: left a thread running, changed the current folder, ..."""
    opaque: tuple[str, ...] = ()
    """Why its inputs cannot be known (started a process, opened a socket), or empty."""
    reused: bool = False
    """The value was computed earlier for the same inputs and taken from the store."""
    history: tuple[PastScore, ...] = ()


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a case. `name` is relative to the case folder with `/`."""

    name: str
    size: int
    """Bytes."""
    binary: bool
    path: str
    """Absolute."""


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of one file of a case, for reading. The text is raw."""

    text: str
    truncated: bool
    """Only the beginning was read; `size` says how much there is."""
    size: int
    """Bytes on disk."""
    binary: bool
    """Not text: `text` is empty."""


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case for reading: loaded in a worker, shown by the case screen. All text is raw."""

    case: str
    case_dir: str
    input_path: str
    """Absolute path of the `input.yaml` in force, or empty."""
    inputs: str
    annotations_path: str
    annotations: str
    """The text of `annotations.yaml`, or empty."""
    files: tuple[FileEntry, ...]
    events: tuple[Mapping[str, Any], ...]
    """Events in the form of harness.md section 6.1."""
    events_path: str
    conversation: str
    stdout: str
    stderr: str
    metrics: Mapping[str, Any]
    notes: tuple[str, ...]
    """What could not be read as it should be, in words."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run of the eval on screen."""

    id: str
    path: str
    started: float
    """Seconds since the epoch."""
    cases: int
    """Case folders in the run."""
    model: str = ""
    cost_usd: float | None = None
    duration_s: float | None = None
    newest: bool = False


@dataclass(frozen=True, slots=True)
class EvalInfo:
    """One eval of the project."""

    name: str
    path: str
    """Absolute path of the config file."""
    problems: int = 0
