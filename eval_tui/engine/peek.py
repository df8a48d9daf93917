"""What a model judge would read of a case, found without asking a model."""

from __future__ import annotations

import os
import re
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.engine.observe import Observation, path_version
from eval_tui.judges.base import JudgeEnv

_WORDS = re.compile(r"[A-Za-z_]\w*")
_TEMPLATE = re.compile(r"\{[{%](.*?)[%}]\}", re.S)
_FROM_EVENTS = frozenset({"reasoning", "tool_trace", "evidence"})


def peek(judge: Judge, env: JudgeEnv, record: dict[str, Any]) -> list[Observation]:
    """Touch the parts of the record that the judge's template names.

    The record notes what is touched. Returns the observations of prompt and context files,
    with the places before them where they were looked for in vain (D5).
    """
    outside: list[Observation] = []
    texts = [judge.llm_rubric, judge.prompt]
    for name in (judge.prompt_file, *judge.context):
        if name:
            texts.append(_read(name, env, outside))  # noqa: PERF401 - reads note what they look at
    names = {
        word
        for text in texts
        for block in _TEMPLATE.findall(text)
        for word in _WORDS.findall(block)
    }
    if judge.llm_rubric:
        names.add("conversation")
    if judge.builtin or judge.kind == "agent":
        names |= {"conversation", "inputs", "outputs", "annotations", "events"}
    _touch(names, record)
    return outside


def _read(name: str, env: JudgeEnv, outside: list[Observation]) -> str:
    for folder in (env.root, env.config_dir):
        path = os.path.normpath(os.path.join(folder, name))
        version = path_version("open", path)
        if version == "missing":
            outside.append(("open", path, version))
            continue
        outside.append(("open", path, version))
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""
    return ""


def _touch(names: set[str], record: dict[str, Any]) -> None:
    for key in ("conversation", "inputs"):
        if key in names:
            record.get(key)
    if _FROM_EVENTS & names or "events" in names:
        record.get("events")
    if "annotations" in names or "annotations_text" in names:
        dict(record.get("annotations", {}))
        for key in list(record):
            if key.startswith("annotation_"):
                record.get(key)
    if "outputs" in names:
        dict(record.get("files", {}))
