"""The policy that a config asks for, and what its cases are expected to measure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from eval_tui.config.graders import contested
from eval_tui.config.schema import Authority, Direction, EvalConfig, Metric, VerdictRules
from eval_tui.verdicts.evaluate import Expected, Verdict
from eval_tui.verdicts.policy import (
    BUILT_IN,
    CRITERIA,
    Definition,
    Match,
    Policy,
    Rungs,
    Stamp,
    declarable,
    stamp_of,
    with_version,
)
from eval_tui.verdicts.producers import Producer, producers

_ALL = Rungs("all", "all", "all")
_OBSERVED = ("usd", "span", "tool_calls")
_STRONGEST_FIRST: tuple[Authority, ...] = ("ground_truth", "objective", "judge", "observational")


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All that a case's verdict depends on besides its scores."""

    policy: Policy
    stamp: Stamp
    producers: tuple[Producer, ...]
    expected: tuple[Expected, ...]
    given: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict])
    """Verdicts, by case, that came with an opened document and stand as they are."""

    @property
    def critical_cases(self) -> tuple[Mapping[str, Any], ...]:
        """Cases that must pass, each by its `id` or a `prefix`; none under rules of other tools."""
        return self.policy.critical_cases if self.policy.rules is not None else ()

    @property
    def flat(self) -> bool:
        return self.policy.rules is not None and self.policy.rules.mode == "flat"


def rulebook(config: EvalConfig, unreviewed: Collection[tuple[str, str]] = ()) -> Rulebook:
    """The rules of a config. `unreviewed`: declarations that nobody has accepted as they are, each
    a grader's name and a metric (D42)."""
    found = producers(config)
    policy = compile_policy(config, found)
    return Rulebook(policy, stamp_of(policy), found, _expected(config, policy, found, unreviewed))


def rules_of(config: EvalConfig) -> VerdictRules:
    """The `verdict:` block in force: flat without graders, a ladder with them."""
    has_graders = any(judge.grader is not None for judge in config.judges)
    return config.verdict or VerdictRules("ladder" if has_graders else "flat")


def compile_policy(config: EvalConfig, found: tuple[Producer, ...]) -> Policy:
    """Every metric of the config by its exact name; what is not in it never decides.

    All metrics of a rung must pass: ground truth of one's own can fail a case whose tests pass.
    """
    rules = rules_of(config)
    at_odds = contested(config.judges)
    declared = {
        metric.id: metric
        for metric in _declared(config)
        if metric.authority is not None and metric.id not in at_odds
    }
    definitions = [
        *BUILT_IN,
        *(_exact(metric.id, metric.authority, metric.direction) for metric in declared.values()),
        *(
            replace(
                _exact(one.metrics[0], one.authority), role=None if one.awaited else "supporting"
            )
            for one in found
            if one.authority is not None
        ),
        CRITERIA,
        *(Definition(Match(name), "observational", "lower_is_better") for name in _OBSERVED),
    ]
    return with_version(
        Policy(
            id=f"eval-tui-{rules.mode}",
            version="0",
            metrics=tuple(dict.fromkeys(definitions)),
            rungs=_ALL,
            fallback="none",
            critical_cases=rules.critical_cases,
            rules=rules,
        )
    )


def _declared(config: EvalConfig) -> Iterator[Metric]:
    """What the graders declare about metrics that can be declared."""
    for judge in config.judges:
        for metric in judge.grader.metrics if judge.grader is not None else ():
            if declarable(metric.id) and metric.authority != "judge":
                yield metric


def _exact(
    name: str, authority: Authority | None, direction: Direction | None = None
) -> Definition:
    return Definition(Match(metric=name), authority or "observational", direction)


def _expected(
    config: EvalConfig,
    policy: Policy,
    found: tuple[Producer, ...],
    unreviewed: Collection[tuple[str, str]],
) -> tuple[Expected, ...]:
    """What each case should measure, in the order of the columns."""
    at_odds, of_cases = contested(config.judges), _of_cases(config)
    expected: dict[str, Expected] = {}
    for one in found:
        for metric in one.metrics:
            definition, optional = policy.definition(metric), metric in of_cases
            if metric in at_odds:
                strongest = _strongest(config, metric)
                expected[metric] = Expected(metric, strongest, True, "conflicting", optional)
            elif definition is not None and one.awaited and definition.authority != "observational":
                authority = definition.authority
                declared = one.authority is None and declarable(metric)
                nobody = declared and optional and authority == "ground_truth"
                settled = not nobody and (one.name, metric) not in unreviewed
                standing = "accepted" if settled else "unreviewed"
                expected[metric] = Expected(metric, authority, declared, standing, optional)
    return tuple(expected.values())


def _of_cases(config: EvalConfig) -> frozenset[str]:
    """Metrics that single cases declare and the config does not."""
    graders = [judge.grader for judge in config.judges if judge.grader is not None]
    metrics = [metric for grader in graders for metric in grader.metrics]
    return frozenset(
        {m.id for m in metrics if m.of_cases} - {m.id for m in metrics if not m.of_cases}
    )


def _strongest(config: EvalConfig, name: str) -> Authority:
    """The most that any entry says about a metric."""
    said = {metric.authority for metric in _declared(config) if metric.id == name}
    for authority in _STRONGEST_FIRST:
        if authority in said:
            return authority
    return "observational"
