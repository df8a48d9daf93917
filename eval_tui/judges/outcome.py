"""From what a judge returned or raised to a score.

Everything here may call into objects of the judge's author, so it belongs in the worker, and
under the same time limit as the judge itself.
"""

from __future__ import annotations

import inspect
import math
import os
import resource
import sys
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol, cast

from eval_tui.config.plain import as_number
from eval_tui.config.schema import Judge
from eval_tui.judges.base import NotMeasured, Runner
from eval_tui.judges.condition import word_of
from eval_tui.judges.text import (
    bounded,
    exception_words,
    own_line,
    own_traceback,
    safe_str,
    short_repr,
    type_name,
)
from eval_tui.record.errors import MissingKey, PartUnreadable, StepMissing
from eval_tui.scores import Measured, Reason, Score, Unmeasured

Number = bool | int | float


class WhyAbsent(Protocol):
    """The part of a case that explains a missing key (`CaseParts`)."""

    def why_absent(self, key: str) -> str: ...


def attempt(
    runner: Runner,
    record: dict[str, Any],
    judge: Judge,
    judge_files: Collection[str] = (),
    parts: WhyAbsent | None = None,
) -> Score:
    """Runs a judge on a record and makes a score of whatever comes of it; never raises.

    The declared range is not looked at: see `apply_range`.
    """
    try:
        return score_of(runner(record), judge)
    except BaseException as exc:  # exit() and ctrl+c in a judge are its own errors too
        return score_of_exception(exc, judge, judge_files, parts)


def score_of(raw: object, judge: Judge) -> Score:
    """The score in what a Python judge returned (D17).

    A pair is value and rationale; else an object with a `value` is asked for that and its
    `rationale`; else the whole is the value. Booleans and finite numbers are measured, as plain
    Python values. May raise whatever the returned object raises when it is asked.
    """
    value, rationale = _unpack(raw)
    words = "" if rationale is None else safe_str(rationale)
    if value is None:
        return _nothing(words, judge)
    number = _number(value)
    if number is None:
        return _violation(f"returned {_describe(value)}, which is no verdict", words, judge)
    if not isinstance(number, bool) and as_number(number) is None:
        return _violation(f"returned {short_repr(number)}, which is no usable number", words, judge)
    return Measured(number, number if isinstance(number, bool) else None, words)


def apply_range(score: Score, judge: Judge) -> Score:
    """The score after the check of the declared `score_range` (D18): nothing is clamped.

    A number off the range is a contract violation of a Python judge, and an error of a model's
    answer that may be asked for again. Booleans and everything unmeasured pass unchanged.
    """
    if (
        not isinstance(score, Measured)
        or isinstance(score.value, bool)
        or judge.score_range is None
    ):
        return score
    low, high = judge.score_range
    if low <= score.value <= high:
        return score
    what = f"the value {score.value:.12g} is off the declared score_range [{low:g}, {high:g}]"
    if judge.asks_model:
        detail = f"{what}; {score.rationale}" if score.rationale else what
        return Unmeasured(Reason.GRADER_ERROR, bounded(detail), retryable=True)
    return _violation(what, score.rationale, judge)


def score_of_exception(
    exc: BaseException,
    judge: Judge,
    judge_files: Collection[str] = (),
    parts: WhyAbsent | None = None,
) -> Unmeasured:
    """The score of a judge that raised.

    `judge_files` are the absolute paths of the judge's own source (the config file for a check,
    the modules that it imports): the traceback is cut to their frames. `parts` explains absent
    keys. Missing evidence is told from errors by the record's own exceptions (D10, D19).
    """
    try:
        return _missing(exc, parts) or _grader_error(exc, judge, judge_files)
    except BaseException as inner:  # an exception class may do anything when it is looked at
        words = f"{type_name(exc)}, which cannot be described: {type_name(inner)}"
        return Unmeasured(Reason.GRADER_ERROR, words, recover_on=recovery(judge))


def score_of_condition_error(
    exc: BaseException, judge: Judge, parts: WhyAbsent | None = None
) -> Unmeasured:
    """The score of a case for which the judge's `if:` raised.

    A key that the record does not have is an error here: an expression that cannot be told is
    not evidence of anything. Only a part that exists and cannot be read is missing evidence.
    """
    expression = f"`{word_of(judge)}: {str(judge.condition).strip()}`"
    change = frozenset({"config", "evidence"})
    if isinstance(exc, (PartUnreadable, StepMissing)):
        words = _missing(exc, parts)
        detail = words.detail if words else exception_words(exc)
        text = f"{expression} cannot be told: {detail}"
        return Unmeasured(Reason.MISSING_EVIDENCE, text, recover_on=change)
    missing = isinstance(exc, MissingKey)
    words = f"KeyError: {_absent(exc, parts)}" if missing else exception_words(exc)
    text = f"{expression} raised {words}"
    return Unmeasured(
        Reason.GRADER_ERROR, text, retryable=isinstance(exc, OSError), recover_on=change
    )


def _grader_error(exc: BaseException, judge: Judge, judge_files: Collection[str]) -> Unmeasured:
    own = _own_test(judge_files)
    lines = _check_lines(judge, judge_files)
    return Unmeasured(
        Reason.GRADER_ERROR,
        _error_detail(exc, own, lines),
        retryable=isinstance(exc, OSError),  # ConnectionError and TimeoutError are OSErrors
        recover_on=recovery(judge),
        traceback=own_traceback(exc, own, lines),
    )


def _memory_bound() -> str:
    size = resource.getrlimit(resource.RLIMIT_DATA)[0]
    if size == resource.RLIM_INFINITY:
        return ""
    return f": judges may use {size >> 20:,} MB (--judge-memory)"


def _missing(exc: BaseException, parts: WhyAbsent | None) -> Unmeasured | None:
    """The score for the exceptions that say that a case lacks something, else None."""
    evidence = frozenset({"evidence", "config"})
    if isinstance(exc, NotMeasured):
        return Unmeasured(exc.reason, bounded(exc.detail), recover_on=evidence)
    if isinstance(exc, MissingKey):
        return Unmeasured(Reason.MISSING_EVIDENCE, _absent(exc, parts), recover_on=evidence)
    if isinstance(exc, PartUnreadable):
        detail = f"{exc.path} cannot be read: {exc.why}"
        return Unmeasured(Reason.MISSING_EVIDENCE, bounded(detail), recover_on=evidence)
    if isinstance(exc, StepMissing):
        return Unmeasured(Reason.MISSING_EVIDENCE, safe_str(exc), recover_on=evidence)
    return None


def _absent(exc: MissingKey, parts: WhyAbsent | None) -> str:
    key = short_repr(exc.key)
    if exc.path != "outputs":
        return f"`{exc.path}` has no {key}"
    why = parts.why_absent(exc.key) if parts is not None and isinstance(exc.key, str) else ""
    if why.startswith("the record has no"):
        return bounded(why)
    return bounded(f"the record has no {key}" + (f": {why}" if why else ""))


def _error_detail(
    exc: BaseException,
    own: Callable[[str], bool],
    lines: Mapping[tuple[str, int], str],
) -> str:
    """Type and text; for an exception without text its source line says what it was about."""
    words = exception_words(exc)
    if isinstance(exc, SystemExit):
        return f"the judge left the program: {words}"
    if isinstance(exc, MemoryError):
        return words + _memory_bound()
    if isinstance(exc, ModuleNotFoundError):  # D50
        return f"{words}: install it for {sys.executable}, or choose another with --python PATH"
    place = own_line(exc, own, lines)
    if place is None or words != type_name(exc):
        return words
    file, line, source = place
    at = f"{os.path.basename(file)}, line {line}"
    return f"{words} at `{source}` ({at})" if source else f"{words} ({at})"


def _own_test(judge_files: Collection[str]) -> Callable[[str], bool]:
    """Which source files are the judge's own; everything but this package when none are named."""
    if judge_files:
        files = frozenset(judge_files)
        return lambda file: file in files
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    return lambda file: not os.path.abspath(file).startswith(package)


def _check_lines(judge: Judge, judge_files: Collection[str]) -> dict[tuple[str, int], str]:
    """Source lines of a check: the config file may have moved on since it was loaded."""
    if judge.kind != "check":
        return {}
    first = max(judge.check_line, 1)
    return {
        (file, first + number): line
        for file in judge_files
        if not file.endswith(".py")
        for number, line in enumerate(judge.check.split("\n"))
    }


def _unpack(raw: object) -> tuple[object, object]:
    """Value and rationale of what a judge returned."""
    if isinstance(raw, tuple):
        pair = cast("tuple[object, ...]", raw)
        return (pair[0], pair[1]) if len(pair) == 2 else (pair, None)
    if isinstance(raw, (bool, int, float, str, Mapping)) and not isinstance(raw, Enum):
        return cast("object", raw), None
    if hasattr(raw, "value"):
        carrier = cast("Any", raw)
        return carrier.value, getattr(carrier, "rationale", None)
    return raw, None


def _number(value: object) -> Number | None:
    """The value as a plain bool, int or float, or None when it is no number."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, (Decimal, Fraction)):
        return _as_float(value)
    item = getattr(value, "item", None)
    if isinstance(value, type) or not callable(item):
        return None
    try:
        scalar = item()  # scalars of array libraries
    except Exception:  # it is the author's object: whatever it raises, it is no number
        return None
    return _number(scalar) if isinstance(scalar, (bool, int, float)) else None


def _as_float(value: Decimal | Fraction) -> float:
    try:
        return float(value)
    except (OverflowError, ValueError):
        return math.nan


def _nothing(words: str, judge: Judge) -> Unmeasured:
    """`(None, "why")` abstains; a bare None is a verdict that is missing (D17)."""
    if words.strip():
        return Unmeasured(Reason.POLICY_SKIP, words, recover_on=recovery(judge))
    detail = "returned nothing: a forgotten `return`? To abstain, return (None, 'why')"
    return Unmeasured(Reason.CONTRACT_VIOLATION, detail, recover_on=recovery(judge))


def _violation(what: str, rationale: str, judge: Judge) -> Unmeasured:
    detail = f"{what}; its rationale: {rationale}" if rationale.strip() else what
    return Unmeasured(Reason.CONTRACT_VIOLATION, bounded(detail), recover_on=recovery(judge))


def _describe(value: object) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine (judges are plain functions, not `async def`)"
    if isinstance(value, str):
        return f"the text {short_repr(value)}"
    return f"{type_name(value)} {short_repr(value)}"


def recovery(judge: Judge) -> frozenset[str]:
    """What change could recover a cell that the judge's own code lost (D35)."""
    code = {"code"} if judge.kind in ("code", "grader") else set[str]()
    return frozenset({"config", "evidence"} | code)
