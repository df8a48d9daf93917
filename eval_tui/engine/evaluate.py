"""The work of a worker: verify what is known of a cell, or run its judge.

A job is *verify or run*: each known result of the cell is compared, input by input, with what
the disk says now; only when none fits does the judge run. User code is called nowhere else.
"""

from __future__ import annotations

import os
from typing import Any

from eval_tui.engine.casework import CaseWork
from eval_tui.engine.lookups import LOOKUPS
from eval_tui.engine.observe import Observer
from eval_tui.engine.pairwise_work import Comparing
from eval_tui.engine.preload import begin as preload
from eval_tui.engine.preload import inherited
from eval_tui.engine.wire import judge_from_plain
from eval_tui.engine.workstate import State, WorkerIO, loaded
from eval_tui.judges.base import prepare_path
from eval_tui.judges.load import JudgeEnv, JudgeUnusable
from eval_tui.record.spec import RecordSpec

__all__ = ["preload", "run_batch", "setup", "view"]


def setup(plain: dict[str, Any]) -> State:
    """The state of a fresh worker; installs the observer before any user code is imported."""
    spec = RecordSpec.from_plain(plain["record"])
    extra = [path for path in (spec.run_dir, spec.dataset_dir) if path]
    env = JudgeEnv(plain["root"], plain["config"])
    born_with = inherited()
    if born_with is None:
        observer = Observer(plain["root"], extra)
        observer.install()
        prepare_path(env)
        observer.modules.heavy.begin()
    else:
        observer = born_with.observer
    judges = [judge_from_plain(entry) for entry in plain["judges"]]
    baseline = plain.get("baseline")
    comparing = Comparing(RecordSpec.from_plain(baseline)) if baseline else None
    variables = {**os.environ, **plain.get("variables", {})}
    by_name = {judge.name: judge for judge in judges}
    state = State(spec, env, by_name, observer, comparing, variables)
    if born_with is not None:
        state.module_reads.update(born_with.reads)
    return state


def run_batch(state: State, batch: dict[str, Any], io: WorkerIO) -> bool:
    """Evaluate a batch, one message per finished cell. False: the worker must be replaced."""
    ambients: dict[str, list[list[str]]] = batch.get("ambients", {})
    state.announced.clear()
    heavy = state.observer.modules.heavy
    heavy.unfit = io.give_up
    for case_index, item in enumerate(batch["cases"]):
        if item.get("load"):
            _load_only(state, item, batch["id"], io, case_index)
            continue
        work = CaseWork(state, item, batch["id"], ambients)
        clean = True
        for judge_index, job in enumerate(item["jobs"]):
            io.begin(case_index, judge_index)
            try:
                clean = work.cell(job, io)
            finally:
                io.end()
            if not clean:
                break
        io.flush()  # from here on nobody's cell is at work
        work.finish(io)
        if heavy.found:
            io.emit({"t": "imports", "id": batch["id"], "names": list(heavy.found)})
            heavy.found.clear()
        if not clean:
            return False
    return True


def _load_only(
    state: State, item: dict[str, Any], batch: int, io: WorkerIO, case_index: int
) -> None:
    """Load judges without judging anything: whether they can be used at all."""
    for judge_index, job in enumerate(item["jobs"]):
        io.begin(case_index, judge_index)
        with io.capture():
            found = loaded(state.judges[job["judge"]], state.env)
        message = {"t": "cell", "id": batch, "case": item["case"], "judge": job["judge"]}
        if isinstance(found, JudgeUnusable):
            message.update(found.to_plain())
        io.emit(message)
        io.end()


def view(request: dict[str, Any]) -> dict[str, Any]:
    """Trusted work for readers and start-up; runs no user code. Unknown requests raise KeyError."""
    return LOOKUPS[request["op"]](request)
