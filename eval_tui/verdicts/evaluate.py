"""The verdict of one case: true, false, or not evaluated, and what it rests on (D41)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, assert_never

from eval_tui.config.schema import Authority, VerdictRules
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from eval_tui.verdicts.policy import Aggregation, Policy

Rung = Literal["ground_truth", "objective", "judge", "fallback", "flat"]
RUNGS: tuple[Literal["ground_truth", "objective", "judge"], ...] = (
    "ground_truth",
    "objective",
    "judge",
)

Cause = Literal[
    "no_outcome",
    "nothing_measured",
    "no_vote",
    "waiting",
    "unmeasured",
    "authority_unmeasured",
    "unreviewed_authority",
    "conflicting_authority",
    "policy_not_available",
]
"""Why a case has no verdict."""

Standing = Literal["accepted", "unreviewed", "conflicting"]


class MetricScore(NamedTuple):
    """One row of a case: what a producer says about a metric; None while it has said nothing."""

    producer: str
    metric: str
    score: Score | None


@dataclass(frozen=True, slots=True)
class Expected:
    """A metric that the case's own judges and graders should measure."""

    metric: str
    authority: Authority
    declared: bool = False
    """A spec declares it: a value without a pass is no answer then."""
    standing: Standing = "accepted"
    of_cases: bool = False
    """Single cases declare it: one that says nothing of it is not about it."""


class Vote(NamedTuple):
    """What one metric says about the case; several rows of a metric must all pass."""

    metric: str
    producer: str
    """Of several the first that fails."""
    passed: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """True, false, or None: not evaluated. None is never a fail, and never a pass."""

    value: bool | None
    rung: Rung | None = None
    """Where it was decided; None without a verdict, and where only the verdict is recorded."""
    decided_by: tuple[Vote, ...] = ()
    cause: Cause | None = None
    """Why there is none; None with a verdict."""
    missing: tuple[tuple[str, str], ...] = ()
    """The metrics without which there is none, each with a reason's word or `waiting`."""
    provisional: bool = False
    """Worked out without a metric that nobody has reviewed (`unreviewed: ignore`)."""


def evaluate(
    policy: Policy | None,
    rows: Sequence[MetricScore],
    expected: Iterable[Expected] = (),
    *,
    outcome: bool = True,
) -> Verdict:
    """The verdict of a case from its rows.

    `policy` None: the one in force then cannot be had. `expected` counts only for policies with
    rules of ours; `outcome` False: the case died before there was anything to judge.
    """
    if policy is None:
        return Verdict(None, cause="policy_not_available")
    if not outcome:
        return Verdict(None, cause="no_outcome")
    rules = policy.rules
    if rules is None:
        return _climb(policy, rows, _votes(policy, rows))
    awaited = [one for one in expected if not _left_out(rows, one)]
    ignored = {
        one.metric
        for one in awaited
        if one.standing == "unreviewed" and rules.unreviewed == "ignore"
    }
    unsettled = {one.metric for one in awaited if one.standing != "accepted"}
    awaited = [one for one in awaited if one.metric not in ignored]
    rows = [row for row in rows if row.metric not in unsettled]
    votes = _votes(policy, rows)
    if rules.mode == "flat":
        found = _withheld(awaited) or _flat(policy, rows, votes)
    else:
        found = _climb(policy, rows, votes, awaited, rules)
    return replace(found, provisional=True) if ignored else found


def _climb(
    policy: Policy,
    rows: Sequence[MetricScore],
    votes: Sequence[Vote],
    awaited: Sequence[Expected] = (),
    rules: VerdictRules | None = None,
) -> Verdict:
    """The strongest rung that has a vote decides, unless one that should have one has none."""
    lacking = _invalidated(policy, rows)
    if lacking:
        return Verdict(None, cause="unmeasured", missing=lacking)
    places = {vote.metric: policy.place(vote.metric) for vote in votes}
    for rung in RUNGS:
        on_rung = [one for one in awaited if one.authority == rung]
        gone = _withheld(on_rung)
        if gone is None and rules is not None and rules.on_dead_authority == "withhold":
            gone = _dead(policy, rung, on_rung, rows, votes)
        if gone is not None:
            return gone
        own = [
            (at, vote)
            for vote in votes
            if (at := places[vote.metric]) is not None and policy.metrics[at].authority == rung
        ]
        if own:
            in_order = [vote for _, vote in sorted(own, key=lambda pair: pair[0])]
            return _decided(rung, getattr(policy.rungs, rung), in_order)
    unknown = [vote for vote in votes if places[vote.metric] is None]
    if unknown and policy.fallback != "none":
        return _decided("fallback", policy.fallback, unknown)
    return _undecided(rows)


def _flat(policy: Policy, rows: Sequence[MetricScore], votes: Sequence[Vote]) -> Verdict:
    """Everything that bears a pass must pass; what should have and could not is not passed over."""
    gone: dict[str, str] = {}
    for row in rows:
        definition = policy.definition(row.metric)
        aside = definition and (definition.role or definition.authority == "observational")
        word = "" if aside else _word(row.score)
        if word:
            gone[row.metric] = word
    if gone:
        return _missing(gone, "unmeasured")
    observed = {
        vote.metric
        for vote in votes
        if (one := policy.definition(vote.metric)) and one.authority == "observational"
    }
    counting = [vote for vote in votes if vote.metric not in observed]
    return _decided("flat", "all", counting) if counting else _undecided(rows)


def _votes(policy: Policy, rows: Iterable[MetricScore]) -> list[Vote]:
    """One vote for each metric that has a pass or a fail, but for those that never decide."""
    votes: dict[str, Vote] = {}
    for row in rows:
        score = row.score
        if not isinstance(score, Measured) or score.passed is None:
            continue
        definition = policy.definition(row.metric)
        if definition is not None and definition.role in ("diagnostic", "excluded"):
            continue
        before = votes.get(row.metric)
        if before is None or (before.passed and not score.passed):
            votes[row.metric] = Vote(row.metric, row.producer, score.passed)
    return list(votes.values())


def _decided(rung: Rung, how: Aggregation, votes: Sequence[Vote]) -> Verdict:
    passed = sum(vote.passed for vote in votes)
    match how:
        case "priority":
            votes, value = votes[:1], votes[0].passed
        case "all":
            value = passed == len(votes)
        case "any":
            value = passed > 0
        case "majority":
            value = passed * 2 > len(votes)
        case _:
            assert_never(how)
    return Verdict(
        value, rung, tuple(vote for vote in votes if vote.passed == value) or tuple(votes)
    )


def _invalidated(policy: Policy, rows: Sequence[MetricScore]) -> tuple[tuple[str, str], ...]:
    """Required metrics that were not measured."""
    lacking: dict[str, str] = {}
    for definition in policy.metrics:
        if not definition.invalidates:
            continue
        own = [row for row in rows if definition.match.fits(row.metric)]
        if not any(isinstance(row.score, Measured) for row in own):
            name = definition.match.metric or definition.match.prefix
            lacking[name] = next((_word(row.score) for row in own), "") or "missing"
    return tuple(lacking.items())


def _withheld(awaited: Iterable[Expected]) -> Verdict | None:
    """No verdict while somebody must look at a declaration first."""
    for standing, cause in _WITHHOLDING:
        found = tuple((one.metric, standing) for one in awaited if one.standing == standing)
        if found:
            return Verdict(None, cause=cause, missing=found)
    return None


_WITHHOLDING: tuple[tuple[Standing, Cause], ...] = (
    ("conflicting", "conflicting_authority"),
    ("unreviewed", "unreviewed_authority"),
)


def _dead(
    policy: Policy,
    rung: Rung,
    awaited: Iterable[Expected],
    rows: Sequence[MetricScore],
    votes: Iterable[Vote],
) -> Verdict | None:
    """No verdict where a rung lacks a voice: a weaker one would turn the case green instead.

    Besides what the config lets one expect that is what a case's own graders could not measure.
    """
    voted = {vote.metric for vote in votes}
    gone: dict[str, str] = {}
    for one in awaited:
        if one.metric in voted:
            continue
        scores = [row.score for row in rows if row.metric == one.metric]
        measured = any(isinstance(score, Measured) for score in scores)
        word = next((found for score in scores if (found := _word(score))), "")
        if not scores:
            word = "missing"
        elif measured and one.declared and rung == "ground_truth":
            word = word or "no pass"
        if word:
            gone[one.metric] = word
    for row in rows:
        definition = policy.definition(row.metric)
        if definition and definition.authority == rung and definition.role is None:
            word = "" if row.metric in voted else _word(row.score)
            if word:
                gone.setdefault(row.metric, word)
    if not gone:
        return None
    return _missing(gone, "authority_unmeasured" if rung == "ground_truth" else "unmeasured")


def _missing(gone: dict[str, str], cause: Cause) -> Verdict:
    waits = all(word == "waiting" for word in gone.values())
    return Verdict(None, cause="waiting" if waits else cause, missing=tuple(gone.items()))


def _undecided(rows: Sequence[MetricScore]) -> Verdict:
    measured = any(isinstance(row.score, Measured) for row in rows)
    return Verdict(None, cause="no_vote" if measured else "nothing_measured")


def _left_out(rows: Sequence[MetricScore], one: Expected) -> bool:
    """Whether a metric was left out of this case on purpose."""
    own = [row.score for row in rows if row.metric == one.metric]
    skipped = all(
        isinstance(score, Unmeasured) and score.reason is Reason.POLICY_SKIP for score in own
    )
    return skipped if own else one.of_cases


def _word(score: Score | None) -> str:
    """Why there is no value, in a word; empty for a value, and for what was skipped on purpose."""
    match score:
        case None:
            return "waiting"
        case Measured() | Unmeasured(reason=Reason.POLICY_SKIP):
            return ""
        case Unmeasured():
            return score.reason.value
        case _:
            assert_never(score)
