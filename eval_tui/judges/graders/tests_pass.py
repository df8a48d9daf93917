"""`tests-pass`: a command that ends with exit code 0."""

from __future__ import annotations

from collections.abc import Sequence

from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import Bench, Grade, Row
from eval_tui.judges.graders.commands import Bases, excerpt, ran, shell
from eval_tui.scores import Measured


def make(grader: Grader, bases: Bases) -> Grade:
    """Emits `tests_pass`. A command that does not run, or runs out of time, measures nothing (D40)."""
    command = str(grader.config["cmd"])

    def grade(bench: Bench) -> Sequence[Row]:
        with bench.workspace(bool(grader.config.get("in_place"))) as place:
            done = ran(shell(bench, place, grader, command, bases))
        passed = done.code == 0
        words = f"exit {done.code}: {excerpt(done)}" if excerpt(done) else f"exit {done.code}"
        return [("tests_pass", Measured(passed, passed, words))]

    return grade
