"""`script-score`: a number in what a command prints."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import Bench, Grade, Row, failed, lacking
from eval_tui.judges.graders.commands import Bases, excerpt, ran, shell
from eval_tui.scores import Measured

PATTERN = r"SCORE=([-\d.]+)"
THRESHOLD = 0.6


def make(grader: Grader, bases: Bases) -> Grade:
    """Emits `score`, or the metric that `metric` names: the first match of `scorePattern`, which
    passes from `passThreshold` on."""
    config = grader.config
    command, metric = str(config["cmd"]), str(config.get("metric") or "score")
    pattern = re.compile(str(config.get("scorePattern") or PATTERN))
    threshold = threshold_of(grader, THRESHOLD)

    def grade(bench: Bench) -> Sequence[Row]:
        with bench.workspace(bool(config.get("in_place"))) as place:
            done = ran(shell(bench, place, grader, command, bases))
        match = pattern.search(done.printed)
        if match is None:
            what = f"nothing that it printed fits `{pattern.pattern}` (exit {done.code})"
            raise lacking(f"{what}: {excerpt(done)}" if excerpt(done) else what)
        value = number(match[1])
        if value is None:
            raise failed(f"`{match[1]}`, which it printed, is no number")
        return [(metric, Measured(value, value >= threshold, match[0]))]

    return grade


def threshold_of(grader: Grader, usual: float) -> float:
    """`passThreshold`, or what is usual."""
    given = grader.config.get("passThreshold")
    return usual if given is None else float(given)


def number(text: str | None) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
