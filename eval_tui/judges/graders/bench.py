"""What a grader is given to grade a case with, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from eval_tui.config.schema import Grader
from eval_tui.scores import Reason, Score, Unmeasured

Row = tuple[str, Score]
"""A metric and its score, as an implementation found it."""


@dataclass(frozen=True)
class Finished:
    """A command that has ended, or was ended."""

    code: int
    """The exit code; negative for the signal that ended it."""
    stdout: str
    """Cut in the middle when there was too much."""
    stderr: str
    seconds: float
    timed_out: bool = False

    @property
    def printed(self) -> str:
        """Both outputs, one after the other."""
        return "\n".join(text for text in (self.stdout, self.stderr) if text.strip())


class Workspace(Protocol):
    """A private copy of a case's folder, for one grader and one case."""

    @property
    def folder(self) -> str:
        """Absolute path of the copy, or of the case's own folder if the grader asks for that."""
        ...

    @property
    def private(self) -> str:
        """Absolute path of an empty folder beside it, which commands may write to."""
        ...

    @property
    def context(self) -> str:
        """Absolute path of the file that describes the case."""
        ...

    def run(
        self, argv: Sequence[str], *, cwd: str, limit_s: float, env: Mapping[str, str]
    ) -> Finished:
        """Run a command to its end, with nothing but `env` and what every command gets in its
        environment. Nothing that it started is left afterwards. OSError when it cannot start."""
        ...


class Bench(Protocol):
    """A case on the bench. Everything that is looked at through it becomes an input of the cell."""

    @property
    def record(self) -> dict[str, Any]:
        """The case's record."""
        ...

    @property
    def case(self) -> str:
        """The case's id."""
        ...

    def workspace(self, in_place: bool) -> AbstractContextManager[Workspace]:
        """A folder to run commands in; removed in the end unless it is the case's own."""
        ...

    def rests_on(self, path: str) -> None:
        """The score rests on the content of a file, or on its absence."""
        ...

    def variable(self, name: str) -> str | None:
        """A variable of the project's environment or `.env`; None when it is not set.

        Raises NotGraded when it is not set and is a credential by its name.
        """
        ...


Grade = Callable[[Bench], Sequence[Row]]
"""An implementation ready to grade: the rows in order. Raises NotGraded, and what a record raises."""


class NotGraded(Exception):
    """Nothing was measured for the whole grader, with the score that says why."""

    def __init__(self, score: Unmeasured) -> None:
        super().__init__(score.detail)
        self.score = score


def failed(detail: str, *, retryable: bool = False) -> NotGraded:
    """The grader itself did not work."""
    change = frozenset({"config", "code", "evidence"})
    return NotGraded(Unmeasured(Reason.GRADER_ERROR, detail, retryable, change))


def lacking(detail: str) -> NotGraded:
    """The case lacks what the grader looks at."""
    change = frozenset({"config", "evidence"})
    return NotGraded(Unmeasured(Reason.MISSING_EVIDENCE, detail, recover_on=change))


@dataclass(frozen=True)
class LoadedGrader:
    """A grader with its implementation."""

    grader: Grader
    grade: Grade
