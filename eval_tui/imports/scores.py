"""The score rows of a case result: whose they are, and what each says (4.2, 7.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from eval_tui.config.grader_kinds import JUDGE_FAMILY
from eval_tui.imports.document import Result
from eval_tui.imports.plain import Path, an_object, is_object, placed, text, words_of
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from eval_tui.verdicts.evaluate import MetricScore
from eval_tui.verdicts.normalise import BadRow, normalise

UNADDRESSED = "unaddressed"
"""The column of scores that do not say who gave them."""


class Address(NamedTuple):
    """Which column a score belongs to."""

    judge: bool
    name: str


class Entry(NamedTuple):
    """One row of a case."""

    address: Address
    part: str
    """The metric of a grader, the criterion of a judge; empty for a judge's overall score."""
    row: MetricScore
    at: Path
    problem: str
    """Why it could not be read as it is, or empty."""

    @property
    def score(self) -> Score:
        assert self.row.score is not None
        return self.row.score


def entries_of(result: Result) -> Iterator[Entry]:
    """Every row of a case, also those that cannot be read: none is dropped.

    That a case died is said by a row as well; it is no score.
    """
    for at, value in placed(result.plain.get("scores"), (*result.at, "scores")):
        plain = an_object(value)
        if plain.get("graderId") == "dispatch" and plain.get("metric") == "error":
            continue
        row, problem = _row(value)
        yield Entry(*_address(row), row, at, problem)


def _row(value: object) -> tuple[MetricScore, str]:
    plain = an_object(value)
    told = {**plain, "detail": words_of(plain.get("detail"))} if "detail" in plain else plain
    try:
        row = normalise(told if is_object(value) else value)
    except BadRow as error:
        grader, metric = text(plain.get("graderId")), text(plain.get("metric"))
        broken = Unmeasured(Reason.CONTRACT_VIOLATION, str(error))
        return _named(MetricScore(grader, metric, broken)), str(error)
    lost = "" if row.producer and row.metric else "`graderId` and `metric` must not be empty"
    return _named(_with_reason(row, plain.get("value"))), lost


def _with_reason(row: MetricScore, value: object) -> MetricScore:
    """A violation of the contract that nobody has put into words says what the value was."""
    score = row.score
    if isinstance(score, Unmeasured) and not score.detail:
        words = words_of(value)[:200] or "nothing"
        if score.reason is Reason.CONTRACT_VIOLATION:
            return row._replace(score=Unmeasured(score.reason, f"the value is no score: {words}"))
    return row


def _named(row: MetricScore) -> MetricScore:
    """The row with an address, made of what there is of it."""
    producer = row.producer or row.metric or UNADDRESSED
    return MetricScore(producer, row.metric or producer, row.score)


def _address(row: MetricScore) -> tuple[Address, str]:
    """Judges by the name in their metric, with criteria as their parts; graders by their id."""
    family, _, rest = row.metric.partition(":")
    if family != JUDGE_FAMILY:
        return Address(False, row.producer), row.metric
    name, _, part = rest.partition(":")
    return Address(True, name or row.producer), part


def as_boolean(score: Score) -> Score | None:
    """A score of 0 or 1 that only says whether it passed, as what it is; None for any other."""
    if not isinstance(score, Measured):
        return score
    if score.label is not None or score.passed is None or score.value not in (0, 1):
        return None
    if bool(score.value) is not score.passed:
        return None
    return Measured(score.passed, score.passed, score.rationale)
