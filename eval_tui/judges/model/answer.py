"""Reading what a model answered: never a guess (D18, D21)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from eval_tui.config.schema import Criterion
from eval_tui.judges.model.criteria import overall, read_part
from eval_tui.judges.model.scale import OffScale, Scale, Value
from eval_tui.judges.text import bounded, safe_str
from eval_tui.scores import Measured, Reason, Score, Unmeasured

RAW_LIMIT = 4_000
"""Characters of an unusable answer that the cell's detail keeps."""

_RECOVERY = frozenset({"config", "evidence"})
_STOPPED = {
    "refusal": "the model refused to answer",
    "max_tokens": "the answer was cut off at the token limit",
    "model_context_window_exceeded": "the prompt and the answer do not fit the model's context",
}


@dataclass(frozen=True)
class Verdict:
    """One readable answer."""

    value: Value
    rationale: str = ""
    parts: Mapping[str, Score] = field(default_factory=dict[str, "Score"])
    """Criterion id -> its score, for a judge with criteria."""


Outcome = Verdict | Unmeasured


def read_answer(
    answer: Mapping[str, Any], scale: Scale, criteria: Sequence[Criterion] = ()
) -> Outcome:
    """The verdict in a message of the API, given as plain data (`content`, `stop_reason`).

    Read are the input of the forced tool, else the one JSON object of the text. Everything else
    is a `grader_error` that may be asked again, with the raw answer in its detail.
    """
    try:
        given = answer_fields(answer, "criteria" if criteria else scale.field)
    except Unreadable as error:
        return unreadable(str(error), answer)
    rationale = given.get("rationale")
    words = "" if rationale is None else bounded(safe_str(rationale))
    if criteria:
        return _read_criteria(given, words, answer, scale, criteria)
    try:
        return Verdict(scale.read(_field(given, scale.field)), words)
    except OffScale as error:
        return unreadable(str(error), answer)


def _read_criteria(
    given: Mapping[str, Any],
    words: str,
    answer: Mapping[str, Any],
    scale: Scale,
    criteria: Sequence[Criterion],
) -> Outcome:
    listed = given.get("criteria")
    if not isinstance(listed, Mapping):
        return unreadable("`criteria` is no object", answer)
    entries = cast("Mapping[str, object]", listed)
    parts = {one.id: read_part(entries.get(one.id), scale, one) for one in criteria}
    if not any(isinstance(part, Measured) for part in parts.values()):
        return unreadable("no criterion was answered", answer)
    value = overall(parts, criteria, scale)
    if isinstance(value, str):
        return Unmeasured(
            Reason.GRADER_ERROR, value, retryable=True, recover_on=_RECOVERY, parts=parts
        )
    return Verdict(value, words, parts)


class Unreadable(Exception):
    """An answer that holds no verdict; the text says why."""


def answer_fields(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The fields that a model filled in: the tool's input, else one JSON object with `key`.

    Raises Unreadable when the model stopped early or there is no such thing.
    """
    stopped = _STOPPED.get(str(answer.get("stop_reason")))
    if stopped:
        raise Unreadable(stopped)
    blocks = _blocks(answer)
    for block in blocks:
        if block.get("type") == "tool_use":
            given = block.get("input")
            if not isinstance(given, Mapping):
                raise Unreadable("the tool was called with something that is no object")
            return cast("Mapping[str, Any]", given)
    text = "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    if not text.strip():
        raise Unreadable("the answer is empty")
    found = [value for value in _objects(text) if key in value]
    if len(found) == 1:
        return found[0]
    count = "several verdicts" if found else "no verdict"
    raise Unreadable(f"the model did not call the tool, and its text holds {count} as JSON")


def unreadable(why: str, answer: Mapping[str, Any]) -> Unmeasured:
    """The score of an answer that gives no verdict, with what the model said (D21)."""
    detail = f"no verdict: {why}. The answer: {raw_answer(answer)}"
    return Unmeasured(Reason.GRADER_ERROR, detail, retryable=True, recover_on=_RECOVERY)


def raw_answer(answer: Mapping[str, Any]) -> str:
    """What the model said, as text of bounded length."""
    said: list[str] = []
    for block in _blocks(answer):
        if block.get("type") == "text":
            said.append(str(block.get("text", "")))
        elif block.get("type") == "tool_use":
            given = json.dumps(block.get("input"), ensure_ascii=False, default=str)
            said.append(f"{block.get('name', 'tool')}({given})")
    words = "\n".join(said) or "nothing"
    stop = answer.get("stop_reason")
    end = f" [stopped: {stop}]" if stop not in (None, "end_turn", "tool_use") else ""
    return bounded(words, RAW_LIMIT) + end


def _field(given: Mapping[str, Any], name: str) -> object:
    if name not in given:
        raise OffScale(f"`{name}` is missing")
    return given[name]


def _blocks(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = answer.get("content")
    found = cast("list[object]", content) if isinstance(content, list) else []
    return [cast("Mapping[str, Any]", block) for block in found if isinstance(block, Mapping)]


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects that stand in a text, outermost ones only, in order."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        if isinstance(value, dict):
            yield cast("dict[str, Any]", value)
        start = text.find("{", end)
