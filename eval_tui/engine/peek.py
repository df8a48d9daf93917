"""What a model judge would read of a case, found without asking a model."""

from __future__ import annotations

import re
from typing import Any

from eval_tui.config.schema import Judge

_WORDS = re.compile(r"[A-Za-z_]\w*")
_TEMPLATE = re.compile(r"\{[{%](.*?)[%}]\}", re.S)
_FROM_EVENTS = frozenset({"reasoning", "tool_trace", "evidence", "events"})


def peek(judge: Judge, record: dict[str, Any]) -> None:
    """Touch the parts of the record that the judge's template names; the record notes them.

    Prompt and context files are part of the judge's fingerprint, not read here as inputs.
    """
    texts = [judge.llm_rubric, judge.prompt]
    texts += [_text(path) for path in (judge.prompt_path, *judge.context_paths) if path]
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


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _touch(names: set[str], record: dict[str, Any]) -> None:
    for key in ("conversation", "inputs"):
        if key in names:
            record.get(key)
    if _FROM_EVENTS & names:
        record.get("events")
    if "annotations" in names or "annotations_text" in names:
        dict(record.get("annotations", {}))
        for key in list(record):
            if key.startswith("annotation_"):
                record.get(key)
    if "outputs" in names:
        dict(record.get("files", {}))
