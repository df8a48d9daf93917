"""Questions that a worker answers without running any user code."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.engine import folders
from eval_tui.engine.pairwise_work import Comparing
from eval_tui.engine.summary import packed
from eval_tui.engine.versions import env_version, path_version, python_version
from eval_tui.engine.wire import judge_from_plain
from eval_tui.judges.base import JudgeEnv, JudgeUnusable, NotMeasured
from eval_tui.record.counterparts import counterparts
from eval_tui.record.facts import case_facts
from eval_tui.record.spec import RecordSpec
from eval_tui.record.view import case_view, view_file

EVENTS_AT_ONCE = 1_000
"""Events in one message to the app, which looks at the keyboard between two."""


def _case(request: dict[str, Any]) -> dict[str, Any]:
    spec = RecordSpec.from_plain(request["record"])
    view = case_view(spec, request["case"], request.get("first", 0))
    events = view.pop("events")
    starts = range(0, len(events), EVENTS_AT_ONCE)
    return {"view": view, "pieces": [events[at : at + EVENTS_AT_ONCE] for at in starts]}


def _facts(request: dict[str, Any]) -> dict[str, Any]:
    spec = RecordSpec.from_plain(request["record"])
    return {"facts": {case: case_facts(spec, case) for case in request["cases"]}}


def _file(request: dict[str, Any]) -> dict[str, Any]:
    spec = RecordSpec.from_plain(request["record"])
    return {"file": view_file(spec, request["case"], request["name"], request["limit"])}


def _counterparts(request: dict[str, Any]) -> dict[str, Any]:
    spec = RecordSpec.from_plain(request["record"])
    keys = ("case", "name", "run", "root", "limit", "side")
    return {"counterparts": counterparts(spec, *(request[key] for key in keys))}


def _unobserved(kind: str, key: str, version: str) -> None:
    """What is read for looking at it is nobody's input."""


def _prompt(request: dict[str, Any]) -> dict[str, Any]:
    """Exactly what a model judge would send for a case, as text; templates are sandboxed."""
    from eval_tui.judges.askers import load_asker, request_for
    from eval_tui.judges.model import PromptFailed
    from eval_tui.judges.model.shown import both_orders, request_text, without_images
    from eval_tui.record.case import StepMissing, load_case
    from eval_tui.record.errors import PartUnreadable
    from eval_tui.record.record import make_record

    judge, env = judge_from_plain(request["judge"]), JudgeEnv(request["root"], request["config"])
    try:
        parts = load_case(RecordSpec.from_plain(request["record"]), request["case"])
        parts = parts.scoped(judge.step) if judge.step else parts
        record = make_record(parts, _unobserved)
        if judge.compares:
            comparing = Comparing(RecordSpec.from_plain(request["baseline"]))
            asked = comparing.requests(judge, env, record, request["case"])
        else:
            asked = (request_for(load_asker(judge, env), record, parts),)
    except (JudgeUnusable, NotMeasured, PromptFailed, PartUnreadable, StepMissing) as error:
        return {"failed": str(error)}
    shown = [without_images(one.params) for one in asked]
    text = both_orders([request_text(params) for params in shown])
    return {"text": text, "digests": [one.digest for one in asked], "params": shown[0]}


def _templates(request: dict[str, Any]) -> dict[str, Any]:
    """What the templates of judges that ask show without a case: notes, and what makes one unusable."""
    from eval_tui.judges.askers import load_asker

    env = JudgeEnv(request["root"], request["config"])
    notes: list[Problem] = []
    unusable: list[Problem] = []
    for judge in map(judge_from_plain, request["judges"]):
        try:
            notes += load_asker(judge, env).problems
        except JudgeUnusable as error:
            unusable.append(error.problem(judge, env.config_path))
    return {"notes": list(map(astuple, notes)), "unusable": list(map(astuple, unusable))}


def _scan(request: dict[str, Any]) -> dict[str, Any]:
    """Signatures of many cases, and which ambients still hold."""
    signatures = folders.case_signatures(
        request["run_dir"], request["dataset_dir"], request["cases"]
    )
    holds = [ambient for ambient, inputs in request["ambients"].items() if all(map(_still, inputs))]
    return {"signatures": signatures, "holds": holds}


def _still(observation: list[str]) -> bool:
    kind, key, version = observation
    if kind == "python":
        return version == python_version()
    if kind == "given":
        return False  # workers know which variables graders were given
    if kind == "env":
        return version == env_version(key, os.environ)
    return version == path_version(kind, key)


def _agent(request: dict[str, Any]) -> dict[str, Any]:
    from eval_tui.engine.agentrun import run_agent

    return run_agent(request)


def _recorded(request: dict[str, Any]) -> dict[str, Any]:
    return packed(request["run_dir"])


LOOKUPS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "case": _case,
    "facts": _facts,
    "file": _file,
    "counterparts": _counterparts,
    "prompt": _prompt,
    "templates": _templates,
    "scan": _scan,
    "recorded": _recorded,
    "agent": _agent,
}
