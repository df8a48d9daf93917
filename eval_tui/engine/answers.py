"""What came of asking a model, as the score of a cell; and what is remembered of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eval_tui.engine.cells import CellInfo, without_rationale
from eval_tui.engine.entries import Result
from eval_tui.engine.failures import Failure
from eval_tui.engine.grid import CellKey
from eval_tui.engine.paid import paid_plain
from eval_tui.engine.questions import agents_said, agents_took, score_of_answers
from eval_tui.scores import Measured, Score, Unmeasured, from_plain, to_plain

if TYPE_CHECKING:
    from eval_tui.engine.session import Session
    from eval_tui.engine.verdicts import Verdict
    from eval_tui.engine.wants import Want

PAUSES = (10.0, 60.0, 300.0)
"""Seconds before each automatic attempt after a failure of the network or of a busy API (D36); the
SDK has tried several times by then."""


def settle(
    session: Session,
    info: CellInfo,
    want: Want,
    found: Sequence[Verdict | Failure],
    saved: float | None = None,
    digest: str = "",
) -> None:
    """Read what came for each question of a cell, and keep the score.

    `saved` is what the prompt cache saved. `digest` is that of the requests which the answers were
    given to, where it is not the present one.
    """
    judge = session.judge(want.key.judge)
    answers = [one.score() if isinstance(one, Failure) else one.answer.to_plain() for one in found]
    score = score_of_answers(judge, want.questions, answers)
    if isinstance(score, Unmeasured):
        score = dataclasses.replace(score, attempts=want.attempts + 1)
    verdicts = [one for one in found if not isinstance(one, Failure)]
    extra = paid_plain(verdicts, saved) if verdicts else {}
    if failures := [one for one in found if isinstance(one, Failure)]:
        extra |= _vain(want, failures)
    info.result = session.store.add_result(
        session.run_key,
        want.key.case,
        info.fp,
        to_plain(score),
        _asked(digest or want.digest),
        info.ambient,
        at=max((verdict.at for verdict in verdicts), default=None),
        ms=agents_took(answers),
        extra={**extra, **agents_said(answers), "samples": want.samples},
    )
    _show(info, score, want.samples)


def _vain(want: Want, failures: Sequence[Failure]) -> dict[str, Any]:
    """What is remembered of an attempt that failed, so that it is not repeated for ever."""
    transport = all(failure.transport for failure in failures)
    return {"vain": want.attempts + 1, "transport": transport}


def lacks(info: CellInfo, score: Unmeasured) -> None:
    """Show what is missing before anything can be asked; it is not remembered."""
    _show(info, score, 1)
    info.result, info.plain, info.behind = 0, None, None


def lacks_nothing(info: CellInfo) -> None:
    """It is there now: what `lacks` has shown says nothing any more."""
    if info.known and info.plain is None and isinstance(info.score, Unmeasured):
        info.score, info.known = None, False


def _show(info: CellInfo, score: Score, samples: int) -> None:
    info.score, info.plain = score, without_rationale(to_plain(score))
    info.known, info.lost, info.changed = True, False, ()
    info.samples, info.older, info.note = samples, False, ""


def has_value(info: CellInfo) -> bool:
    """Whether a value that was worked out here is in view."""
    return info.known and isinstance(info.score, Measured)


def may_measure(info: CellInfo) -> bool:
    """Whether asking the same again could measure what is not measured."""
    score = info.score if info.known else None
    return isinstance(score, Unmeasured) and score.retryable


def in_view(session: Session, info: CellInfo, digest: str, samples: int) -> Result | None:
    """The result that is shown, if it is the one of this very request."""
    result = session.store.result(info.result) if info.known and info.result else None
    return result if result is not None and _fits(result, info, digest, samples) else None


def remembered(
    session: Session, key: CellKey, info: CellInfo, digest: str, samples: int
) -> Result | None:
    """The newest result of this very request; it is in view from now on."""
    for result in session.store.results(session.run_key, key.case, info.fp):
        if _fits(result, info, digest, samples):
            if info.result != result.id or not info.known:
                _show(info, from_plain(result.score), samples)
                info.result, info.reused = result.id, True
            return result
    return None


def attempts(result: Result | None) -> int:
    """How often the request of a result was asked in vain."""
    if result is None or "reason" not in result.score:
        return int(result.extra.get("vain", 0)) if result is not None else 0
    return int(result.score.get("attempts", 1))


def asked_again_alone(result: Result) -> bool:
    """Whether what came to this result is tried again without being asked for (D36)."""
    return bool(result.extra.get("transport")) and attempts(result) <= len(PAUSES)


def pause_after(result: Result) -> float | None:
    """Seconds between a result and the automatic attempt after it; None when there is none."""
    return PAUSES[attempts(result) - 1] if asked_again_alone(result) else None


def _fits(result: Result, info: CellInfo, digest: str, samples: int) -> bool:
    return (
        result.fp == info.fp
        and result.inputs == _asked(digest)
        and result.extra.get("samples") == samples
    )


def _asked(digest: str) -> list[list[str]]:
    return [["request", "", digest]]
