"""What a worker knows for the life of its generation, and what its process offers it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from eval_tui.config.schema import Judge
from eval_tui.engine.grading import load_for
from eval_tui.engine.observe import Observer
from eval_tui.engine.pairwise_work import Comparing
from eval_tui.engine.versions import Observation, python_version
from eval_tui.judges.base import env_of
from eval_tui.judges.graders.bench import LoadedGrader
from eval_tui.judges.load import JudgeEnv, JudgeUnusable, Runner, load
from eval_tui.record.spec import RecordSpec

if TYPE_CHECKING:
    from eval_tui.judges.askers import Asker


class Captured(Protocol):
    """What a judge printed."""

    text: str


class Capture(Protocol):
    """A context manager that collects what is printed inside."""

    def __enter__(self) -> Captured: ...
    def __exit__(self, *exc: object) -> bool | None: ...


class WorkerIO(Protocol):
    """What the worker process offers to the evaluation."""

    def emit(self, message: dict[str, Any]) -> None: ...
    def hold(self, message: dict[str, Any]) -> None: ...
    def flush(self) -> None: ...
    def give_up(self, name: str) -> None: ...
    def begin(self, case_index: int, judge_index: int) -> None: ...
    def end(self) -> None: ...
    def capture(self) -> Capture: ...
    def loaded(self) -> None: ...
    def check(self) -> tuple[list[str], bool]: ...


class Ambient:
    """What one judge rests on beyond the case at hand, as seen by this process.

    Caches in user code hide every second read, so what any cell of the judge read outside of
    its case counts for all of them.
    """

    def __init__(self, judge: str) -> None:
        self.id = f"{os.urandom(8).hex()}:{judge}"
        self.seen: dict[Observation, None] = {("python", "", python_version()): None}
        self.sent = 0

    def add(self, observations: list[Observation]) -> None:
        self.seen.update(dict.fromkeys(observations))

    def unsent(self) -> list[Observation]:
        """What was added since the last call."""
        if self.sent == len(self.seen):
            return []
        new = list(self.seen)[self.sent :]
        self.sent = len(self.seen)
        return new

    def news(self) -> dict[str, Any]:
        """Its id, and what was added since it was told last."""
        new = self.unsent()
        return {"id": self.id, "add": new} if new else {"id": self.id}


@dataclass
class State:
    """What a worker knows for the life of its generation."""

    spec: RecordSpec
    env: JudgeEnv
    judges: dict[str, Judge]
    observer: Observer
    comparing: Comparing | None = None
    """Set while the run is compared with a baseline."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """What graders may ask for by name: the environment, and what they name in `.env`."""
    runners: dict[str, Runner | LoadedGrader | JudgeUnusable] = field(
        default_factory=dict[str, "Runner | LoadedGrader | JudgeUnusable"]
    )
    askers: dict[str, Asker | JudgeUnusable] = field(
        default_factory=dict[str, "Asker | JudgeUnusable"]
    )
    ambients: dict[str, Ambient] = field(default_factory=dict[str, Ambient])
    module_reads: dict[str, dict[Observation, None]] = field(
        default_factory=dict[str, "dict[Observation, None]"]
    )
    """Path of a project module -> what was read through it outside of any case.

    The names of others' modules -> what their import has read there.
    """
    plain: set[str] = field(default_factory=set[str])
    """Judges that need a plain dict (they hand the record to C code)."""
    announced: set[str] = field(default_factory=set[str])
    """Judges of which the batch at hand has told what they rest on."""
    took: dict[str, float] = field(default_factory=dict[str, float])
    """Judge -> milliseconds that its last run in this process took."""
    contents: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """(path, signature) -> digest of the content."""

    def asker(self, judge: Judge) -> Asker | JudgeUnusable:
        """A judge that asks, with its template compiled, or why it cannot be used."""
        from eval_tui.judges.askers import load_asker  # brings Jinja2 along

        found = self.askers.get(judge.name)
        if found is None:
            try:
                found = load_asker(judge, env_of(judge, self.env))
            except JudgeUnusable as exc:
                found = exc
            self.askers[judge.name] = found
        return found

    def ambient(self, judge: str) -> Ambient:
        found = self.ambients.get(judge)
        if found is None:
            found = self.ambients[judge] = Ambient(judge)
        return found


def loaded(judge: Judge, env: JudgeEnv) -> Runner | LoadedGrader | JudgeUnusable:
    """The judge ready to be called, or why it cannot be used."""
    env = env_of(judge, env)
    try:
        return load_for(judge, env) if judge.kind == "grader" else load(judge, env)
    except JudgeUnusable as exc:
        return exc
