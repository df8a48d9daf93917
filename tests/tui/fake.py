"""A driver without an engine: cells are whatever the test says, and every call is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge, Threshold
from eval_tui.engine.authority import Authority
from eval_tui.engine.dryrun import DryRun
from eval_tui.engine.finding import Finding
from eval_tui.engine.grid import (
    EMPTY_CELL,
    CaseView,
    Cell,
    CellKey,
    CellState,
    Counterpart,
    Detail,
    Dirty,
    EvalInfo,
    FileText,
    Row,
    RunInfo,
    Scope,
    Status,
)
from eval_tui.engine.money import NOTHING, Estimate
from eval_tui.engine.stored import StoredEval, StoredGrid
from eval_tui.scores import Measured, Reason, Score, Unmeasured, measured
from eval_tui.tui.face import NO_CHANGE, merged

T = TypeVar("T")


class FakeGrid:
    """A grid of plain dictionaries."""

    def __init__(self, rows: Sequence[Row] = (), columns: Sequence[Judge] = ()) -> None:
        self.rows = tuple(rows)
        self.columns = tuple(columns)
        self.cells: dict[CellKey, Cell] = {}

    def cell(self, case: str, judge: str) -> Cell:
        return self.cells.get(CellKey(case, judge), EMPTY_CELL)


class FakeDriver:
    """Implements `eval_tui.tui.face.Driver`."""

    def __init__(
        self,
        rows: Sequence[Row] = (),
        judges: Sequence[Judge] = (),
        thresholds: Sequence[Threshold] = (),
        config: EvalConfig | None = None,
        status: Status | None = None,
    ) -> None:
        self.grid = FakeGrid(rows, judges)
        self.config = config or EvalConfig(
            path="/project/eval.yaml",
            root="/project",
            name="wiki",
            eval_name="wiki",
            judges=tuple(judges),
            thresholds=tuple(thresholds),
        )
        self.status = status or Status(
            eval_name="wiki", run_id="run-2", following=True, watching="events"
        )
        self.problems: tuple[Problem, ...] = ()
        self.authority = Authority()
        self.authority.read(self.config)
        self.dirty = NO_CHANGE
        self.calls: list[tuple[object, ...]] = []
        self.price = NOTHING
        """What model calls of a rerun take."""
        self.run_list: tuple[RunInfo, ...] = ()
        self.eval_list: tuple[EvalInfo, ...] = ()
        self.stored: dict[str, StoredEval] = {}
        """How evals stood when they were last scored, by config."""
        self.rationales: dict[CellKey, str] = {}
        self.views: dict[str, CaseView] = {}
        self.requests: dict[str, DryRun] = {}
        """By judge: what it would ask."""
        self.facts: dict[str, dict[str, Any]] = {}
        """By case: what can be read about it."""
        self.read_facts: list[tuple[str, ...]] = []
        """Of which cases it was read."""
        self.finding = Finding(
            None, self._facts, lambda key: self.detail(*key).score, self._column, self._stored
        )
        self.columns: dict[tuple[str, str], dict[str, Score]] = {}
        """By run and judge: what it said, by case."""
        self.scored: dict[str, StoredGrid] = {}
        """By run: how it was last scored."""
        self.read_runs: list[tuple[str, ...]] = []
        """Which of them were asked for."""
        self.started = 0
        self.own: set[str] = set()
        """Files that are as they were written here."""
        self.run_dir = ""
        self.baseline_id = ""

    # What a test does

    def put(self, case: str, judge: str, cell: Cell | Score) -> CellKey:
        """Set a cell and mark it dirty."""
        key = CellKey(case, judge)
        self.grid.cells[key] = cell if isinstance(cell, Cell) else Cell(CellState.FRESH, cell)
        self.change(Dirty(frozenset({key})))
        return key

    def lay_out(self, rows: Sequence[Row] | None = None, judges: Sequence[Judge] | None = None):
        """Replace rows or columns."""
        if rows is not None:
            self.grid.rows = tuple(rows)
        if judges is not None:
            self.grid.columns = tuple(judges)
        self.change(Dirty(structure=True))

    def say(self, status: Status) -> None:
        self.status = status
        self.change(Dirty(status=True))

    def change(self, dirty: Dirty) -> None:
        self.dirty = merged(self.dirty, dirty)

    # The face

    def authority_changed(self) -> None:
        self.change(Dirty(structure=True, problems=True))

    async def _facts(self, cases: Sequence[str]) -> dict[str, dict[str, Any]]:
        self.read_facts.append(tuple(cases))
        return {case: self.facts[case] for case in cases if case in self.facts}

    async def _column(self, run: RunInfo, judge: Judge) -> dict[str, Score]:
        return self.columns.get((run.id, judge.name), {})

    async def _stored(self, runs: Sequence[RunInfo]) -> dict[str, StoredGrid]:
        self.read_runs.append(tuple(run.id for run in runs))
        empty = StoredGrid((), self.grid.columns, {})
        return {run.id: self.scored.get(run.id, empty) for run in runs}

    def take_dirty(self) -> Dirty:
        dirty, self.dirty = self.dirty, NO_CHANGE
        return dirty

    def detail(self, case: str, judge: str) -> Detail:
        key = CellKey(case, judge)
        cell = self.grid.cell(case, judge)
        score = cell.score
        if key in self.rationales and isinstance(score, Measured):
            score = Measured(score.value, score.passed, self.rationales[key])
        return Detail(key, cell, score, trigger="first run", at=0.0, duration_s=0.012)

    def full_score(self, case: str, judge: str) -> Score | None:
        return self.detail(case, judge).score

    def as_written(self, path: str) -> bool:
        return path in self.own

    async def write_own(self, path: str, write: Callable[[], T]) -> T:
        self.calls.append(("write_own", path))
        self.own.add(path)
        return write()

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        return self.views[case]

    async def dry_run(self, case: str, judge: str) -> DryRun:
        self.calls.append(("dry_run", CellKey(case, judge)))
        if judge not in self.requests:
            raise OSError(f"{judge} asks no model")
        return self.requests[judge]

    async def file_text(self, case: str, name: str) -> FileText:
        return FileText(f"{case}/{name}", False, 10, False)

    async def counterparts(self, case: str, name: str, run: str = "") -> tuple[Counterpart, ...]:
        self.calls.append(("counterparts", name, run))
        return ()

    def select(
        self, scope: Scope, case: str | None = None, judge: str | None = None
    ) -> tuple[CellKey, ...]:
        return tuple(key for key in self.all_keys() if self._in_scope(scope, key, case, judge))

    def _in_scope(self, scope: Scope, key: CellKey, case: str | None, judge: str | None) -> bool:
        score = self.grid.cell(*key).score
        match scope:
            case "cell":
                return key == (case, judge)
            case "row":
                return key.case == case
            case "column":
                return key.judge == judge
            case "failed":
                return isinstance(score, Measured) and score.value is False
            case "retryable":
                return isinstance(score, Unmeasured) and score.retryable
            case "waiting":
                return self.grid.cell(*key).state is CellState.WAITING
            case "all":
                return True

    def all_keys(self) -> list[CellKey]:
        return [
            CellKey(row.case, judge.name) for row in self.grid.rows for judge in self.grid.columns
        ]

    def rerun(self, cells: Sequence[CellKey], force: bool = False) -> int:
        self.calls.append(("rerun", frozenset(cells), force))
        return len(cells)

    def estimate(self, cells: Sequence[CellKey], force: bool = False) -> Estimate:
        return self.price

    def cancel(self, cells: Sequence[CellKey] | None) -> int:
        self.calls.append(("cancel", None if cells is None else frozenset(cells)))
        return 0 if cells is None else len(cells)

    def pause(self, on: bool) -> None:
        self.calls.append(("pause", on))

    def runs(self) -> tuple[RunInfo, ...]:
        return self.run_list

    def evals(self) -> tuple[EvalInfo, ...]:
        return self.eval_list

    async def stored_eval(self, path: str) -> StoredEval:
        if path not in self.stored:
            raise OSError("nothing is known of it")
        return self.stored[path]

    async def open_run(self, run_id: str) -> None:
        self.calls.append(("open_run", run_id))

    async def open_eval(self, path: str) -> None:
        self.calls.append(("open_eval", path))

    async def start(self) -> None:
        self.started += 1
        self.change(Dirty(structure=True, problems=True, status=True))

    async def close(self) -> None:
        self.calls.append(("close",))


def check(name: str, **more: object) -> Judge:
    """A plain check judge."""
    return Judge(name, "check", **more)  # type: ignore[arg-type]


def model(name: str, **more: object) -> Judge:
    return Judge(name, "model", **more)  # type: ignore[arg-type]


def ran(*cases: str) -> list[Row]:
    return [Row(case, "ran") for case in cases]


def sample_driver(cases: int = 6) -> FakeDriver:
    """A grid that holds one of every state."""
    judges = [
        check("budget_check"),
        check("wiki_page_structure"),
        check("cross_linking_quality"),
        model("overall_quality", score_range=(1.0, 5.0)),
        check("coverage", score_range=(0.0, 1.0)),
    ]
    rows = ran(*(f"case-{number:02}" for number in range(cases)))
    rows.append(Row("ingest-slack-thread", "not_run"))
    driver = FakeDriver(
        rows,
        judges,
        [
            Threshold("budget_check", "min_pass_rate", 0.8),
            Threshold("overall_quality", "min_mean", 4.5),
        ],
    )
    states = [
        Cell(CellState.FRESH, measured(True, "fine")),
        Cell(CellState.FRESH, measured(False, "not fine")),
        Cell(CellState.STALE, measured(True)),
        Cell(CellState.RUNNING, measured(False)),
        Cell(CellState.QUEUED),
        Cell(CellState.RUNNING),
        Cell(CellState.FRESH, Unmeasured(Reason.GRADER_ERROR, "ValueError: x", retryable=True)),
        Cell(CellState.FRESH, Unmeasured(Reason.MISSING_EVIDENCE, "no cost")),
        Cell(CellState.FRESH, Unmeasured(Reason.POLICY_SKIP, "if: false")),
        Cell(CellState.FRESH, Unmeasured(Reason.CONTRACT_VIOLATION, "returned None")),
        Cell(CellState.WAITING, measured(True), waiting="cancelled"),
        Cell(CellState.FRESH, Unmeasured(Reason.UNSUPPORTED, "no runner")),
    ]
    for number in range(cases):
        case = f"case-{number:02}"
        for column, judge in enumerate(judges[:3]):
            driver.put(case, judge.name, states[(number * 3 + column) % len(states)])
        driver.put(
            case,
            "overall_quality",
            Cell(CellState.FRESH, measured(1 + number % 5, "good"), recorded=True),
        )
        driver.put(case, "coverage", measured(round(number / cases, 3)))
    driver.put(f"case-{cases - 1:02}", "overall_quality", Cell(CellState.WAITING, waiting="money"))
    return driver
