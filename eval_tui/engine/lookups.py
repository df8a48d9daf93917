"""Questions that a worker answers without running any user code."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from eval_tui.engine import folders
from eval_tui.engine.summary import packed
from eval_tui.engine.versions import env_version, path_version, python_version
from eval_tui.engine.wire import judge_from_plain
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.record.spec import RecordSpec
from eval_tui.record.view import case_view, view_file


def _case(request: dict[str, Any]) -> dict[str, Any]:
    return {"view": case_view(RecordSpec.from_plain(request["record"]), request["case"])}


def _file(request: dict[str, Any]) -> dict[str, Any]:
    spec = RecordSpec.from_plain(request["record"])
    return {"file": view_file(spec, request["case"], request["name"], request["limit"])}


def _unobserved(kind: str, key: str, version: str) -> None:
    """What is read for looking at it is nobody's input."""


def _prompt(request: dict[str, Any]) -> dict[str, Any]:
    """Exactly what a model judge would send for a case, as text; templates are sandboxed."""
    from eval_tui.judges.model import PromptFailed, build_request, load_model_judge
    from eval_tui.judges.model.shown import request_text
    from eval_tui.record.case import StepMissing, load_case
    from eval_tui.record.errors import PartUnreadable
    from eval_tui.record.record import make_record

    judge = judge_from_plain(request["judge"])
    try:
        loaded = load_model_judge(judge, JudgeEnv(request["root"], request["config"]))
        parts = load_case(RecordSpec.from_plain(request["record"]), request["case"])
        parts = parts.scoped(judge.step) if judge.step else parts
        asked = build_request(loaded, make_record(parts, _unobserved), parts)
    except (JudgeUnusable, PromptFailed, PartUnreadable, StepMissing) as error:
        return {"failed": str(error)}
    return {"text": request_text(asked)}


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
    if kind == "env":
        return version == env_version(key, os.environ)
    return version == path_version(kind, key)


def _recorded(request: dict[str, Any]) -> dict[str, Any]:
    return packed(request["run_dir"])


LOOKUPS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "case": _case,
    "file": _file,
    "prompt": _prompt,
    "scan": _scan,
    "recorded": _recorded,
}
