"""Short ways to load and run a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.judges.load import JudgeEnv, load
from eval_tui.judges.outcome import apply_range, attempt
from eval_tui.scores import Measured, Reason, Score, Unmeasured

CONFIG = "/project/eval.yaml"


def check(source: str, **fields: Any) -> Judge:
    return Judge("j", "check", check=source, **{"check_line": 7, **fields})


def run(judge: Judge, record: dict[str, Any] | None = None, root: str = "/project") -> Score:
    """The score of a judge on a record, its range applied."""
    env = JudgeEnv(root, str(Path(root) / "eval.yaml"))
    score = attempt(load(judge, env), record or {}, judge, {env.config_path})
    return apply_range(score, judge)


def value(score: Score) -> object:
    assert isinstance(score, Measured), score
    return score.value


def reason(score: Score) -> Reason:
    assert isinstance(score, Unmeasured), score
    return score.reason


def detail(score: Score) -> str:
    assert isinstance(score, Unmeasured), score
    return score.detail
