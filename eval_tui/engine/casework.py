"""The jobs of one case: verify what is known of its cells, or run their judges."""

from __future__ import annotations

import contextvars
import functools
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.engine import folders
from eval_tui.engine.observe import Observer, Watch, settle
from eval_tui.engine.peek import peek
from eval_tui.engine.versions import (
    Observation,
    digest,
    env_version,
    path_version,
    python_version,
)
from eval_tui.engine.workstate import State, WorkerIO, loaded
from eval_tui.judges import condition
from eval_tui.judges.load import JudgeUnusable, Runner
from eval_tui.judges.outcome import score_of, score_of_condition_error, score_of_exception
from eval_tui.record.case import CaseParts, PartUnreadable, StepMissing, load_case
from eval_tui.record.record import (
    MissingKey,
    Record,
    current_version,
    make_record,
    plain_record,
    tripped,
)
from eval_tui.scores import Reason, Score, Unmeasured, to_plain

BRIEF_MS = 2.0
"""Cells may wait to be told while a judge runs whose last run was shorter."""

C_WALKERS = frozenset({"orjson", "msgspec", "ujson", "rapidjson", "pydantic_core"})
"""Libraries that read a dict past its methods."""

YOUNG_S = 1.0
"""A document that cannot be read and is younger than this is probably being written (D13)."""


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
        self.versions: dict[tuple[str, str, str], str] = {}
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
            stop = self._candidate(job, parts, message)
        clean = True
        if stop is None:
            if job.get("ask"):
                self._ask(judge, parts, message)
            elif job.get("peek"):
                self._peek(judge, parts, message)
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
        seen: dict[tuple[str, str], str] = {}
        try:
            record = make_record(parts, _noting(seen))
            applies = condition.evaluate(judge.condition, record)
        except BaseException as exc:
            self._skip(message, score_of_condition_error(exc, judge, parts))
            message["young"] = _is_young(exc)
            applies = False
        else:
            if not applies:
                self._skip(message, condition.skipped(judge))
        if seen:
            message["cond"] = self._finished(seen)
        return None if applies else True

    def _finished(self, seen: dict[tuple[str, str], str]) -> list[Observation]:
        """Record observations with the folder's digest where a path was handed out."""
        return [
            (kind, key, self.folder_digest if kind == "case_dir" else version)
            for (kind, key), version in seen.items()
        ]

    def _candidate(
        self, job: dict[str, Any], parts: CaseParts, message: dict[str, Any]
    ) -> bool | None:
        """The first known result whose inputs are all as they were."""
        judge = self.state.judges[job["judge"]]
        for known in job.get("known", ()):
            inputs = [*self.ambients.get(known["ambient"], ()), *known["inputs"]]
            if known["ambient"] in self.ambients and all(
                self._now(parts, judge.step or "", kind, key) == version
                for kind, key, version in inputs
            ):
                message.update(outcome="same", known=known["id"])
                return True
        return None

    def _now(self, parts: CaseParts, step: str, kind: str, key: str) -> str:
        """The present version of an observation, worked out once per case."""
        if kind == "python":
            return python_version()
        if kind == "env":
            return env_version(key, os.environ)
        if kind in ("opaque", "case_dir"):
            return self.folder_digest
        if kind == "why":
            return _why(parts, key)
        if kind in ("list", "list+", "exists", "stat", "link"):
            return path_version(kind, key)
        if kind in ("open", "module"):
            return self._content(key)
        found = self.versions.get((step, kind, key))
        if found is None:
            found = self.versions[(step, kind, key)] = current_version(parts, kind, key)
        return found

    def _content(self, path: str) -> str:
        """A file's digest, read again only when its signature changed."""
        signature, young = folders.files_signature([path])
        kept = self.state.contents.get((path, signature))
        if kept is not None and not young:
            return kept
        version = path_version("open", path)
        if not young:
            self.state.contents[(path, signature)] = version
        return version

    def _ask(self, judge: Judge, parts: CaseParts, message: dict[str, Any]) -> None:
        """Render what a model would be asked; the app decides whether it is."""
        from eval_tui.judges.model import build_request  # brings Jinja2 along

        seen: dict[tuple[str, str], str] = {}
        found = self.state.model_judge(judge)
        if isinstance(found, JudgeUnusable):
            score = Unmeasured(
                Reason.UNSUPPORTED, found.words, recover_on=frozenset({"config", "code"})
            )
            message.update(outcome="unasked", score=to_plain(score))
            message["unusable"] = {"detail": found.detail, "hint": found.hint, "line": found.line}
            return
        try:
            request = build_request(found, make_record(parts, _noting(seen)), parts)
        except BaseException as exc:
            score = score_of_exception(exc, judge, (self.state.env.config_path,), parts)
            message.update(outcome="unasked", score=to_plain(score))
            message["young"] = _is_young(exc)
        else:
            message.update(outcome="asked", request=request.to_plain())

    def _peek(self, judge: Judge, parts: CaseParts, message: dict[str, Any]) -> None:
        """What a model judge would read, without asking the model."""
        seen: dict[tuple[str, str], str] = {}
        try:
            peek(judge, make_record(parts, _noting(seen)))
        except PartUnreadable:
            pass  # noted with the version of the unreadable part
        message.update(outcome="peek", inputs=self._finished(seen))

    def _run(
        self,
        judge: Judge,
        parts: CaseParts,
        message: dict[str, Any],
        io: WorkerIO,
        known: object,
    ) -> bool:
        state = self.state
        seen: dict[tuple[str, str], str] = {}
        watch = Watch(self.folders)
        started = time.perf_counter()
        self._announce_run(judge, io, watch, bool(known))
        printed = ""
        if judge.kind == "builtin":  # runs no code but ours
            score = self._call(judge, parts, seen, watch)
        else:
            with io.capture() as captured:
                score = self._call(judge, parts, seen, watch)
            printed = captured.text
        message["ms"] = state.took[judge.name] = round((time.perf_counter() - started) * 1000, 3)
        notes, replace = io.check() if judge.kind != "builtin" else ([], False)
        inputs = [*self._finished(seen), *self._settle(judge, watch)]
        if isinstance(score, Unmeasured) and score.reason is Reason.MISSING_EVIDENCE:
            # The words say why a key is absent, so that is an input of theirs.
            absent = [key for kind, key, _ in inputs if kind == "absent"]
            inputs += [("why", key, _why(parts, key)) for key in absent]
        if watch.opaque:
            inputs.append(("opaque", "", self.folder_digest))
        message.update(
            outcome="ran",
            score=to_plain(score),
            inputs=inputs,
        )
        if watch.written:
            message["wrote"] = [
                (path, folders.files_signature([path])[0]) for path in sorted(watch.written)[:50]
            ]
        if self.state_young:
            message["young"] = True
        told = {"out": printed, "opaque": list(watch.opaque), "notes": notes}
        message.update((word, value) for word, value in told.items() if value)
        runner = state.runners.get(judge.name)
        if isinstance(runner, JudgeUnusable):
            message["unusable"] = {
                "detail": runner.detail,
                "hint": runner.hint,
                "line": runner.line,
            }
        return not replace

    def _announce_run(self, judge: Judge, io: WorkerIO, watch: Watch, surprising: bool) -> None:
        """Load the judge, then tell what it rests on already, unless this batch has told it.

        If the process dies on the way, this is all that is known of the cell's inputs. That a
        judge runs is told when it might as well not have run (`surprising`).
        """
        if judge.name not in self.state.runners:
            with io.capture(), self._watched(judge, watch):
                self.state.runners[judge.name] = loaded(judge, self.state.env)
            io.loaded()
            self._settle(judge, watch)
        if self.state.took.get(judge.name, BRIEF_MS) >= BRIEF_MS:
            io.flush()
        if surprising or judge.name not in self.state.announced:
            self.state.announced.add(judge.name)
            ambient = self.state.ambient(judge.name).news()
            self._emit(io, {"t": "run", "judge": judge.name, "ambient": ambient})

    def _watched(self, judge: Judge, watch: Watch) -> _Watched:
        return _Watched(self.state.observer, watch, f"judge:{judge.name}")

    state_young = False

    def _call(
        self, judge: Judge, parts: CaseParts, seen: dict[tuple[str, str], str], watch: Watch
    ) -> Score:
        self.state_young = False
        raw: object = None
        error: BaseException | None = None
        runner = self.state.runners[judge.name]
        if isinstance(runner, JudgeUnusable):
            change = frozenset({"config", "code"})
            return Unmeasured(Reason.UNSUPPORTED, runner.words, recover_on=change)
        for plain in (judge.name in self.state.plain or self._walks_in_c(judge), True):
            raw, error, stumbled = self._try(runner, judge, parts, seen, watch, plain)
            if not stumbled:
                break
            self.state.plain.add(judge.name)
        if error is None:
            try:
                return score_of(raw, judge)
            except BaseException as exc:  # what was returned may run code of its own
                error = exc
        self.state_young = _is_young(error)
        files = {self.state.env.config_path, *self.state.observer.modules.files}
        return score_of_exception(error, judge, files, parts)

    def _walks_in_c(self, judge: Judge) -> bool:
        """Whether the judge may hand its record to C code, which would see placeholders.

        The record notices most of that by itself; not when the judge swallows the error.
        """
        imported = self.state.observer.modules.imported(f"judge:{judge.name}")
        return not C_WALKERS.isdisjoint(imported) or _names_a_walker(judge.check)

    def _try(
        self,
        runner: Runner,
        judge: Judge,
        parts: CaseParts,
        seen: dict[tuple[str, str], str],
        watch: Watch,
        plain: bool,
    ) -> tuple[object, BaseException | None, bool]:
        """(what the judge returned, what it raised, whether it needs a plain dict)."""
        record: dict[str, Any] | None = None
        raw: object = None
        error: BaseException | None = None
        try:
            record = make_record(parts, _noting(seen), trusted=judge.kind == "builtin")
            if plain:
                record = _plain(plain_record(parts, _noting(seen)))
            with self._watched(judge, watch):
                # A context of its own: decimal's precision and the like are not handed on.
                raw = contextvars.copy_context().run(runner, record)
        except BaseException as exc:
            error = exc
        return raw, error, isinstance(record, Record) and tripped(record, error)

    def _settle(self, judge: Judge, watch: Watch) -> list[Observation]:
        """File what was seen: inputs of the cell are returned, the rest goes to the ambient."""
        state = self.state
        inputs: dict[Observation, None] = {}
        outside: list[Observation] = []
        tracker, importer = state.observer.modules, f"judge:{judge.name}"
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
        for module in closure:
            outside.append(("module", module, tracker.files[module]))
            outside.extend(state.module_reads.get(module, ()))
            inputs.update(self.case_reads.get(module, {}))
        state.ambient(judge.name).add(outside)
        watch.looks.clear()
        return list(inputs)

    def _outside_sources(self) -> set[str]:
        """Files outside of the case's folders, and not beside `cases/`, that its record rests on."""
        spec = self.state.spec
        known = {os.path.join(spec.run_dir, name) for name in folders.RUN_FILES}
        inside = tuple(folder + os.sep for folder in self.folders)
        return {
            path
            for path in self.parts.disk.looked_at
            if not path.startswith(inside) and path not in self.folders and path not in known
        }


class _Watched:
    """While inside, what user code looks at is noted and imports are blamed on the judge."""

    def __init__(self, observer: Observer, watch: Watch, importer: str) -> None:
        self.observer, self.watch, self.importer = observer, watch, importer

    def __enter__(self) -> None:
        self.observer.modules.current = self.importer
        self.observer.watch = self.watch

    def __exit__(self, *exc: object) -> None:
        self.observer.watch = None
        self.observer.modules.current = ""


@functools.lru_cache(maxsize=1024)
def _names_a_walker(check: str) -> bool:
    return any(name in check for name in C_WALKERS)


def _noting(seen: dict[tuple[str, str], str]) -> Callable[[str, str, str], None]:
    """An observer for a record: two versions of one thing make one that equals nothing."""

    def note(kind: str, key: str, version: str) -> None:
        before = seen.setdefault((kind, key), version)
        if before != version:
            seen[(kind, key)] = "moved"

    return note


class _Plain(dict[Any, Any]):
    """A dict with nothing to load that still says which of our mappings lacks a key."""

    def __init__(self, values: Mapping[Any, Any], path: str) -> None:
        super().__init__(values)
        self._path = path

    def __missing__(self, key: Any) -> Any:
        raise MissingKey(key, self._path)


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    for key in ("files", "annotations"):
        record[key] = _Plain(record[key], key)
    return _Plain(record, "outputs")


def _why(parts: CaseParts, key: str) -> str:
    return digest(parts.why_absent(key).encode("utf-8", "surrogatepass"))


def _is_young(exc: BaseException) -> bool:
    """Whether a document could not be read that is probably being written just now (D13)."""
    seen: BaseException | None = exc
    while seen is not None:
        if isinstance(seen, PartUnreadable):
            try:
                return time.time() - os.stat(seen.path).st_mtime < YOUNG_S
            except OSError:
                return True
        seen = seen.__cause__ or seen.__context__
    return False
