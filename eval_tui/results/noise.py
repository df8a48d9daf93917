"""What of a difference between two runs chance alone may do, in figures and in words (4.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eval_tui.results.compare import Comparison, JudgeChange
from eval_tui.verdicts.compare import Difference, compare_trials
from eval_tui.verdicts.statistics import ALPHA, Tally
from eval_tui.verdicts.trials import CaseTrials

ONE_EACH = (
    "p: how often coin tosses would turn as many cells one way;"
    " one run of each side cannot tell a single case from noise"
)
"""What stands below figures of two runs without trials."""


def trial_differences(
    before: Iterable[CaseTrials], after: Iterable[CaseTrials]
) -> tuple[Difference, ...]:
    """The cases that pass another share of their trials, where a side has several of them."""
    was, now = ({one.case: one.tally for one in side} for side in (before, after))
    return tuple(
        one
        for one in compare_trials(was, now)
        if one.p is not None
        and one.before.rate != one.after.rate
        and max(one.before.trials, one.after.trials) > 1
    )


def chance_words(judge: JudgeChange) -> str:
    """E.g. `within the noise (p = 0.5)`: whether a figure moved more than chance explains."""
    chance = judge.chance
    return "" if chance is None or judge.was == judge.now else noise_words(chance, chance <= ALPHA)


def noise_words(p: float, significant: bool) -> str:
    return f"{'more than noise' if significant else 'within the noise'} (p = {p:.2g})"


def trial_words(one: Difference) -> str:
    """E.g. `3/3 → 0/3 trials pass: within the noise (p = 0.1)`."""
    told = f"{_share(one.before)} → {_share(one.after)} trials pass"
    return told if one.p is None else f"{told}: {noise_words(one.p, one.significant)}"


def noise_note(found: Comparison) -> Iterator[str]:
    """How the figures are to be read, where they say anything about chance."""
    if not found.trials and any(map(chance_words, found.judges)):
        yield ONE_EACH


def _share(tally: Tally) -> str:
    return f"{tally.passed}/{tally.trials}"
