"""Loads judges: from an entry of the config to something that can be called with a record."""

from __future__ import annotations

from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable, NotMeasured, Runner
from eval_tui.judges.builtins import load_builtin
from eval_tui.judges.check import load_check
from eval_tui.judges.code import load_code
from eval_tui.judges.own import load_own, load_package_judge
from eval_tui.plugins import plugin_name

__all__ = ["JudgeEnv", "JudgeUnusable", "NotMeasured", "Runner", "load"]


def load(judge: Judge, env: JudgeEnv) -> Runner:
    """Makes a judge that runs as Python callable.

    Raises JudgeUnusable when it cannot be loaded, whatever its code does while it is imported
    (D3). The runner takes the case's record and returns what the author returned, or raises
    what the author raised: `outcome.score_of` and `outcome.score_of_exception` make scores of
    these. Judges that ask a model or an agent are not loaded here.
    """
    if judge.problem is not None:
        raise JudgeUnusable(judge.problem.message, judge.problem.hint, judge.problem.line)
    if judge.kind == "check":
        return load_check(judge, env)
    if judge.kind == "code" and plugin_name(judge.builtin):
        return load_package_judge(judge, env)
    if judge.kind == "code":
        return load_own(judge, env) if judge.builtin else load_code(judge, env)
    if judge.kind == "builtin" and not judge.asks_model:
        return load_builtin(judge)
    if judge.asks_model:
        raise JudgeUnusable("this judge asks a model and does not run as Python")
    raise JudgeUnusable(
        "this entry is no judge of a known kind",
        "give it one of: builtin, check, llm_rubric, prompt, prompt_file, agent, module and function",
        judge.line,
    )
