"""The work of a worker: verify what is known of a cell, or run its judge.

A job is *verify or run*: each known result of the cell is compared, input by input, with what
the disk says now; only when none fits does the judge run. User code is called nowhere else.
"""

from __future__ import annotations

from typing import Any

from eval_tui.engine.casework import CaseWork
from eval_tui.engine.lookups import LOOKUPS
from eval_tui.engine.observe import Observer
from eval_tui.engine.wire import judge_from_plain
from eval_tui.engine.workstate import State, WorkerIO, loaded
from eval_tui.judges.load import JudgeEnv, JudgeUnusable
from eval_tui.record.spec import RecordSpec


def setup(plain: dict[str, Any]) -> State:
    """The state of a fresh worker; installs the observer before any user code is imported."""
    spec = RecordSpec.from_plain(plain["record"])
    extra = [path for path in (spec.run_dir, spec.dataset_dir) if path]
    observer = Observer(plain["root"], extra)
    observer.install()
    env = JudgeEnv(plain["root"], plain["config"])
    judges = [judge_from_plain(entry) for entry in plain["judges"]]
    return State(spec, env, {judge.name: judge for judge in judges}, observer)


def run_batch(state: State, batch: dict[str, Any], io: WorkerIO) -> bool:
    """Evaluate a batch, one message per finished cell. False: the worker must be replaced."""
    ambients: dict[str, list[list[str]]] = batch.get("ambients", {})
    state.announced.clear()
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
            message.update(detail=found.detail, hint=found.hint, line=found.line)
        io.emit(message)
        io.end()


def view(request: dict[str, Any]) -> dict[str, Any]:
    """Trusted work for readers and start-up; runs no user code. Unknown requests raise KeyError."""
    return LOOKUPS[request["op"]](request)
