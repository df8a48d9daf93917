"""The verdict policy: a document that says which metric may decide a case, and in which order (D43)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

from eval_tui.config.grader_kinds import JUDGE_FAMILY, RESERVED
from eval_tui.config.schema import Authority, Direction, Grader, VerdictRules
from eval_tui.verdicts import canonical

Aggregation = Literal["priority", "all", "any", "majority"]
Role = Literal["required", "supporting", "diagnostic", "excluded"]
Missing = Literal["invalidate_case", "exclude_metric"]

JUDGE_PREFIX = f"{JUDGE_FAMILY}:"


@dataclass(frozen=True, slots=True)
class Match:
    """Which metrics a definition is about: one by name, or all with a prefix."""

    metric: str = ""
    prefix: str = ""
    segments: int = 0
    """With a prefix: the number of parts between colons; 0 for any."""

    def fits(self, metric: str) -> bool:
        if not self.prefix:
            return metric == self.metric
        return metric.startswith(self.prefix) and (
            not self.segments or metric.count(":") + 1 == self.segments
        )

    def document(self) -> dict[str, Any]:
        if not self.prefix:
            return {"metric": self.metric}
        return {"prefix": self.prefix, **_given(segments=self.segments)}


@dataclass(frozen=True, slots=True)
class Definition:
    """What is known of some metrics. The first that fits a metric counts."""

    match: Match
    authority: Authority
    direction: Direction | None = None
    kind: Literal["boolean", "numeric", "categorical"] | None = None
    role: Role | None = None
    missing: Missing | None = None

    def document(self) -> dict[str, Any]:
        return {
            "match": self.match.document(),
            "authority": self.authority,
            **_given(
                direction=self.direction,
                kind=self.kind,
                verdictRole=self.role,
                missingPolicy=self.missing,
            ),
        }

    @property
    def invalidates(self) -> bool:
        """Whether a case in which none of its metrics was measured has no verdict."""
        return self.role == "required" and self.missing in (None, "invalidate_case")


@dataclass(frozen=True, slots=True)
class Rungs:
    """How the votes of one rung are combined."""

    ground_truth: Aggregation = "priority"
    objective: Aggregation = "all"
    judge: Aggregation = "all"

    def document(self) -> dict[str, str]:
        return {
            "ground_truth": self.ground_truth,
            "objective": self.objective,
            "judge": self.judge,
        }


@dataclass(frozen=True)
class Policy:
    """A policy document. `rules` are ours; documents of other tools have none."""

    id: str
    version: str
    metrics: tuple[Definition, ...]
    rungs: Rungs = Rungs()
    fallback: Aggregation | Literal["none"] = "all"
    critical_cases: tuple[Mapping[str, Any], ...] = ()
    rules: VerdictRules | None = None

    def document(self) -> dict[str, Any]:
        """As plain JSON values: what the digest is over."""
        return {
            "id": self.id,
            "version": self.version,
            "metrics": [definition.document() for definition in self.metrics],
            "rungs": self.rungs.document(),
            "fallback": self.fallback,
            **_given(criticalCases=[dict(case) for case in self.critical_cases]),
            **(_rules_document(self.rules) if self.rules else {}),
        }

    def place(self, metric: str) -> int | None:
        """The place of the definition that counts for a metric; None when none fits."""
        named = self._named.get(metric)
        for at, match in self._families:
            if named is not None and at > named:
                break
            if match.fits(metric):
                return at
        return named

    @cached_property
    def _named(self) -> dict[str, int]:
        """The first definition of each metric that is named."""
        found: dict[str, int] = {}
        for at, one in enumerate(self.metrics):
            if not one.match.prefix:
                found.setdefault(one.match.metric, at)
        return found

    @cached_property
    def _families(self) -> list[tuple[int, Match]]:
        return [(at, one.match) for at, one in enumerate(self.metrics) if one.match.prefix]

    def definition(self, metric: str) -> Definition | None:
        """The definition that counts for a metric."""
        at = self.place(metric)
        return None if at is None else self.metrics[at]


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which policy verdicts were made under."""

    id: str
    version: str
    digest: str = ""

    @property
    def short(self) -> str:
        """Enough of the digest to tell policies apart."""
        return self.digest.removeprefix("sha256:")[:8]


def stamp_of(policy: Policy) -> Stamp:
    """The stamp of verdicts that are made under a policy."""
    return Stamp(policy.id, policy.version, canonical.digest(policy.document()))


def _metric(name: str, authority: Authority, direction: Direction | None = None) -> Definition:
    return Definition(Match(metric=name), authority, direction)


BUILT_IN: tuple[Definition, ...] = (
    _metric("state", "ground_truth"),
    _metric("tests_pass", "ground_truth"),
    _metric("answer_match", "objective"),
    _metric("url_matches", "objective"),
    _metric("dom_contains", "objective"),
)
"""Metrics that belong to implementations, strongest first."""

CRITERIA = Definition(Match(prefix=JUDGE_PREFIX), "judge", role="diagnostic")
"""A judge's criteria are shown and decide nothing: the judge itself does."""

_LADDER = (
    *BUILT_IN,
    _metric("judge", "judge"),
    Definition(Match(prefix=JUDGE_PREFIX, segments=2), "judge"),
    CRITERIA,
    _metric("cost_usd", "observational", "lower_is_better"),
    _metric("latency_ms", "observational", "lower_is_better"),
    _metric("tool_calls", "observational", "lower_is_better"),
)
LADDER = Policy("authority-ladder", "1.1.0", _LADDER)
FIRST_LADDER = replace(
    LADDER, version="1.0.0", metrics=tuple(one for one in _LADDER if one is not CRITERIA)
)
"""What scores without any stamp are read under."""

_KNOWN = {(policy.id, policy.version): policy for policy in (LADDER, FIRST_LADDER)}


def with_version(policy: Policy) -> Policy:
    """The policy with a version that is made of its content."""
    unnamed = replace(policy, version="0")
    return replace(policy, version=canonical.hexadecimal(unnamed.document())[:12])


def declarable(metric: str) -> bool:
    """Whether a spec can say what a metric means: not those that belong to someone."""
    return metric not in RESERVED and metric.partition(":")[0] != JUDGE_FAMILY


def compose(
    graders: Iterable[Grader],
    base: Policy = LADDER,
    critical_cases: Sequence[Mapping[str, Any]] = (),
) -> Policy:
    """A base policy with what specs declare besides, as other tools compose it."""
    added = dict.fromkeys(
        _metric(metric.id, metric.authority, metric.direction)
        for grader in graders
        for metric in grader.metrics
        if metric.authority is not None and declarable(metric.id)
    )
    if not added and not critical_cases:
        return base
    metrics = (*base.metrics, *added)
    return with_version(
        replace(base, id="composed", metrics=metrics, critical_cases=tuple(critical_cases))
    )


Resolution = Literal["resolved", "legacy_default", "unresolvable"]


def resolve(
    stamp: Stamp | None, document: Mapping[str, Any] | None = None
) -> tuple[Resolution, Policy | None]:
    """The policy that a stamp names. Where its document cannot be had there is none: no verdict is
    made under another one instead."""
    if stamp is None:
        return "legacy_default", FIRST_LADDER
    if document is not None and stamp.digest and canonical.matches(stamp.digest, document):
        policy = read_policy(document)
        if policy is not None:
            return "resolved", policy
    known = _KNOWN.get((stamp.id, stamp.version))
    if known is not None and (
        not stamp.digest or canonical.matches(stamp.digest, known.document())
    ):
        return "resolved", known
    return "unresolvable", None


def read_policy(document: Mapping[str, Any]) -> Policy | None:
    """A policy from its document; None for what is no policy of a form that is known."""
    try:
        rungs = {rung: _one_of(Aggregation, document["rungs"][rung]) for rung in Rungs().document()}
        fallback = document["fallback"]
        return Policy(
            str(document["id"]),
            str(document["version"]),
            tuple(_read_definition(one) for one in document["metrics"]),
            Rungs(**rungs),
            fallback if fallback == "none" else _one_of(Aggregation, fallback),
            tuple(document.get("criticalCases", ())),
            _read_rules(document),
        )
    except (KeyError, TypeError, AttributeError):
        return None


def _read_definition(plain: Mapping[str, Any]) -> Definition:
    match = plain["match"]
    metric, prefix = match.get("metric", ""), match.get("prefix", "")
    segments = match.get("segments", 0)
    if not (isinstance(metric, str) and isinstance(prefix, str) and isinstance(segments, int)):
        raise TypeError("a match is by name, or by prefix and segments")
    return Definition(
        Match(metric, prefix, segments),
        _one_of(Authority, plain["authority"]),
        plain.get("direction"),
        plain.get("kind"),
        plain.get("verdictRole"),
        plain.get("missingPolicy"),
    )


def _one_of(words: Any, value: Any) -> Any:
    """The value, which must be one of the words of a literal type. Raises TypeError."""
    if value not in get_args(words):
        raise TypeError(f"unknown: {value!r}")
    return value


def _rules_document(rules: VerdictRules) -> dict[str, Any]:
    return {
        "mode": rules.mode,
        "onDeadAuthority": rules.on_dead_authority,
        "unreviewed": rules.unreviewed,
    }


def _read_rules(plain: Mapping[str, Any]) -> VerdictRules | None:
    if "mode" not in plain:
        return None
    return VerdictRules(plain["mode"], plain["onDeadAuthority"], plain["unreviewed"])


def _given(**values: Any) -> dict[str, Any]:
    """Those that say something."""
    return {key: value for key, value in values.items() if value}
