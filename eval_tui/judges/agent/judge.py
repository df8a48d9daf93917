"""A loaded agent judge: from its entry and a case's record to what an agent would be given."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from eval_tui.config.problems import Problem
from eval_tui.config.schema import Judge
from eval_tui.judges.agent import contract
from eval_tui.judges.agent.settings import AgentSettings, agent_settings
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.model.judge import KNOWN, template_notes
from eval_tui.judges.model.material import case_variables
from eval_tui.judges.model.model_name import resolve_model
from eval_tui.judges.model.prompt import Source, context_pieces, instructions
from eval_tui.judges.model.request import Request, make_request
from eval_tui.judges.model.scale import Scale, scale_of
from eval_tui.judges.model.template import PromptFailed, Template, undefined_problem

RESERVED = frozenset({"output", ".context"})
"""Top-level names that are the judge's own: a file of the case there would forge a verdict."""
CONFIGURES = frozenset({".claude", ".mcp.json", ".codex", ".gemini", ".git"})
"""Top-level names by which the material could configure the agent that looks at it."""


@dataclass(frozen=True)
class AgentJudge:
    """A judge that is an agent, its template compiled."""

    judge: Judge
    template: Template
    model: str
    scale: Scale
    settings: AgentSettings
    problems: tuple[Problem, ...] = ()
    """Notes about the template (D23)."""


@dataclass(frozen=True)
class Task:
    """What an agent is given for one case."""

    request: Request
    """Digests of everything, and the limits."""
    prompt: str
    files: Mapping[str, str]
    """Path relative to the workspace, with `/` -> text."""


def load_agent_judge(
    judge: Judge, env: JudgeEnv, environ: Mapping[str, str] | None = None
) -> AgentJudge:
    """Compiles a judge of kind `agent`. Raises JudgeUnusable like `load_model_judge`."""
    if judge.problem is not None:
        raise JudgeUnusable(judge.problem.message, judge.problem.hint, judge.problem.line)
    template = Template(Source(instructions(judge, env) + context_pieces(judge)))
    model = resolve_model(judge.model, os.environ if environ is None else environ)
    notes = template_notes(judge, template, env)
    return AgentJudge(judge, template, model, scale_of(judge), agent_settings(judge), notes)


def task_of(loaded: AgentJudge, record: Mapping[str, Any]) -> Task:
    """The task for one case; `record` notes what is read.

    Raises PromptFailed when the template fails, and PartUnreadable for what cannot be read.
    """
    settings = loaded.settings
    rendered = loaded.template.render(case_variables(record, loaded.judge.arguments))
    if not rendered.text.strip():
        raise PromptFailed("the prompt is empty for this case")
    prompt = f"{rendered.text}\n\n{contract.contract(settings, loaded.scale)}\n"
    files = dict(_files(record, settings))
    params: dict[str, Any] = {
        "agent": {
            "framing": contract.VERSION,
            "runner": {**settings.runner, "type": settings.type, "command": _command(settings)},
            "allowed_tools": list(settings.allowed_tools),
            "timeout": settings.timeout,
            "max_budget_usd": settings.max_budget,
            "context": {n: settings.material.get(p, "") for n, p in settings.context.items()},
            "files": {name: _digest(text) for name, text in files.items()},
        },
        "model": loaded.model,
        "prompt": prompt,
    }
    name = loaded.judge.name
    notes = tuple(undefined_problem(look, KNOWN, name) for look in rendered.undefined)
    return Task(replace(make_request(params, loaded.scale), notes=notes), prompt, files)


def _files(record: Mapping[str, Any], settings: AgentSettings) -> list[tuple[str, str]]:
    """The text files of the case that are handed over, by name; no others are read."""
    files = cast("Mapping[str, object]", record["files"])
    chosen: list[tuple[str, str]] = []
    for name in sorted(files):
        top = name.partition("/")[0]
        if settings.inputs and top not in settings.inputs:
            continue
        if top.casefold() in RESERVED | CONFIGURES or ".." in name.split("/"):
            continue
        text = files[name]
        if isinstance(text, str):
            chosen.append((name, text))
    return chosen


def _command(settings: AgentSettings) -> list[str]:
    """The command with the contents of files in place of their paths."""
    return [settings.material.get(word, word) for word in settings.command]


def _digest(text: str) -> str:
    encoded = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=16).hexdigest()
