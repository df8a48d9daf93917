"""One cell of a `summary.yaml` as a score (D32)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from eval_tui.config.plain import as_number
from eval_tui.record.summary_yaml import short, text_of
from eval_tui.scores import RECOVERIES, Measured, Reason, Sample, Score, Unmeasured

JUDGE_DIGEST: Final = "judge_digest"
"""The key of ours under which a cell says which version of its judge made it."""


def recorded_score(cell: object) -> Score:
    """One recorded cell as a score; a bare value counts as a cell without a rationale.

    Without a value: an error says so, a rationale alone was a skip, and neither is its own
    reason (S8). Text, lists and numbers that are none are no verdicts (D17).
    """
    entry: Mapping[str, Any] = (
        cast("Mapping[str, Any]", cell) if isinstance(cell, dict) else {"value": cell}
    )
    rationale = text_of(entry.get("rationale"))
    value = entry.get("value")
    if value is None:
        return _without_value(entry, rationale)
    if not isinstance(value, (bool, int, float)):
        detail = f"recorded {type(value).__name__} {short(value)}, which is no verdict"
        return _violation(detail, rationale)
    if not _usable(value):
        return _violation(f"recorded {value}, which is no usable number", rationale)
    label, passed = entry.get("label"), entry.get("pass")
    return Measured(
        value,
        value if isinstance(value, bool) else passed if isinstance(passed, bool) else None,
        rationale,
        label if isinstance(label, str) else None,
        _samples(entry),
        _parts(entry),
    )


def _without_value(entry: Mapping[str, Any], rationale: str) -> Unmeasured:
    reason = _reason(entry.get("reason"))
    if reason is not None:
        timed_out = " (timed out)" if entry.get("reason") == "grader_timeout" else ""
        detail = text_of(entry.get("error")) or text_of(entry.get("detail")) or rationale
        return Unmeasured(
            reason,
            (detail or "no detail was recorded") + timed_out,
            entry.get("retryable") is True,
            _recoveries(entry.get("recover_on")),
            _attempts(entry.get("attempts")),
            parts=_parts(entry),
        )
    if entry.get("error") is not None:
        words = text_of(entry["error"]).strip()
        return Unmeasured(Reason.GRADER_ERROR, words or "an error without any text was recorded")
    if rationale.strip():
        return Unmeasured(Reason.POLICY_SKIP, rationale)
    return Unmeasured(Reason.MISSING_EVIDENCE, "no value and no reason recorded")


def _parts(entry: Mapping[str, Any]) -> Mapping[str, Score]:
    parts = entry.get("parts")
    if not isinstance(parts, dict):
        return {}
    named = cast("Mapping[str, object]", parts)
    return {name: recorded_score(part) for name, part in named.items()}


def _recoveries(words: object) -> frozenset[str]:
    known = cast("list[object]", words) if isinstance(words, list) else []
    return frozenset(word for word in known if isinstance(word, str)) & RECOVERIES


def _attempts(number: object) -> int:
    return number if isinstance(number, int) and number > 0 and number is not True else 1


def is_verdict(cell: object) -> bool:
    """Whether a recorded cell is one to go by: not one that waited, and not an outdated one.

    Such cells are written for other tools and marked (`waiting`, `stale`): taken back as they are,
    an old value would come to look like a new one.
    """
    if not isinstance(cell, dict):
        return True
    entry = cast("Mapping[str, Any]", cell)
    return not (entry.get("waiting") or entry.get("stale") is True)


def digest_of(cell: object) -> str:
    """The version of the judge that a recorded cell was made with; empty where nobody says so."""
    if not isinstance(cell, dict):
        return ""
    digest = cast("Mapping[str, Any]", cell).get(JUDGE_DIGEST)
    return digest if isinstance(digest, str) else ""


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
        return Sample(None, text_of(item))
    entry = cast("Mapping[str, Any]", item)
    value = entry.get("value")
    rationale, error = text_of(entry.get("rationale")), text_of(entry.get("error"))
    return Sample(value if _usable(value) else None, rationale, error)


def _usable(value: object) -> bool:
    """Whether a value can be a verdict: a boolean, or a number that is one."""
    return isinstance(value, bool) or as_number(value) is not None
