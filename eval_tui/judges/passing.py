"""`pass_if`: the pass or fail of a number, whatever kind of judge gave it."""

from __future__ import annotations

import dataclasses

from eval_tui.config.pass_mark import passes
from eval_tui.config.schema import Judge
from eval_tui.scores import Measured, Score


def apply_pass_if(score: Score, judge: Judge) -> Score:
    """The score with the pass mark that the judge's `pass_if` gives its value.

    Like `apply_range` it looks at the stored value, so that a changed mark reruns nothing. Booleans,
    judges without a mark and everything unmeasured pass unchanged.
    """
    if not isinstance(score, Measured) or isinstance(score.value, bool):
        return score
    passed = passes(judge.pass_if, score.value)
    return score if passed is None else dataclasses.replace(score, passed=passed)
