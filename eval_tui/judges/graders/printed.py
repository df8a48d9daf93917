"""What a script printed -> its rows: JSON at the end of its output, else a line `SCORE=0.7` (D37).

Rows are checked one by one: a bad one costs itself. A script wrote this, so every value may be of
any type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NoReturn, cast

from eval_tui.config.plain import as_mapping, as_number
from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import NotGraded, Row, failed
from eval_tui.judges.text import bounded, short_repr
from eval_tui.scores import RECOVERIES, Measured, Reason, Score, Unmeasured

ROW_LIMIT = 100_000
"""Characters of a row's `detail` that are kept."""
MAX_ROWS = 1_000

_DEEPEST = 1_000
_SCORE_LINE = re.compile(r"^SCORE=(-?\d+(?:\.\d+)?)\s*$", re.MULTILINE | re.ASCII)
_MARKS = re.compile(r'["{}\[\]]')
_CHANGES = frozenset({"config", "code", "evidence"})


def read_rows(stdout: str, grader: Grader, name: str) -> list[Row]:
    """The rows in order; `name` is the grader's instance, which bad rows without a metric are
    filed under. Raises NotGraded when the output as a whole holds no score."""
    text = stdout.rstrip()
    if not text:
        raise failed("it printed no scores: nothing at all on standard output")
    start = _json_start(text)
    if start is None:
        return [_score_line(text, grader)]
    value = _parse(text[start:])
    rows = cast("list[object]", value) if isinstance(value, list) else [value]
    if not rows:
        raise failed("it printed no scores: an empty list")
    if len(rows) > MAX_ROWS:
        raise failed(f"it printed {len(rows):,} scores; at most {MAX_ROWS:,} are read")
    return [row_of(row, grader, name) for row in rows]


def violation(detail: str) -> Unmeasured:
    """A row that breaks the contract: never retried as it is."""
    return Unmeasured(Reason.CONTRACT_VIOLATION, detail, recover_on=_CHANGES)


def _json_start(text: str) -> int | None:
    """Where the array or object begins with which the text ends; None when it ends otherwise.

    One walk backwards: brackets outside of strings are counted until the one that was met first
    is closed.
    """
    if text[-1] not in "}]":
        return None
    depth, quoted = 0, False
    for match in _MARKS.finditer(text[::-1]):
        mark, at = match[0], len(text) - match.end()
        if depth > _DEEPEST:
            return None
        if mark == '"':
            quoted = quoted != (not _is_escaped(text, at))
        elif not quoted:
            depth += 1 if mark in "}]" else -1
            if depth == 0:
                return at
    return None


def _is_escaped(text: str, at: int) -> bool:
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


class _NonFinite(ValueError):
    pass


def _parse(text: str) -> object:
    def refuse(literal: str) -> NoReturn:
        raise _NonFinite(literal)

    try:
        return json.loads(text, parse_constant=refuse)
    except _NonFinite as error:
        non_finite = str(error)
    except (ValueError, RecursionError) as error:
        raise failed(f"what it printed at the end is no JSON: {error}") from None
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise failed(f"what it printed at the end is no JSON: {error}") from None
    raise NotGraded(violation(f"it printed {non_finite}, which is no usable number"))


def _score_line(text: str, grader: Grader) -> Row:
    lines = _SCORE_LINE.findall(text)
    if not lines:
        last = text.splitlines()[-1]
        detail = "its output does not end with a JSON score, and no line is like `SCORE=0.7`"
        raise failed(f"{detail}; it ends with {short_repr(last)}")
    value = float(lines[-1])
    metric = grader.metrics[0].id if len(grader.metrics) == 1 else "score"
    return metric, Measured(value, None, f"SCORE={lines[-1]}")


def row_of(row: object, grader: Grader, name: str) -> Row:
    """One score; what is wrong with it costs itself."""
    values = as_mapping(row)
    if values is None:
        return name, violation(f"it printed {short_repr(row)}, which is no score")
    metric = values.get("metric")
    if metric is None and len(grader.metrics) == 1:
        metric = grader.metrics[0].id
    if not isinstance(metric, str) or not metric.strip():
        return name, violation(f"a score needs a `metric`; it printed {short_repr(values)}")
    return metric, _score(values)


def _score(values: Mapping[object, object]) -> Score:
    status = values.get("status", "measured")
    if status == "measured":
        return _measured(values)
    if status == "unmeasured":
        return _unmeasured(values)
    detail = _detail(values)
    if status == "invalid":
        return violation(detail or "it says itself that this is no valid score")
    return violation(f"the status {short_repr(status)} is not known")


def _measured(values: Mapping[object, object]) -> Score:
    value, passed, label = values.get("value"), values.get("pass"), values.get("label")
    if "value" not in values:
        return violation("the score has no `value`")
    number = as_number(value)
    if number is None:
        return violation(f"the value {short_repr(value)} is no usable number")
    if passed is not None and not isinstance(passed, bool):
        return violation(f"`pass` must be true or false, not {short_repr(passed)}")
    if label is not None and not isinstance(label, str):
        return violation(f"`label` must be text, not {short_repr(label)}")
    return Measured(number, passed, _detail(values), label or None)


def _unmeasured(values: Mapping[object, object]) -> Unmeasured:
    word, detail = values.get("reason"), _detail(values)
    if word == "grader_timeout":  # another tool's seventh reason (D34)
        detail = f"timed out; {detail}" if detail else "timed out"
        word = Reason.GRADER_ERROR.value
    try:
        reason = Reason(cast("str", word))
    except ValueError:
        return violation(f"the reason {short_repr(word)} is not known")
    again = values.get("retryable") is True and reason is not Reason.CONTRACT_VIOLATION
    wanted = values.get("recover_on")
    named = cast("list[object]", wanted) if isinstance(wanted, list) else []
    changes = frozenset(item for item in named if isinstance(item, str)) & RECOVERIES
    words = detail or "the script says so, without a reason in words"
    return Unmeasured(reason, words, again, changes or _CHANGES)


def _detail(values: Mapping[object, object]) -> str:
    """`detail` as text: itself, or as indented JSON."""
    detail = values.get("detail")
    if detail is None or detail == "":
        return ""
    try:
        text = detail if isinstance(detail, str) else json.dumps(detail, indent=2)
    except RecursionError:
        text = short_repr(detail)
    return bounded(text, ROW_LIMIT)
