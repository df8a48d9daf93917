"""A loaded model judge: from its entry and a case's record to the request that asks about it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.model.framing import criteria_text, system_text, verdict_tool
from eval_tui.judges.model.images import image_blocks
from eval_tui.judges.model.material import CASE_VARIABLES, case_variables
from eval_tui.judges.model.model_name import resolve_model
from eval_tui.judges.model.prompt import judge_source
from eval_tui.judges.model.request import MAX_TOKENS, Request, make_request
from eval_tui.judges.model.scale import Scale, scale_of
from eval_tui.judges.model.template import PromptFailed, Template, Undefined, undefined_problem
from eval_tui.record.case import CaseParts

KNOWN = CASE_VARIABLES | {"arguments"}


@dataclass(frozen=True)
class ModelJudge:
    """A judge that asks a model, its template compiled."""

    judge: Judge
    template: Template
    model: str
    scale: Scale
    problems: tuple[Problem, ...] = ()
    """Notes about the template (D23)."""


@dataclass(frozen=True)
class Built:
    """A request, and the names that had no value while its prompt was rendered (D23)."""

    request: Request
    undefined: tuple[Undefined, ...] = ()


def load_model_judge(
    judge: Judge, env: JudgeEnv, environ: Mapping[str, str] | None = None
) -> ModelJudge:
    """Compiles a judge of kind `model`, or a built-in that asks one.

    `environ` (default: this process's) fills variables in the model's name. Raises JudgeUnusable
    for a template or a model name that cannot be used, and for a file that cannot be read.
    """
    if judge.problem is not None:
        raise JudgeUnusable(judge.problem.message, judge.problem.hint, judge.problem.line)
    if not judge.asks_model or judge.kind == "agent":
        raise JudgeUnusable("this judge does not ask a model", line=judge.line)
    template = Template(judge_source(judge, env))
    model = resolve_model(judge.model, os.environ if environ is None else environ)
    problems = template_notes(judge, template, env)
    return ModelJudge(judge, template, model, scale_of(judge), problems)


def build_request(loaded: ModelJudge, record: Mapping[str, Any], parts: CaseParts) -> Request:
    """The request about one case, with notes on the template (D23).

    `record` notes what is read; `parts` is the case behind it.

    Raises PromptFailed when the template fails for this case, and PartUnreadable when a part
    that the template uses cannot be read.
    """
    built = build(loaded, record, parts)
    name = loaded.judge.name
    notes = tuple(undefined_problem(look, KNOWN, name) for look in built.undefined)
    return replace(built.request, notes=notes) if notes else built.request


def build(loaded: ModelJudge, record: Mapping[str, Any], parts: CaseParts) -> Built:
    """Like `build_request`, with the undefined names that the template met."""
    judge, scale = loaded.judge, loaded.scale
    rendered = loaded.template.render(case_variables(record, judge.arguments))
    images = image_blocks(record, parts)
    if not rendered.text.strip():
        raise PromptFailed("the prompt is empty for this case")
    content: list[dict[str, Any]] = [{"type": "text", "text": rendered.text}, *images]
    if judge.criteria:
        content.append({"type": "text", "text": criteria_text(judge.criteria)})
    params = {
        "model": loaded.model,
        "max_tokens": MAX_TOKENS,
        "system": system_text(scale, judge.criteria),
        "messages": [{"role": "user", "content": content}],
        **verdict_tool(scale, judge.criteria),
    }
    return Built(make_request(params, scale), rendered.undefined)


def template_notes(judge: Judge, template: Template, env: JudgeEnv) -> tuple[Problem, ...]:
    """What is odd about a template (D23). An agent sees the case's files without its help."""
    found = [undefined_problem(look, KNOWN, judge.name) for look in template.unknown(KNOWN)]
    is_blind = not template.names & CASE_VARIABLES and not template.is_static
    if is_blind and judge.kind != "agent":
        # Plain text is told when the config is read.
        message = "this template shows the model nothing of the case"
        hint = "use e.g. `{{ conversation }}`"
        line = judge.prompt_line or judge.line
        found.append(
            Problem("note", "blind-prompt", message, env.config_path, line, 0, judge.name, hint)
        )
    return tuple(found)
