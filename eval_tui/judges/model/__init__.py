"""Judges that ask a model, without the call: building requests and reading answers.

Runs in the workers: standard library, PyYAML and Jinja2 only. The call itself, its price and its
memory belong to the engine.
"""

from __future__ import annotations

from eval_tui.judges.model.answer import Outcome, Verdict, read_answer
from eval_tui.judges.model.judge import (
    Built,
    ModelJudge,
    build,
    build_request,
    load_model_judge,
)
from eval_tui.judges.model.request import Request, request_from_plain
from eval_tui.judges.model.sampling import combine, is_stable, spread
from eval_tui.judges.model.scale import Scale, scale_of
from eval_tui.judges.model.template import PromptFailed

__all__ = [
    "Built",
    "ModelJudge",
    "Outcome",
    "PromptFailed",
    "Request",
    "Scale",
    "Verdict",
    "build",
    "build_request",
    "combine",
    "is_stable",
    "load_model_judge",
    "read_answer",
    "request_from_plain",
    "scale_of",
    "spread",
]
