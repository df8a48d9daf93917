"""Score rows of other tools, as they are read: one form for all that was ever written (4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eval_tui.config.plain import as_number
from eval_tui.scores import Measured, Reason, Unmeasured
from eval_tui.verdicts.evaluate import MetricScore


class BadRow(ValueError):
    """A row that cannot be read; the text says why."""


def normalise(row: object) -> MetricScore:
    """A row of a document as a score. Raises BadRow for one without an address or of a wrong form."""
    if not isinstance(row, Mapping):
        raise BadRow("a score must be a mapping")
    plain = cast("Mapping[str, Any]", row)
    grader, metric = plain.get("graderId"), plain.get("metric")
    if not isinstance(grader, str) or not isinstance(metric, str):
        raise BadRow("`graderId` and `metric` must be text")
    return MetricScore(grader, metric, _score(plain, bool(grader and metric)))


def _score(plain: Mapping[str, Any], addressed: bool) -> Measured | Unmeasured:
    status, detail, value = plain.get("status"), plain.get("detail"), plain.get("value")
    words = detail if isinstance(detail, str) else ""
    if status == "invalid":
        return _violation(words)
    if status == "unmeasured":
        return _unmeasured(plain, words)
    if status is None and "pass" not in plain:
        if words.startswith("[grader-error]"):
            return Unmeasured(Reason.GRADER_ERROR, words, retryable=True)
        if words.startswith("skipped: "):
            return Unmeasured(Reason.UNSUPPORTED, words)
    number = as_number(value)
    if not addressed or number is None:
        return _violation(words)
    passed, label = plain.get("pass"), plain.get("label")
    if "pass" in plain and not isinstance(passed, bool):
        raise BadRow("`pass` must be true or false")
    if "label" in plain and not isinstance(label, str):
        raise BadRow("`label` must be text")
    return Measured(number, passed, words, label)


def _unmeasured(plain: Mapping[str, Any], words: str) -> Unmeasured:
    word, attempts = plain.get("reason"), plain.get("attempts")
    if word == "contract_violation":  # it is never retried, whatever the row says
        return _violation(words)
    if word == "grader_timeout":
        reason, words = (
            Reason.GRADER_ERROR,
            words if "timed out" in words else f"timed out: {words}",
        )
    else:
        known = {reason.value: reason for reason in Reason}
        reason = (
            known.get(word, Reason.UNSUPPORTED) if isinstance(word, str) else Reason.UNSUPPORTED
        )
    counted = isinstance(attempts, int) and not isinstance(attempts, bool) and attempts >= 0
    return Unmeasured(
        reason,
        words.removesuffix(": "),
        retryable=plain.get("retryable") is True,
        attempts=cast("int", attempts) if counted else 1,
    )


def _violation(words: str) -> Unmeasured:
    return Unmeasured(Reason.CONTRACT_VIOLATION, words)
