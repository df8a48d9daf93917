"""Verdicts in words: sentences that screens, tables and documents share."""

from __future__ import annotations

from typing import get_args

from eval_tui.results.words import count, number, percent
from eval_tui.verdicts.counts import VerdictCounts
from eval_tui.verdicts.evaluate import Cause, Rung, Standing, Verdict
from eval_tui.verdicts.trials import TrialSummary

CAUSE_WORDS: dict[Cause, str] = {
    "no_outcome": "the case died before there was anything to judge",
    "nothing_measured": "nothing was measured",
    "no_vote": "nothing that was measured may decide",
    "waiting": "not judged yet",
    "unmeasured": "something that decides was not measured",
    "authority_unmeasured": "ground truth was not measured",
    "unreviewed_authority": "nobody has accepted this ground truth as it is",
    "conflicting_authority": "two graders declare a metric differently",
    "policy_not_available": "policy not available",
}
"""Each cause in words."""

CAUSE_HINTS: dict[Cause, str] = {
    "no_vote": "a pass or fail comes from a boolean, or from `pass_if`; a grader's metric needs an"
    " `authority` under `metrics:`",
    "unreviewed_authority": "look at it with `A`, or `eval-tui authority list`",
    "conflicting_authority": "leave one of the declarations",
}
"""What to do about a cause, where that is not plain."""

_SAID_BY_CAUSE: frozenset[str] = frozenset(get_args(Standing))
"""What is the matter with a declaration: its cause has said that already, and the lock knows more."""

RUNG_WORDS: dict[Rung, str] = {
    "ground_truth": "ground truth",
    "objective": "objective checks",
    "judge": "judges",
    "fallback": "metrics that nobody declared",
    "flat": "everything that passes or fails",
}


def verdict_word(verdict: Verdict) -> str:
    """`passed`, `failed`, `not evaluated`."""
    return {True: "passed", False: "failed", None: "not evaluated"}[verdict.value]


def basis_words(verdict: Verdict) -> str:
    """What a verdict rests on, or why there is none."""
    if verdict.cause is not None:
        some = ", ".join(
            metric if word in _SAID_BY_CAUSE else f"{metric} ({word})"
            for metric, word in verdict.missing
        )
        words = CAUSE_WORDS[verdict.cause] + (f": {some}" if some else "")
    elif verdict.rung is None:
        words = "as it was recorded"
    else:
        some = ", ".join(vote.metric for vote in verdict.decided_by)
        words = f"by {RUNG_WORDS[verdict.rung]}: {some}"
    return words + (", leaving out what nobody has accepted" if verdict.provisional else "")


def counts_words(counts: VerdictCounts, stale: int = 0) -> str:
    """`41 passed, 9 failed, 50 not evaluated`: each state by itself; then how many are stale."""
    return (
        f"{counts.passed:,} passed, {counts.failed:,} failed,"
        f" {counts.not_evaluated:,} not evaluated"
    ) + (f" · {stale:,} stale" if stale else "")


def rate_words(counts: VerdictCounts) -> str:
    """`82% of 50 evaluated`; empty over nothing."""
    rate = counts.rate
    return "" if rate is None else f"{percent(rate)} of {counts.evaluated:,} evaluated"


def trials_words(found: TrialSummary) -> str:
    """`pass@1 67%, pass@3 100% · 12 cases, 2 flaky`: each case counts once."""
    words = f"pass@1 {percent(found.pass_at_1)}"
    if found.k > 1:
        words += f", pass@{found.k} {percent(found.pass_at_k)}"
    return f"{words} · {count(found.cases, 'case')}, {number(found.flaky)} flaky"
