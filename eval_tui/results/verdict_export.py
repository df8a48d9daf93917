"""Verdicts in the JSON document of `score`: cases, counts, and the policy they were made under."""

from __future__ import annotations

from typing import Any

from eval_tui.results.critical import CriticalGate
from eval_tui.results.verdict_words import basis_words
from eval_tui.results.verdicts import CaseVerdict, VerdictBoard
from eval_tui.verdicts.counts import VerdictCounts
from eval_tui.verdicts.policy import Stamp
from eval_tui.verdicts.trials import CaseTrials, TrialSummary, summarise


def verdict_blocks(
    board: VerdictBoard, earlier: Stamp | None = None, trials: tuple[CaseTrials, ...] = ()
) -> dict[str, Any]:
    """The blocks `policy`, `verdicts`, `verdict_counts`, and `critical_cases` and `trials` where
    the config has some.

    `earlier`: the policy of the run's last scoring, if it was another one (D43).
    """
    policy = stamp_document(board.rulebook.stamp)
    if earlier is not None:
        policy["earlier"] = stamp_document(earlier)
    blocks: dict[str, Any] = {
        "policy": policy,
        "verdicts": {case: verdict_document(one) for case, one in board.cases.items()},
        "verdict_counts": _counts(board.counts),
    }
    if board.critical is not None:
        blocks["critical_cases"] = _critical(board.critical)
    if trials:
        blocks["trials"] = trials_document(trials)
    return blocks


def stamp_document(stamp: Stamp) -> dict[str, Any]:
    return {"id": stamp.id, "version": stamp.version, "digest": stamp.digest}


def verdict_document(one: CaseVerdict) -> dict[str, Any]:
    """One case's verdict; `decided_by` are metrics, `cause` says why there is none."""
    verdict = one.verdict
    plain: dict[str, Any] = {
        "verdict": verdict.value,
        "decided_by": [vote.metric for vote in verdict.decided_by],
        "cause": verdict.cause,
    }
    if verdict.rung is not None:
        plain["rung"] = verdict.rung
    if verdict.missing:
        plain["missing"] = dict(verdict.missing)
    if verdict.cause is not None:
        plain["detail"] = basis_words(verdict)
    if verdict.provisional:
        plain["provisional"] = True
    if one.stale:
        plain["stale"] = True
    return plain


def _counts(counts: VerdictCounts) -> dict[str, Any]:
    return {
        "passed": counts.passed,
        "failed": counts.failed,
        "not_evaluated": counts.not_evaluated,
        "evaluated": counts.evaluated,
        "pass_rate": counts.rate,
        "causes": dict(counts.causes),
    }


def _critical(gate: CriticalGate) -> dict[str, Any]:
    return {
        "state": gate.state,
        "passed": list(gate.passed),
        "failed": list(gate.failed),
        "not_evaluated": list(gate.open),
        "not_there": list(gate.absent),
    }


def trials_document(trials: tuple[CaseTrials, ...]) -> dict[str, Any]:
    """Every case's trials, and what they add up to; `summary` is null where none was evaluated."""
    cases = {
        one.case: {
            "passed": one.tally.passed,
            "evaluated": one.tally.trials,
            "trials": len(one.verdicts),
            "flaky": one.flaky,
        }
        for one in trials
    }
    found = summarise(trials)
    return {"cases": cases, "summary": None if found is None else _summary(found)}


def _summary(found: TrialSummary) -> dict[str, Any]:
    return {
        "cases": found.cases,
        "min_trials": found.min_trials,
        "max_trials": found.max_trials,
        "pass_at_1": found.pass_at_1,
        "k": found.k,
        "pass_at_k": found.pass_at_k,
        "flaky": found.flaky,
    }
