"""Verdicts in the table that `score` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from eval_tui.results.critical import critical_words
from eval_tui.results.verdict_words import CAUSE_WORDS, counts_words, rate_words, trials_words
from eval_tui.results.verdicts import CaseVerdict, VerdictBoard
from eval_tui.results.words import count
from eval_tui.verdicts.evaluate import Cause
from eval_tui.verdicts.policy import Stamp
from eval_tui.verdicts.trials import CaseTrials, summarise

NAMED = 3
"""So many metrics are named that cases lack."""


def verdict_cell(one: CaseVerdict | None) -> str:
    """`pass`, `fail` or `?`; `*` where it rests on something old."""
    if one is None:
        return ""
    word = {True: "pass", False: "fail", None: "?"}[one.verdict.value]
    return f"{word}*" if one.stale else word


def verdict_lines(
    board: VerdictBoard, earlier: Stamp | None = None, trials: tuple[CaseTrials, ...] = ()
) -> list[str]:
    """The counts, why cases were not evaluated, critical cases, the policy, and the trials."""
    counts, stamp = board.counts, board.rulebook.stamp
    rate = rate_words(counts)
    lines = [f"verdicts: {counts_words(counts, board.stale)}" + (f" · {rate}" if rate else "")]
    for cause, number_of in counts.causes:
        lines.append(
            f"  ?  {CAUSE_WORDS[cause]}: {count(number_of, 'case')}{_culprits(board, cause)}"
        )
    if board.critical is not None:
        lines.append(critical_words(board.critical))
    digest = f" ({stamp.short})" if stamp.digest else ""
    lines.append(
        f"policy: {stamp.id}@{stamp.version}{digest}" if stamp.id else "policy: not recorded"
    )
    if earlier is not None:
        lines.append(
            f"  the last scoring of this run was under {earlier.id}@{earlier.version}"
            f" ({earlier.short}): its verdicts are not comparable with these"
        )
    return lines + list(_trial_lines(trials))


def _culprits(board: VerdictBoard, cause: Cause) -> str:
    """The metrics that are missing most often for this cause, in parentheses."""
    verdicts = (one.verdict for one in board.cases.values())
    missing = Counter(
        metric for one in verdicts if one.cause == cause for metric, _ in one.missing
    ).most_common()
    if not missing:
        return ""
    told = [f"{metric} in {n:,}" for metric, n in missing[:NAMED]]
    more = [f"{len(missing) - NAMED} more"] if len(missing) > NAMED else []
    return f" ({', '.join([*told, *more])})"


def _trial_lines(trials: tuple[CaseTrials, ...]) -> Iterable[str]:
    found = summarise(trials)
    if not trials:
        return
    if found is None:
        yield "trials: none was evaluated"
        return
    yield f"trials: {trials_words(found)}"
    for one in trials:
        if one.flaky:
            yield f"  ~  {one.case}: {one.tally.passed}/{one.tally.trials}"
