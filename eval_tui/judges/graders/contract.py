"""The one place through which every grader's scores go: from rows to the score of its cell (D38).

`column_score` makes the stored score of the rows; `apply_contract` looks at the stored score, so
that a declaration that changes elsewhere in the config reruns nothing. Both are pure.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from eval_tui.config.grader_kinds import JUDGE_FAMILY, known_metrics, may_emit
from eval_tui.config.pass_mark import passes
from eval_tui.config.schema import Grader, Judge
from eval_tui.scores import Measured, Reason, Score, Unmeasured

if TYPE_CHECKING:
    from eval_tui.judges.graders.bench import Row

_CHANGES = frozenset({"config", "code", "evidence"})


def column_score(rows: Iterable[Row], grader: Grader) -> Score:
    """The stored score: that of the leading metric, with all that were emitted as its parts.

    The leading one is the first metric that the grader is known to emit. If that was not emitted,
    the column says why: by the first row that breaks the contract, else by what is declared and
    missing, else by the first row.
    """
    parts: dict[str, Score] = {}
    for metric, score in rows:
        bare = dataclasses.replace(score, parts={})
        parts[metric] = _together(parts[metric], bare) if metric in parts else bare
    return _headed(parts, grader)


def not_graded(score: Unmeasured, grader: Grader) -> Unmeasured:
    """A whole grader without a measurement: so is each metric that it is known to emit."""
    bare = dataclasses.replace(score, parts={})
    parts: dict[str, Score] = dict.fromkeys(known_metrics(grader), bare)
    return dataclasses.replace(bare, parts=parts)


def apply_contract(score: Score, judge: Judge) -> Score:
    """A grader's stored score under the config as it is now; those of other judges unchanged.

    Metrics that belong to others become contract violations, numbers get the pass or fail that
    their metric's `pass_if` gives.
    """
    return score if judge.grader is None else under_spec(score, judge.grader)


def under_spec(score: Score, grader: Grader) -> Score:
    """The same for a spec by itself."""
    if not score.parts:
        return score
    parts = {name: _checked(name, part, grader) for name, part in score.parts.items()}
    return _headed(parts, grader, _missing(parts, grader))


def _checked(metric: str, score: Score, grader: Grader) -> Score:
    if not may_emit(grader, metric):
        return Unmeasured(Reason.CONTRACT_VIOLATION, _forged(metric, grader), recover_on=_CHANGES)
    if isinstance(score, Measured) and score.passed is None:
        mark = next((one.pass_if for one in grader.metrics if one.id == metric), "")
        return dataclasses.replace(score, passed=passes(mark, score.value))
    return score


def _forged(metric: str, grader: Grader) -> str:
    if metric.partition(":")[0] == JUDGE_FAMILY:
        return f"it emitted `{metric}`: only judges may emit metrics of that name"
    if metric in grader.foreign:
        return f"it emitted `{metric}`, which another grader declares: a metric has one owner"
    return f"it emitted `{metric}`, a reserved name that is not this grader's"


def _headed(
    parts: Mapping[str, Score], grader: Grader, missing: Mapping[str, Score] | None = None
) -> Score:
    """The score of the leading part, with all of them."""
    own = [parts[metric] for metric in known_metrics(grader)[:1] if metric in parts]
    broken = filter(_breaks_contract, parts.values())
    lost = missing or {}
    head = next(itertools.chain(own, broken, lost.values(), parts.values()))
    return dataclasses.replace(head, parts={**parts, **lost})


def _missing(parts: Mapping[str, Score], grader: Grader) -> dict[str, Score]:
    """What the spec declares and was not emitted; single cases declare for themselves."""
    declared = [] if grader.per_case else [metric.id for metric in grader.metrics]
    return {
        metric: Unmeasured(
            Reason.GRADER_ERROR,
            f"it declares the metric `{metric}` and did not emit it",
            recover_on=_CHANGES,
        )
        for metric in declared
        if metric not in parts
    }


def _breaks_contract(score: Score) -> bool:
    return isinstance(score, Unmeasured) and score.reason is Reason.CONTRACT_VIOLATION


def _together(first: Score, second: Score) -> Score:
    """Two scores of one metric: all must pass, so the one that is worse for the case stands."""
    return first if _rank(first) <= _rank(second) else second


def _rank(score: Score) -> int:
    if isinstance(score, Unmeasured):
        return 1
    return 0 if score.passed is False else 2
