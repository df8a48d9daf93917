"""The jobs of one case: verify what is known of its cells, or run their judges."""

from __future__ import annotations

import os
import time
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.engine import folders
from eval_tui.engine.grading import grade_case, note_files
from eval_tui.engine.invoke import Watched, importer_of, invoke
from eval_tui.engine.observe import Watch, settle
from eval_tui.engine.render import render
from eval_tui.engine.seen import Seen, is_young, noting, observations, why_version
from eval_tui.engine.verify import Present, still_known
from eval_tui.engine.versions import Observation
from eval_tui.engine.workstate import State, WorkerIO, loaded
from eval_tui.judges import condition
from eval_tui.judges.graders.bench import LoadedGrader
from eval_tui.judges.load import JudgeUnusable
from eval_tui.judges.outcome import score_of_condition_error, score_of_exception
from eval_tui.plugins import plugin_name
from eval_tui.record.case import CaseParts, StepMissing, load_case
from eval_tui.record.record import make_record
from eval_tui.scores import Reason, Score, Unmeasured, to_plain

BRIEF_MS = 2.0
"""Cells may wait to be told while a judge runs whose last run was shorter."""


class CaseWork:
    """The jobs of one case in one batch."""

    def __init__(
        self, state: State, item: dict[str, Any], batch: int, ambients: dict[str, list[list[str]]]
    ) -> None:
        self.state = state
        self.case: str = item["case"]
        self.batch = batch
        self.ambients = ambients
        self.extra: set[str] = set(item.get("extra", ()))
        spec = state.spec
        self.folders = folders.case_folders(spec.run_dir, spec.dataset_dir, self.case)
        self.folder_digest, young = folders.folder_signature(self.folders)
        self.signature = folders.whole_signature(
            spec.run_dir, self.folder_digest, young, self.extra
        )
        self.parts: CaseParts = load_case(spec, self.case)
        self.case_reads: dict[str, dict[Observation, None]] = {}
        """Path of a project module -> what was read through it inside this case."""
        self.present = Present(state, self.folder_digest)
        self.announced = False

    def cell(self, job: dict[str, Any], io: WorkerIO) -> bool:
        """Do one job and tell its outcome. False: the worker must be replaced."""
        name: str = job["judge"]
        judge = self.state.judges[name]
        if not self.announced:
            self.announced = True
            self._emit(io, {"t": "case", "folders": self.folder_digest}, now=False)
        message: dict[str, Any] = {"t": "cell", "judge": name}
        try:
            parts = self.parts.scoped(judge.step) if judge.step else self.parts
        except StepMissing as exc:
            self._skip(message, score_of_exception(exc, judge, (), self.parts))
            message["cond"] = [("step-", judge.step or "", "")]
            self._emit(io, message, now=False)
            return True
        stop = self._condition(judge, parts, message)
        if stop is None and not job.get("force"):
            stop = self._still_known(job, parts, message)
        clean = True
        if stop is None:
            if job.get("ask"):
                message.update(render(judge, self.case, parts, self.state))
            elif job.get("hold"):
                message["outcome"] = "held"
            else:
                clean = self._run(judge, parts, message, io, job.get("known"))
        message["ambient"] = self.state.ambient(name).news()
        self._emit(io, message, now=False)
        return clean

    def finish(self, io: WorkerIO) -> None:
        """Tell the signature that all cells of this case were judged under."""
        outside = self._outside_sources()
        whole = self.signature
        if outside - self.extra:
            self.extra |= outside
            spec = self.state.spec
            whole, digest = folders.case_signature(
                spec.run_dir, spec.dataset_dir, self.case, self.extra
            )
            whole = whole if digest == self.folder_digest else ""
        self._emit(
            io, {"t": "cased", "sig": whole, "extra": sorted(self.extra), "keys": self.parts.keys()}
        )

    def _emit(self, io: WorkerIO, message: dict[str, Any], *, now: bool = True) -> None:
        message["id"], message["case"] = self.batch, self.case
        (io.emit if now else io.hold)(message)

    def _skip(self, message: dict[str, Any], score: Unmeasured) -> None:
        message.update(outcome="skip", score=to_plain(score))

    def _condition(self, judge: Judge, parts: CaseParts, message: dict[str, Any]) -> bool | None:
        """Evaluate `if:`; True when it settles the cell, None to go on."""
        if judge.condition is None:
            return None
        seen: Seen = {}
        try:
            record = make_record(parts, noting(seen))
            applies = condition.evaluate(judge.condition, record)
        except BaseException as exc:
            self._skip(message, score_of_condition_error(exc, judge, parts))
            message["young"] = is_young(exc)
            applies = False
        else:
            if not applies:
                self._skip(message, condition.skipped(judge))
        if seen:
            message["cond"] = observations(seen, self.folder_digest)
        return None if applies else True

    def _still_known(
        self, job: dict[str, Any], parts: CaseParts, message: dict[str, Any]
    ) -> bool | None:
        """True when one of the known results still holds, None to go on."""
        step = self.state.judges[job["judge"]].step or ""
        found = still_known(job.get("known", ()), self.ambients, self.present, parts, step)
        if found is None:
            return None
        message.update(outcome="same", known=found)
        return True

    def _run(
        self,
        judge: Judge,
        parts: CaseParts,
        message: dict[str, Any],
        io: WorkerIO,
        known: object,
    ) -> bool:
        state = self.state
        seen: Seen = {}
        watch = Watch(self.folders)
        started = time.perf_counter()
        self._announce_run(judge, io, watch, bool(known))
        runner, printed = state.runners[judge.name], ""
        if isinstance(runner, LoadedGrader):
            score, printed, young = self._grade(runner, judge, parts, seen, watch, io)
        elif judge.kind == "builtin":  # runs no code but ours
            score, young = invoke(runner, judge, parts, seen, watch, state)
        else:
            with io.capture() as captured:
                score, young = invoke(runner, judge, parts, seen, watch, state)
            printed = captured.text
        message["ms"] = state.took[judge.name] = round((time.perf_counter() - started) * 1000, 3)
        notes, replace = io.check() if judge.kind != "builtin" else ([], False)
        inputs = [*observations(seen, self.folder_digest), *self._settle(judge, watch)]
        if isinstance(score, Unmeasured) and score.reason is Reason.MISSING_EVIDENCE:
            # The words say why a key is absent, so that is an input of theirs.
            absent = [key for kind, key, _ in inputs if kind == "absent"]
            inputs += [("why", key, why_version(parts, key)) for key in absent]
        if watch.opaque:
            inputs.append(("opaque", "", self.folder_digest))
        message.update(outcome="ran", score=to_plain(score), inputs=inputs)
        if watch.written:
            message["wrote"] = [
                (path, folders.files_signature([path])[0]) for path in sorted(watch.written)[:50]
            ]
        if young:
            message["young"] = True
        told = {"out": printed, "opaque": list(watch.opaque), "notes": notes}
        message.update((word, value) for word, value in told.items() if value)
        if isinstance(runner, JudgeUnusable):
            message["unusable"] = runner.to_plain()
        return not replace

    def _grade(
        self,
        found: LoadedGrader,
        judge: Judge,
        parts: CaseParts,
        seen: Seen,
        watch: Watch,
        io: WorkerIO,
    ) -> tuple[Score, str, bool]:
        """The score of a grader, what its commands or its own code printed, and as `invoke`."""
        state, note = self.state, noting(seen)

        def grade() -> tuple[Score, str, BaseException | None]:
            return grade_case(
                found, judge, self.case, parts, note, watch, state.env, state.variables
            )

        if plugin_name(found.grader.id):
            with io.capture() as captured, Watched(state.observer, watch, judge):
                score, _, error = grade()
            printed = captured.text
        else:
            score, printed, error = grade()
        return score, printed, is_young(error)

    def _announce_run(self, judge: Judge, io: WorkerIO, watch: Watch, surprising: bool) -> None:
        """Load the judge, then tell what it rests on already, unless this batch has told it.

        If the process dies on the way, this is all that is known of the cell's inputs. That a
        judge runs is told when it might as well not have run (`surprising`).
        """
        if judge.name not in self.state.runners:
            with io.capture(), Watched(self.state.observer, watch, judge):
                self.state.runners[judge.name] = loaded(judge, self.state.env)
            io.loaded()
            self._settle(judge, watch)
        if isinstance(found := self.state.runners[judge.name], LoadedGrader):
            note_files(found.grader, self.state.env, watch)
            self._settle(judge, watch)
        if self.state.took.get(judge.name, BRIEF_MS) >= BRIEF_MS:
            io.flush()
        if surprising or judge.name not in self.state.announced:
            self.state.announced.add(judge.name)
            ambient = self.state.ambient(judge.name).news()
            self._emit(io, {"t": "run", "judge": judge.name, "ambient": ambient})

    def _settle(self, judge: Judge, watch: Watch) -> list[Observation]:
        """File what was seen: inputs of the cell are returned, the rest goes to the ambient."""
        state = self.state
        inputs: dict[Observation, None] = {}
        outside: list[Observation] = []
        tracker, importer = state.observer.modules, importer_of(judge)
        closure = tracker.closure(importer)
        for observation, through in settle(watch):
            kind, path, version = observation
            if kind == "exists" and version == "f" and path in closure:
                continue  # its content is an input
            inside = watch.inside_case(observation[1])
            reads = self.case_reads if inside else state.module_reads
            for module in through:
                reads.setdefault(module, {})[observation] = None
            if inside:
                inputs[observation] = None
            else:
                outside.append(observation)
        outside.extend(("exists", path, "-") for path in tracker.gaps(importer))
        outside.extend(("module", module, tracker.files[module]) for module in closure)
        names = tracker.imported(importer)
        for module in (*closure, *(state.module_reads.keys() & names)):
            outside.extend(state.module_reads.get(module, ()))
        for module in (*closure, *(self.case_reads.keys() & names)):
            inputs.update(self.case_reads.get(module, {}))
        state.ambient(judge.name).add(outside)
        watch.looks.clear()
        return list(inputs)

    def _outside_sources(self) -> set[str]:
        """Files outside of the case's folders, and not beside `cases/`, that its record rests on."""
        spec = self.state.spec
        known = {os.path.join(spec.run_dir, name) for name in folders.RUN_FILES}
        inside = tuple(folder + os.sep for folder in self.folders)
        comparing = self.state.comparing
        baseline = comparing.sources(self.case) if comparing is not None else set[str]()
        return {
            path
            for path in self.parts.disk.looked_at | baseline
            if not path.startswith(inside) and path not in self.folders and path not in known
        }
