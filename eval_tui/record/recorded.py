"""What a run's `summary.yaml` holds: scores that were paid for or computed before (D32)."""

from __future__ import annotations

import math
import os
import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from eval_tui.config.decoding import decode
from eval_tui.config.problems import Problem
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_MAX_BYTES = 256_000_000

_REPR = reprlib.Repr()
_REPR.maxlevel = 3


def _empty() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Recorded:
    """A stored summary as far as it could be read; everything is empty where there is none."""

    path: str
    """Absolute path of the `summary.yaml`, whether it exists or not."""
    exists: bool = False
    readable: bool = True
    """False when the file exists and is no document, e.g. half-written."""
    cells: Mapping[str, Mapping[str, Score]] = field(default_factory=_empty)
    """Case -> judge -> score."""
    judge_types: Mapping[str, str] = field(default_factory=_empty)
    """Judge -> its recorded type, in the words of the tool that wrote it."""
    aggregates: Mapping[str, Mapping[str, Any]] = field(default_factory=_empty)
    run_metrics: Mapping[str, Any] = field(default_factory=_empty)
    pairwise: Mapping[str, Any] = field(default_factory=_empty)
    run_id: str = ""
    problems: tuple[Problem, ...] = ()
    signature: tuple[int, int, int, int] | None = None
    """Size, mtime_ns, ctime_ns and inode before the file was read; None where there is none."""


def read_recorded(run_dir: str) -> Recorded:
    """Reads `summary.yaml` of a run folder. Never raises for what the file holds.

    A file that is no document gives `readable=False` and a problem; whatever part of it has
    another form than expected is left out with a problem, and the rest is kept.
    """
    path = os.path.join(os.path.abspath(run_dir), "summary.yaml")
    try:
        stat = os.stat(path)
        signature = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        if not os.path.isfile(path):
            return _broken(path, signature, "it is no regular file")
        if stat.st_size > _MAX_BYTES:
            return _broken(path, signature, f"it is too large ({stat.st_size:,} bytes)")
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return Recorded(path)
    except OSError as exc:
        return _broken(path, None, exc.strerror or str(exc))
    try:
        document = _load(data)
    except Exception as exc:
        return _broken(path, signature, *_words(exc))
    if document is None:
        document = {}
    if not isinstance(document, dict):
        return _broken(path, signature, "its top level is no mapping")
    return _recorded(path, signature, cast("dict[str, Any]", document))


def _broken(
    path: str, signature: tuple[int, int, int, int] | None, why: str, line: int = 0, column: int = 0
) -> Recorded:
    message = f"the recorded scores cannot be read: {why}"
    hint = "scores that are computed here are not affected"
    problem = Problem("warning", "recorded-unreadable", message, path, line, column, hint=hint)
    return Recorded(path, True, False, problems=(problem,), signature=signature)


def _words(exc: Exception) -> tuple[str, int, int]:
    """What is wrong with a document, and the 1-based place."""
    mark = getattr(exc, "problem_mark", None)
    words = getattr(exc, "problem", None) or str(exc) or type(exc).__name__
    return (str(words), mark.line + 1, mark.column + 1) if mark else (str(words), 0, 0)


def _recorded(
    path: str, signature: tuple[int, int, int, int], document: Mapping[str, Any]
) -> Recorded:
    problems: list[Problem] = []

    def mapping(value: object, what: str) -> Mapping[str, Any]:
        if isinstance(value, dict):
            return cast("Mapping[str, Any]", value)
        if value is not None:
            message = f"`{what}` of the recorded scores is no mapping and is left out"
            problems.append(Problem("warning", "recorded-form", message, path))
        return {}

    types: dict[str, str] = {}
    cells: dict[str, Mapping[str, Score]] = {}
    for case, judges in mapping(document.get("per_case"), "per_case").items():
        row: dict[str, Score] = {}
        for judge, cell in mapping(judges, f"per_case.{case}").items():
            row[judge] = recorded_score(cell)
            kind = (
                cast("Mapping[str, Any]", cell).get("judge_type")
                if isinstance(cell, dict)
                else None
            )
            if isinstance(kind, str):
                types.setdefault(judge, kind)
        cells[case] = row
    aggregates = mapping(document.get("judges"), "judges")
    return Recorded(
        path,
        True,
        True,
        cells,
        types,
        {name: mapping(entry, f"judges.{name}") for name, entry in aggregates.items()},
        mapping(document.get("run_metrics"), "run_metrics"),
        mapping(document.get("pairwise"), "pairwise"),
        _text(document.get("run_id")),
        tuple(problems),
        signature,
    )


def recorded_score(cell: object) -> Score:
    """One recorded cell as a score; a bare value counts as a cell without a rationale.

    Without a value: an error says so, a rationale alone was a skip, and neither is its own
    reason (S8). Text, lists and numbers that are none are no verdicts (D17).
    """
    entry: Mapping[str, Any] = (
        cast("Mapping[str, Any]", cell) if isinstance(cell, dict) else {"value": cell}
    )
    rationale = _text(entry.get("rationale"))
    value = entry.get("value")
    if value is None:
        return _without_value(entry, rationale)
    if not isinstance(value, (bool, int, float)):
        detail = f"recorded {type(value).__name__} {_short(value)}, which is no verdict"
        return _violation(detail, rationale)
    if not _finite(value):
        return _violation(f"recorded {value}, which is no usable number", rationale)
    passed = value if isinstance(value, bool) else None
    return Measured(value, passed, rationale, samples=_samples(entry))


def _without_value(entry: Mapping[str, Any], rationale: str) -> Unmeasured:
    reason = _reason(entry.get("reason"))
    if reason is not None:
        timed_out = " (timed out)" if entry.get("reason") == "grader_timeout" else ""
        detail = _text(entry.get("error")) or _text(entry.get("detail")) or rationale
        return Unmeasured(reason, (detail or "no detail was recorded") + timed_out)
    if entry.get("error") is not None:
        words = _text(entry["error"]).strip()
        return Unmeasured(Reason.GRADER_ERROR, words or "an error without any text was recorded")
    if rationale.strip():
        return Unmeasured(Reason.POLICY_SKIP, rationale)
    return Unmeasured(Reason.MISSING_EVIDENCE, "no value and no reason recorded")


def _reason(word: object) -> Reason | None:
    """A recorded reason; older words are read as what they became (D34)."""
    older = {"grader_timeout": "grader_error", "invalid": "contract_violation"}
    if not isinstance(word, str):
        return None
    try:
        return Reason(older.get(word, word))
    except ValueError:
        return None


def _violation(detail: str, rationale: str) -> Unmeasured:
    words = f"{detail}; its rationale: {rationale}" if rationale.strip() else detail
    return Unmeasured(Reason.CONTRACT_VIOLATION, words)


def _samples(entry: Mapping[str, Any]) -> tuple[Sample, ...]:
    """The answers of a sampled judge, from `sample_rationales` or the values of `stability`."""
    rationales = entry.get("sample_rationales")
    if isinstance(rationales, list) and rationales:
        return tuple(_sample(item) for item in cast("list[object]", rationales))
    stability = entry.get("stability")
    values = (
        cast("Mapping[str, Any]", stability).get("values") if isinstance(stability, dict) else None
    )
    if not isinstance(values, list):
        return ()
    return tuple(_sample({"value": value}) for value in cast("list[object]", values))


def _sample(item: object) -> Sample:
    if not isinstance(item, dict):
        return Sample(None, _text(item))
    entry = cast("Mapping[str, Any]", item)
    value = entry.get("value")
    usable = isinstance(value, (bool, int, float)) and _finite(value)
    rationale, error = _text(entry.get("rationale")), _text(entry.get("error"))
    return Sample(value if usable else None, rationale, error)


def _finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else _short(value)


def _short(value: object) -> str:
    """The value in a few words; `reprlib` looks at no more of it than it shows."""
    words = " ".join(_REPR.repr(value).split())
    return words if len(words) <= 200 else words[:199] + "…"


# --- YAML that other tools wrote


class _Tolerant(_Loader):  # type: ignore[misc, valid-type]
    """The safe loader, where unknown tags, bad dates and odd keys cost only themselves."""


def _construct_mapping(loader: Any, node: Any) -> Any:
    """A mapping whose scalar keys keep their text: case ids and judge names are names (D8)."""
    result: dict[Any, Any] = {}
    yield result
    for key_node, value_node in node.value:
        is_text = isinstance(key_node, yaml.ScalarNode)
        key = key_node.value if is_text else _short(loader.construct_object(key_node, deep=True))
        result[key] = loader.construct_object(value_node, deep=True)


def _construct_unknown(loader: Any, suffix: str, node: Any) -> Any:
    """The plain value below a tag of another tool, e.g. of Python tuples and numbers."""
    if isinstance(node, yaml.MappingNode):
        pairs = [(loader.construct_object(k, deep=True), v) for k, v in node.value]
        return {_text(key): loader.construct_object(value, deep=True) for key, value in pairs}
    if isinstance(node, yaml.SequenceNode):
        items = [loader.construct_object(item, deep=True) for item in node.value]
        # `python/object/apply:` names a class and lists its arguments: one number is a number.
        alone = "object/apply" in suffix and len(items) == 1
        return _number(items[0]) if alone else items
    return _number(node.value)


def _number(text: object) -> object:
    """A number that was written as text, else the value unchanged."""
    if isinstance(text, str) and re.fullmatch(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", text):
        return float(text) if re.search(r"[.eE]", text) else int(text)
    return text


def _construct_text(loader: Any, node: Any) -> str:
    return node.value


_Tolerant.add_constructor("tag:yaml.org,2002:map", _construct_mapping)
_Tolerant.add_constructor("tag:yaml.org,2002:timestamp", _construct_text)
_Tolerant.add_constructor("tag:yaml.org,2002:binary", _construct_text)
_Tolerant.add_constructor("tag:yaml.org,2002:value", _construct_text)
_Tolerant.add_multi_constructor("!", _construct_unknown)
_Tolerant.add_multi_constructor("tag:", _construct_unknown)


def _load(data: bytes) -> object:
    """The document's value. Raises yaml.YAMLError, ValueError or RecursionError."""
    text = decode(data).text
    # Characters that YAML refuses appear in what models write; they cost only themselves.
    return yaml.load(_REFUSED.sub("\ufffd", text), _Tolerant)


_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
