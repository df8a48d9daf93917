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


Waiting = Literal["money", "paused", "cancelled", "secret", "off"]
"""Why a cell waits: for money or a go-ahead, while paused, after a cancel, with an old value and
without the key to ask again, `--auto off`/`--no-llm`."""


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
class Costs:
    """What the run on screen has cost, in US dollars. Agent and judges are never added up."""

    agent: float | None = None
    """What the run itself cost; None when it does not say."""
    judges: float | None = None
    """What asking models about it has cost so far; None before the first call."""
    unpriced: int = 0
    """Calls with no known price, which are not in it."""
    saved: float = 0.0
    """What reading from the prompt cache has saved of it."""


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
    code: int = 0
    """Goes up when a module or another file changes that judges rest on in every case."""
    ran: int = 0
    """Cells that really ran since the last trigger; `reused` were still valid."""
    reused: int = 0
    calls: int = 0
    unpaid: int = 0
    """Of the waiting ones those that wait for a go-ahead because a model would be asked."""
    unpaid_cost: float | None = None
    """What asking for them is expected to cost, in US dollars; None when that is not known."""
    costs: Costs = Costs()
    loading: int = 0
    """Cases whose stored values are still being taken up; until then nobody counts cells."""
    watching: str = ""
    """How changes are seen: `events`, `polling`, or empty when not watching."""
    looked_in: tuple[str, ...] = ()
    """Where runs were looked for, as long as none was found: paths relative to the root."""
    banner: str = ""
    """A lasting message (broken config, read-only project), or empty."""
    document: str = ""
    """What kind of document is shown in place of a project, which is only read; or empty."""


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
class Paid:
    """What the model calls behind a score took."""

    model: str
    calls: int
    cost: float | None
    """US dollars; None when the price is not known."""
    input_tokens: int = 0
    """All that was sent, the cached ones included."""
    cached_tokens: int = 0
    """Those that were read from the prompt cache."""
    output_tokens: int = 0
    saved: float | None = None
    """US dollars that the prompt cache saved; None when it is not known or was not used."""


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
    paid: Paid | None = None
    """Who was asked and what that cost; None for a judge that asks no model."""
    history: tuple[PastScore, ...] = ()
    origin: tuple[str, ...] = ()
    """Of a value that was not worked out here: where it comes from, in lines."""


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


Side = Literal["baseline", "other", "reference", "original"]
"""What a file is compared with: that of the baseline or of another run that was chosen, the
dataset's, or what an edited file was."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A file that one of a case can be compared with."""

    side: Side
    title: str
    """Where it comes from, in words. Raw."""
    path: str
    """Absolute."""
    file: FileText


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
    events_end: int = 0
    """Bytes of `events_path` behind which `record.tail` can go on; 0 if it has to be read whole."""
    events_words: str = ""
    """Why there are no events, in words, as far as it can be told."""
    events_part: float = 1.0
    """How much of `events_path` they were made of: less than 1 for a beginning, which has no logs."""


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What a case is about, for finding it by that. What cannot be read is empty."""

    inputs: str = ""
    annotations: Mapping[str, Any] | None = None
    cost: float | None = None
    """What the agent's work on it cost, in US dollars."""


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
