"""Another run as it was last scored: from the store and its `summary.yaml`; nothing is judged."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from eval_tui.config.case_graders import CaseGraderScan, with_case_graders
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine import project
from eval_tui.engine.cells import CellInfo, restored
from eval_tui.engine.grid import EMPTY_CELL, Cell, Row, RunInfo
from eval_tui.engine.looks import Doing, look
from eval_tui.engine.project import Options
from eval_tui.engine.store import Store, open_store
from eval_tui.engine.target import Target, rows_of, snapshot_of
from eval_tui.engine.word import other_now, rests_on
from eval_tui.record.recorded import read_recorded
from eval_tui.record.runs import Run
from eval_tui.scores import Score


@dataclass(frozen=True)
class StoredGrid:
    """A grid that stands still."""

    rows: tuple[Row, ...]
    columns: tuple[Judge, ...]
    cells: Mapping[tuple[str, str], Cell]

    def cell(self, case: str, judge: str) -> Cell:
        return self.cells.get((case, judge), EMPTY_CELL)


@dataclass(frozen=True)
class StoredEval:
    """An eval with its newest run, as that was last scored."""

    config: EvalConfig
    run: str
    """The id of the run; empty when there is none."""
    grid: StoredGrid


def stored_eval(path: str, options: Options) -> StoredEval:
    """The eval of a config from what is on disk; nothing is judged. For a thread: takes its time."""
    config = project.read_config(path, options)
    runs = project.runs_of(config, options) if config.usable else ()
    if not runs:
        return StoredEval(config, "", StoredGrid((), config.judges, {}))
    config = with_case_graders(config, CaseGraderScan().look(config.dataset))
    with contextlib.closing(open_store(options.root)) as store:
        return StoredEval(config, runs[0].id, stored_grid(store, config, runs[0]))


def stored_runs(config: EvalConfig, runs: Iterable[RunInfo]) -> dict[str, StoredGrid]:
    """The grids of several runs by their ids, see `stored_grid`. For a thread: takes its time."""
    with contextlib.closing(open_store(config.root)) as store:
        return {
            run.id: stored_grid(store, config, Run(run.id, run.path, run.started, run.cases))
            for run in runs
        }


def stored_grid(store: Store, config: EvalConfig, run: Run) -> StoredGrid:
    """The grid of a run under the judges as they are now, from what is stored and recorded of it.

    What a judge said before it (or a module or script of its) was changed is not its word, even if
    it is recorded as such: those cells have a value that is recorded without saying by which
    version, or none. Whether files of the run have changed since is not looked at. Reads files,
    and takes its time where the run is large.
    """
    recorded = read_recorded(os.path.realpath(run.path))
    target = project.read_target(config, run, recorded)
    return StoredGrid(rows_of(target), config.judges, dict(_cells(store, target, recorded.made_by)))


def _cells(
    store: Store, target: Target, made_by: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[tuple[str, str], Cell]]:
    config, spec = target.config, target.spec
    if config is None or spec is None:
        return
    known = snapshot_of(target).judges
    stored = store.rows(spec.run_dir)
    others = other_now(rests_on(store, (cell for row in stored.values() for cell in row.cells)))
    for row in rows_of(target):
        if row.status == "not_run":
            continue
        present = row.status == "ran"
        kept = stored[row.case].cells if present and row.case in stored else ()
        by_judge = {(c.fp, c.condition): c for c in kept}
        said: Mapping[str, Score] = target.recorded.get(row.case, {})
        for judge in config.judges:
            key = known[judge.name]
            cell = by_judge.get((key.fingerprint, key.condition))
            edited = cell is not None and cell.ambient in others
            none = CellInfo(key.fingerprint, key.condition)
            info = none if cell is None or edited else restored(cell, "")
            doing = Doing(judged=False, present=present)
            recorded = said.get(judge.name)
            ours = judge.name in made_by.get(row.case, ())
            if (row.case, judge.name) in target.outdated or (edited and ours):
                recorded = None
            yield (row.case, judge.name), look(judge, info, recorded, doing)
