"""The implementations of graders, by id."""

from __future__ import annotations

from eval_tui.config.graders import grader_bases
from eval_tui.config.schema import Grader
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.graders import (
    answer_match,
    command,
    plugin,
    reward_file,
    script,
    script_score,
    tests_pass,
    text_metric,
    trace,
)
from eval_tui.judges.graders.bench import Grade, LoadedGrader
from eval_tui.plugins import plugin_name

_OF_COMMANDS = {
    "tests-pass": tests_pass.make,
    "command": command.make,
    "script-score": script_score.make,
    "reward-file": reward_file.make,
}
_OF_TEXTS = {"text-metric": text_metric.make, "answer-match": answer_match.make}
_OF_TRACES: dict[str, Grade] = {
    "cost": trace.cost,
    "steps": trace.steps,
    "latency": trace.latency,
}


def load_grader(grader: Grader, name: str, env: JudgeEnv) -> LoadedGrader:
    """A grader ready to grade; `name` is its instance. Raises JudgeUnusable for an unknown id.

    The spec must have been checked (`config.grader_spec`).
    """
    bases = grader_bases(env.root, env.config_dir)
    if grader.id == "script":
        grade = script.make(grader, bases, name)
    elif grader.id in _OF_COMMANDS:
        grade = _OF_COMMANDS[grader.id](grader, bases)
    elif grader.id in _OF_TEXTS:
        grade = _OF_TEXTS[grader.id](grader)
    elif grader.id in _OF_TRACES:
        grade = _OF_TRACES[grader.id]
    elif plugin_name(grader.id):
        grade = plugin.make(grader, name)
    else:
        raise JudgeUnusable(f"there is no grader `{grader.id}` here")
    return LoadedGrader(grader, grade)
