"""Judges that cost money to ask, models and agents alike: from an entry and a case to a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

from eval_tui.config.schema import Judge
from eval_tui.judges.agent.judge import AgentJudge, load_agent_judge, task_of
from eval_tui.judges.base import JudgeEnv
from eval_tui.judges.model import ModelJudge, Request, build_request, load_model_judge
from eval_tui.record.case import CaseParts

Asker = Union[ModelJudge, AgentJudge]  # noqa: UP007 - evaluated at run time by Python 3.10


def load_asker(judge: Judge, env: JudgeEnv) -> Asker:
    """A loaded judge that asks. Raises JudgeUnusable."""
    return load_agent_judge(judge, env) if judge.kind == "agent" else load_model_judge(judge, env)


def request_for(loaded: Asker, record: Mapping[str, Any], parts: CaseParts) -> Request:
    """What is asked about one case; `record` notes what is read, `parts` is the case behind it.

    Raises PromptFailed when the template fails for this case, and PartUnreadable.
    """
    if isinstance(loaded, AgentJudge):
        return task_of(loaded, record).request
    return build_request(loaded, record, parts)
