"""The fingerprint of a judge: a digest of what about it can change a score."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import cast

from eval_tui.config.schema import Judge

_VERSION = 1
"""Raised when the same entry comes to mean something else in a later release."""
FRAMING_VERSION = 1
"""Raised when our own words around a prompt change; it is in the digest of every request, not in a
fingerprint: verdicts of older versions stay, marked, until asked for by key (D49)."""


def fingerprint(judge: Judge) -> str:
    """32 hexadecimal digits over everything in the entry that can change a score.

    Left out on purpose: the name, the description, line numbers, `samples`, `if` (a small
    judge of its own), `cache` and `auto`; a Python judge's `score_range` and `feedback_type`
    (checked on the stored raw value); what a grader declares about its metrics beyond their names
    (looked at with the stored score). The bytes of modules are inputs of their own; those of
    prompt and context files are in `material`.
    """
    fields: list[object] = [_VERSION, judge.kind, judge.step, judge.arguments]
    if judge.kind == "check":
        fields += [judge.check.rstrip()]
    elif judge.kind == "code":
        fields += [judge.builtin] if judge.builtin else [judge.module, judge.function]
    elif judge.kind == "builtin":
        fields += [judge.builtin]
    elif judge.grader is not None:
        names = [metric.id for metric in judge.grader.metrics]
        fields += [judge.grader.id, judge.grader.config, names]
        if judge.grader.per_case:
            # Cases find their own spec by the column's name, and may not emit what is another's.
            truth = [m.id for m in judge.grader.metrics if m.authority == "ground_truth"]
            fields += [judge.name, judge.grader.foreign, truth]
    if judge.asks_model:
        fields += [judge.llm_rubric, judge.prompt, judge.material, judge.context, judge.model]
        fields += [judge.feedback_type, judge.score_range, judge.agent]
        if judge.criteria:
            fields += [[dataclasses.astuple(one) for one in judge.criteria]]
    words = repr([_plain(field) for field in fields])
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def version(judge: Judge, root: str) -> str:
    """The same for files that are read elsewhere: paths of an agent count from the project's root."""
    if not judge.agent:
        return fingerprint(judge)
    return fingerprint(dataclasses.replace(judge, agent=_from_root(judge.agent, f"{root}/")))


def _from_root(value: Mapping[str, object], root: str) -> dict[str, object]:
    plain = cast("dict[str, object]", _plain(value))
    return {key: _inside(inner, root) for key, inner in plain.items()}


def _inside(value: object, root: str) -> object:
    match value:
        case str():
            return value.removeprefix(root)
        case list():
            return [_inside(one, root) for one in cast("list[object]", value)]
        case dict():
            inner = cast("dict[str, object]", value).items()
            return {key.removeprefix(root): _inside(one, root) for key, one in inner}
        case _:
            return value


def _plain(value: object) -> object:
    """The value with every mapping a dict and every sequence a list, so that `repr` is stable."""
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {key: _plain(item) for key, item in items}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return value
