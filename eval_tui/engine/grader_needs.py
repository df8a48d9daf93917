"""What the graders of a config need of the app: time for their commands, and variables by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from eval_tui.config.grader_kinds import limit_of
from eval_tui.config.plain import as_list, as_mapping
from eval_tui.config.schema import EvalConfig, Grader, Judge
from eval_tui.engine.dotenv import read_env_file

GRACE_S = 30.0
"""Seconds beyond its command's own limit after which a worker that grades is given up."""

_LONGEST_S = 1800.0
"""What commands of graders may take that only cases declare."""


def runs_commands(judge: Judge) -> bool:
    """Whether a column runs commands, which take their time."""
    return _limit(judge) > 0


def command_limits(config: EvalConfig) -> dict[str, float]:
    """Column -> seconds after which its worker is given up, for those that run commands."""
    return {judge.name: _limit(judge) + GRACE_S for judge in config.judges if runs_commands(judge)}


def granted_variables(config: EvalConfig, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that graders name and that are set, credentials and those of `.env` too."""
    names = {name for judge in config.judges if judge.grader for name in _names(judge.grader)}
    if not names:
        return {}
    known = {**read_env_file(config.root, environ), **environ}
    return {name: known[name] for name in sorted(names) if name in known}


def asks_for_variables(judge: Judge) -> bool:
    """Whether a column's commands are given variables by name."""
    return judge.grader is not None and any(True for _ in _names(judge.grader))


def _limit(judge: Judge) -> float:
    if judge.grader is None:
        return 0.0
    return max(limit_of(judge.grader), _LONGEST_S if judge.grader.per_case else 0.0)


def _names(grader: Grader) -> Iterator[str]:
    wanted = grader.config.get("env")
    mapping = as_mapping(wanted)
    if mapping is not None:
        yield from (str(name) for name, value in mapping.items() if value is None)
    else:
        yield from (name for name in as_list(wanted) or [] if isinstance(name, str))
