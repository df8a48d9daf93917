"""Scores: what a judge says about a case, or why nothing was measured.

Imported by the app and by the workers, so it needs nothing but the standard library and
runs on every interpreter that a project may bring (3.10 and later).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Union, cast


class Reason(str, Enum):
    """Why a cell has no value. The set is closed (D34)."""

    GRADER_ERROR = "grader_error"
    MISSING_EVIDENCE = "missing_evidence"
    MISSING_SECRET = "missing_secret"
    UNSUPPORTED = "unsupported"
    POLICY_SKIP = "policy_skip"
    CONTRACT_VIOLATION = "contract_violation"


RECOVERIES = frozenset({"config", "code", "evidence", "secret", "review"})
"""What kind of change can recover an unmeasured cell (D35)."""


@dataclass(frozen=True)
class Sample:
    """One of several answers of a sampled judge; `value` is None when that answer failed."""

    value: bool | int | float | None
    rationale: str = ""
    error: str = ""


@dataclass(frozen=True)
class Measured:
    """A value. `passed` is None for numbers without a pass mark of their own."""

    value: bool | int | float
    passed: bool | None
    rationale: str = ""
    label: str | None = None
    samples: tuple[Sample, ...] = ()
    parts: Mapping[str, Score] = field(default_factory=dict[str, "Score"])


@dataclass(frozen=True)
class Unmeasured:
    """No value, and the reason. There is no `value` attribute on purpose."""

    reason: Reason
    detail: str
    retryable: bool = False
    """Whether running the same thing again unchanged could measure."""
    recover_on: frozenset[str] = frozenset()
    """Which kinds of change (see RECOVERIES) could recover the cell."""
    attempts: int = 1
    traceback: str = ""
    """The traceback of a judge's exception, cut to the judge's own frames."""
    parts: Mapping[str, Score] = field(default_factory=dict[str, "Score"], hash=False)
    """Parts that were scored although the whole was not."""


Score = Union[Measured, Unmeasured]  # noqa: UP007 - evaluated at run time by Python 3.10


def measured(value: bool | int | float, rationale: str = "") -> Measured:
    """A plain measured score; a boolean is its own pass mark."""
    return Measured(value, value if isinstance(value, bool) else None, rationale)


def pass_of(score: Score | None) -> bool | None:
    """Whether a score says pass or fail; None when it says neither, or nothing was measured."""
    if not isinstance(score, Measured):
        return None
    if score.passed is None and isinstance(score.value, bool):
        return score.value
    return score.passed


def same_value(first: Score, second: Score) -> bool:
    """Whether two scores say the same, whatever their words."""
    if isinstance(first, Measured) and isinstance(second, Measured):
        return type(first.value) is type(second.value) and first.value == second.value
    if isinstance(first, Unmeasured) and isinstance(second, Unmeasured):
        return first.reason is second.reason
    return False


def differ(samples: Iterable[Sample]) -> bool:
    """Whether the measured ones of these samples disagree."""
    return len({sample.value for sample in samples if sample.value is not None}) > 1


def to_plain(score: Score) -> dict[str, Any]:
    """A JSON-able mapping from which `from_plain` makes an equal score."""
    if isinstance(score, Measured):
        plain: dict[str, Any] = {
            "value": score.value,
            "passed": score.passed,
            "rationale": score.rationale,
        }
        if score.label is not None:
            plain["label"] = score.label
        if score.samples:
            plain["samples"] = [[s.value, s.rationale, s.error] for s in score.samples]
        if score.parts:
            plain["parts"] = {name: to_plain(part) for name, part in score.parts.items()}
        return plain
    plain = {"reason": score.reason.value, "detail": score.detail, **recovery(score)}
    if score.traceback:
        plain["traceback"] = score.traceback
    if score.parts:
        plain["parts"] = {name: to_plain(part) for name, part in score.parts.items()}
    return plain


def recovery(score: Unmeasured) -> dict[str, Any]:
    """What a score says of trying again, JSON-able and without what goes without saying."""
    plain: dict[str, Any] = {}
    if score.retryable:
        plain["retryable"] = True
    if score.recover_on:
        plain["recover_on"] = sorted(score.recover_on)
    if score.attempts != 1:
        plain["attempts"] = score.attempts
    return plain


def from_plain(plain: Mapping[str, Any]) -> Score:
    """The inverse of `to_plain`. Raises KeyError or ValueError on anything else."""
    plain_parts = cast("Mapping[str, Mapping[str, Any]]", plain.get("parts", {}))
    parts = {name: from_plain(part) for name, part in plain_parts.items()}
    if "reason" in plain:
        return Unmeasured(
            Reason(plain["reason"]),
            plain["detail"],
            bool(plain.get("retryable", False)),
            frozenset(cast("list[str]", plain.get("recover_on", []))),
            int(plain.get("attempts", 1)),
            plain.get("traceback", ""),
            parts,
        )
    return Measured(
        plain["value"],
        plain["passed"],
        plain.get("rationale", ""),
        plain.get("label"),
        tuple(Sample(*sample) for sample in plain.get("samples", ())),
        parts,
    )
