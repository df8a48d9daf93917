"""What a scoring found as annotations: the lines that GitHub Actions turns into notes on files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.results.critical import critical_words
from eval_tui.results.report import Report
from eval_tui.results.words import gate_words

_LEVELS = {"error": "error", "warning": "warning"}


def github_lines(
    report: Report, config: EvalConfig, problems: Iterable[Problem], root: str
) -> Iterator[str]:
    """Gates that are not met at their lines in the config, regressions, then problems; notes are
    left out, since GitHub shows only the first ten of a kind."""
    lines = {(one.judge, one.metric): one.line for one in config.thresholds}
    place = _relative(config.path, root)
    for column in report.board.columns:
        for gate in column.gates:
            if gate.state != "pass":
                level = "error" if gate.state == "fail" else "warning"
                text = f"{gate.judge}: {gate_words(gate)}"
                yield _line(level, place, lines.get((gate.judge, gate.metric), 0), 0, text)
    if (critical := report.critical) is not None and critical.state != "pass":
        level = "error" if critical.state == "fail" else "warning"
        yield _line(level, place, 0, 0, critical_words(critical))
    for sentence in report.regressions:
        yield _line("error", place, 0, 0, f"regression: {sentence}")
    for problem in problems:
        if problem.severity in _LEVELS:
            hint = f" ({problem.hint})" if problem.hint else ""
            where = _relative(problem.file, root) if problem.file else ""
            text = problem.message + hint
            yield _line(_LEVELS[problem.severity], where, problem.line, problem.column, text)


def _line(level: str, file: str, line: int, column: int, text: str) -> str:
    given = [("file", file), ("line", line), ("col", column), ("title", "eval-tui")]
    told = ",".join(f"{key}={_property(str(value))}" for key, value in given if value)
    return f"::{level} {told}::{_data(text)}"


def _data(text: str) -> str:
    """Text in which no character starts another command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root)
