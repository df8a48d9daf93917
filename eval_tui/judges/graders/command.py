"""`command`: a command that passes by its exit code, or by a pattern in what it prints."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import Bench, Grade, Row
from eval_tui.judges.graders.commands import Bases, excerpt, ran, shell
from eval_tui.scores import Measured


def make(grader: Grader, bases: Bases) -> Grade:
    """Emits `command`, or the metric that `metric` names. With `passPattern` the exit code does not
    count."""
    command, wanted = str(grader.config["cmd"]), grader.config.get("passPattern")
    pattern = re.compile(str(wanted)) if wanted else None
    metric = str(grader.config.get("metric") or "command")

    def grade(bench: Bench) -> Sequence[Row]:
        with bench.workspace(bool(grader.config.get("in_place"))) as place:
            done = shell(bench, place, grader, command, bases)
        if pattern is None:
            passed = ran(done).code == 0
            said = f"exit {done.code}"
        else:
            passed = pattern.search(done.printed) is not None
            said = f"{'found' if passed else 'did not find'} `{pattern.pattern}`"
        words = f"{said}: {excerpt(done)}" if excerpt(done) else said
        return [(metric, Measured(passed, passed, words))]

    return grade
