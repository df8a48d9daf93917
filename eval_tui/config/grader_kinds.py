"""The implementations that an entry of `graders:` can pick by its `id`, and what each emits.

Plain data that the workers need as well: standard library only, Python 3.10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from eval_tui.config.schema import Grader
from eval_tui.plugins import plugin_name

RESERVED = frozenset({"state", "tests_pass", "answer_match", "url_matches", "dom_contains"})
"""Metrics that no spec can declare: they belong to implementations."""

JUDGE_FAMILY = "judge"
"""The metric of judges, and the first part of all their metrics: no grader emits those."""


@dataclass(frozen=True)
class Implementation:
    """One way to grade."""

    keys: tuple[str, ...] = ()
    """The keys of `config` that it reads."""
    required: tuple[str, ...] = ()
    """Those that must be there."""
    metrics: tuple[str, ...] = ()
    """What it emits by construction; empty when that is up to a script."""
    renames: bool = False
    """Whether `config.metric` names its metric instead."""
    named: bool = False
    """Whether `config.id` names the instance."""
    limit_s: float = 0.0
    """Seconds that its command may take unless `timeoutSec` says otherwise; 0: it runs none."""


_COMMAND = ("cmd", "cwd", "env", "timeoutSec", "in_place")

IMPLEMENTATIONS: Mapping[str, Implementation] = MappingProxyType(
    {
        "tests-pass": Implementation(_COMMAND, ("cmd",), ("tests_pass",), limit_s=600.0),
        "command": Implementation(
            (*_COMMAND, "passPattern", "metric", "id"),
            ("cmd",),
            ("command",),
            renames=True,
            named=True,
            limit_s=1800.0,
        ),
        "script": Implementation(
            (*_COMMAND, "language", "code", "entrypoint", "id"), named=True, limit_s=1800.0
        ),
        "script-score": Implementation(
            (*_COMMAND, "scorePattern", "passThreshold", "metric", "id"),
            ("cmd",),
            ("score",),
            renames=True,
            named=True,
            limit_s=1800.0,
        ),
        "reward-file": Implementation(
            (*_COMMAND, "files", "testsDir", "rewardDir", "passThreshold", "id"),
            metrics=("tests_pass",),
            named=True,
            limit_s=600.0,
        ),
        "text-metric": Implementation(
            ("pattern", "metric", "id"), ("pattern", "metric"), renames=True, named=True
        ),
        "answer-match": Implementation(("expect", "mode"), metrics=("answer_match",)),
        "cost": Implementation(metrics=("usd",)),
        "steps": Implementation(metrics=("tool_calls",)),
        "latency": Implementation(metrics=("span",)),
    }
)

NOT_HERE: Mapping[str, str] = MappingProxyType(
    {
        "dom-contains": "it looks at a page in a browser",
        "url-matches": "it looks at a page in a browser",
        "store-state": "it asks a data store of the environment that the agent worked in",
        "swe-bench": "it applies patches in the benchmark's own container",
        "judge": "a model that judges is an entry of `judges:`",
    }
)
"""Ids that exist and cannot work on recorded runs, with the reason."""


def instance_name(spec_id: str, config_id: str) -> str:
    """The name of a grader's column: `config.id` where the implementation has one (D37)."""
    own = plugin_name(spec_id)
    made = IMPLEMENTATIONS.get(spec_id)
    named = spec_id == "judge" or bool(own) or (made is not None and made.named)
    return config_id if named and config_id else own or spec_id


def known_metrics(grader: Grader) -> tuple[str, ...]:
    """The metrics that a grader is known to emit, in order: its own, then declared ones.

    The first of them stands for the column. Empty when only the script knows.
    """
    found = dict.fromkeys(metric.id for metric in grader.metrics)
    made = IMPLEMENTATIONS.get(grader.id)
    if made is not None:
        renamed = str(grader.config.get("metric") or "") if made.renames else ""
        found = {**dict.fromkeys((renamed,) if renamed else made.metrics), **found}
    return tuple(found)


def may_emit(grader: Grader, metric: str) -> bool:
    """Whether a metric is this grader's to emit (D38).

    Not the family of judges, no reserved name of another implementation, nothing that another
    spec declares. For a column that cases have specs for, the owner of a reserved name is told by
    the case's own spec.
    """
    if metric.partition(":")[0] == JUDGE_FAMILY or metric in grader.foreign:
        return False
    if grader.per_case:
        return True
    made = IMPLEMENTATIONS.get(grader.id)
    owned = made.metrics if made is not None and not made.renames else ()
    return metric not in RESERVED or metric in owned


def limit_of(grader: Grader) -> float:
    """Seconds that the grader's command may take; 0 when it runs none."""
    made = IMPLEMENTATIONS.get(grader.id)
    if made is None or not made.limit_s:
        return 0.0
    given = grader.config.get("timeoutSec")
    return float(given) if isinstance(given, (int, float)) and given > 0 else made.limit_s
