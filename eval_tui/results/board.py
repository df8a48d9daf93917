"""Everything that the grid screen says about its columns and about the whole: it computes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from eval_tui.config.grader_kinds import known_metrics
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.grid import Cell, CellState, Grid, Row
from eval_tui.results.aggregate import Aggregate, aggregate
from eval_tui.results.gates import Gate, GateState, gates, worst
from eval_tui.results.pairwise import count_wins
from eval_tui.results.parts import PartView, part_names, part_view
from eval_tui.results.words import count, gate_words, summary
from eval_tui.scores import Measured, Reason, Unmeasured


@dataclass(frozen=True, slots=True)
class ColumnView:
    """One judge of the grid's header."""

    judge: Judge
    aggregate: Aggregate
    gates: tuple[Gate, ...]
    summary: str
    """The figure with its denominator, e.g. `83% 10/12 · 12/14 measured`; never empty."""
    gate: GateState | None
    """The state of its gates together; None without a threshold."""
    gate_lines: tuple[str, ...]
    """One sentence per gate, e.g. `pass rate 75% >= 80%: fail`; that of a metric names it first."""
    failed: int
    """Cells whose value is a fail."""
    errored: int
    """Cells that should have a value and have none (skips are not among them)."""
    running: int
    queued: int
    waiting: int
    parts: tuple[str, ...] = ()
    """What its scores are made of, by name; empty for most judges."""
    unfolded: tuple[PartView, ...] = ()
    """The figures of each part, where they were asked for."""


@dataclass(frozen=True, slots=True)
class Board:
    """The grid's header and its counts."""

    columns: tuple[ColumnView, ...]
    cases_ran: int
    cases_not_run: int
    running: int
    queued: int
    waiting: int
    stale: int
    headline: str
    """The counts in words, e.g. `5 cases, 2 not run · 30 cells, 3 running`."""
    empty: str
    """Why there is no grid to see, in words; empty when there is one."""
    gate: GateState | None
    """The state of all gates together."""

    def column(self, judge: str) -> ColumnView | None:
        """The column of a judge by name."""
        return next((view for view in self.columns if view.judge.name == judge), None)


def make_board(
    grid: Grid,
    config: EvalConfig | None,
    max_unmeasured: float = 1.0,
    previous: Board | None = None,
    changed: Collection[str] | None = None,
    unfolded: Collection[str] = (),
    falls: Mapping[str, float | None] | None = None,
) -> Board:
    """The board of a grid, with the parts of the `unfolded` judges. Pure: one pass over its cells.

    While rows, columns and thresholds stay as they are, only the columns named in `changed` are
    counted anew and the others are taken from `previous`. `falls` are those of a comparison with a
    baseline, by judge; None without one.
    """
    rows = [row for row in grid.rows if row.status != "not_run"]
    kept = {
        view.judge.name: view
        for view in (previous.columns if previous and changed is not None else ())
        if view.judge.name not in (changed or ())
    }
    views = tuple(
        kept.get(judge.name)
        or _column(judge, grid, rows, config, max_unmeasured, judge.name in unfolded, falls)
        for judge in grid.columns
    )
    ran = sum(row.status == "ran" for row in rows)
    not_run = len(grid.rows) - len(rows)
    running = sum(view.running for view in views)
    queued = sum(view.queued for view in views)
    return Board(
        columns=views,
        cases_ran=ran,
        cases_not_run=not_run,
        running=running,
        queued=queued,
        waiting=sum(view.waiting for view in views),
        stale=sum(view.aggregate.stale for view in views),
        headline=_headline(len(rows), not_run, len(rows) * len(views), running, queued),
        empty=_empty(grid, config),
        gate=worst(gate for view in views for gate in view.gates),
    )


def _column(
    judge: Judge,
    grid: Grid,
    rows: list[Row],
    config: EvalConfig | None,
    max_unmeasured: float,
    unfolded: bool,
    falls: Mapping[str, float | None] | None,
) -> ColumnView:
    cells = [grid.cell(row.case, judge.name) for row in rows]
    figures = aggregate(cells)
    wins = count_wins(cells) if judge.compares else None
    rates = {judge.name: wins.rate} if wins and wins.rate is not None else {}
    of_metrics = _metric_figures(judge, cells, config)
    figured = {judge.name: figures, **of_metrics}
    own = gates(config, figured, max_unmeasured, rates, falls) if config else ()
    scores = [cell.score for cell in cells]
    states = Counter(cell.state for cell in cells)
    parts = part_names(judge, scores)
    return ColumnView(
        judge=judge,
        aggregate=figures,
        gates=own,
        summary=summary(figures, wins.figure if wins else ""),
        gate=worst(own),
        gate_lines=tuple(
            gate_words(gate) if gate.judge == judge.name else f"{gate.judge}: {gate_words(gate)}"
            for gate in own
        ),
        failed=sum(isinstance(score, Measured) and score.passed is False for score in scores),
        errored=sum(
            isinstance(score, Unmeasured) and score.reason is not Reason.POLICY_SKIP
            for score in scores
        ),
        running=states[CellState.RUNNING],
        queued=states[CellState.QUEUED],
        waiting=states[CellState.WAITING],
        parts=parts,
        unfolded=tuple(part_view(part, cells) for part in parts) if unfolded else (),
    )


def _metric_figures(
    judge: Judge, cells: list[Cell], config: EvalConfig | None
) -> dict[str, Aggregate]:
    """The figures of a grader's metrics that a threshold names."""
    if judge.grader is None or config is None:
        return {}
    named = {threshold.judge for threshold in config.thresholds} - {judge.name}
    wanted = [metric for metric in known_metrics(judge.grader) if metric in named]
    return {metric: part_view(metric, cells).aggregate for metric in wanted}


def _headline(ran: int, not_run: int, cells: int, running: int, queued: int) -> str:
    parts = [count(ran, "case") + (f", {not_run:,} not run" if not_run else "")]
    work = [f"{running:,} running"] if running else []
    work += [f"{queued:,} queued"] if queued else []
    parts.append(", ".join([count(cells, "cell"), *work]))
    return " · ".join(parts)


def _empty(grid: Grid, config: EvalConfig | None) -> str:
    """What is missing, from the outside in; the first that is missing explains the rest (S6)."""
    if config is None:
        return "No eval config is loaded."
    if not grid.columns:
        return f"No judges: {config.name or 'this eval'} has no entry under `judges:` yet."
    if not grid.rows:
        return "No cases: neither the run nor the dataset holds any."
    if all(row.status == "not_run" for row in grid.rows):
        return "No case has run yet: run the agent, and its cases appear here."
    return ""
