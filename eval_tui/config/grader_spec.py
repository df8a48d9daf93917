"""One grader's spec: `{id, config, metrics}` as documented (D37), checked key by key.

Runs in the app for the entries of `graders:`, and in the workers for those of a case's own
`annotations.yaml`: standard library and PyYAML only, Python 3.10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast, get_args

from eval_tui.config.grader_kinds import (
    IMPLEMENTATIONS,
    JUDGE_FAMILY,
    NOT_HERE,
    RESERVED,
    Implementation,
    instance_name,
    known_metrics,
)
from eval_tui.config.names import is_inner_path
from eval_tui.config.pass_mark import parse_pass_if
from eval_tui.config.plain import as_mapping, to_json
from eval_tui.config.positions import Positions
from eval_tui.config.schema import Authority, Direction, Grader, Metric
from eval_tui.config.section import Report, Section, did_you_mean, is_number, kind_of
from eval_tui.plugins import plugin_name

_KEYS = ("id", "config", "metrics", "authority", "direction", "when", "auto", "cache")
_METRIC_KEYS = ("id", "authority", "direction", "pass_if")
_TEXTS = frozenset(
    {"cmd", "cwd", "code", "entrypoint", "metric", "id", "pattern", "passPattern", "scorePattern"}
    | {"testsDir", "rewardDir", "mode", "language"}
)
_PATTERNS = ("pattern", "passPattern", "scorePattern")
_LANGUAGES = ("python", "node")
_ELSEWHERE: Mapping[str, str] = {
    "image": "graders run on this machine, in a copy of the case's folder",
    "applyPatch": "graders look at the files of a run as they were recorded",
    "compat": "what was not measured is never a number here",
}
"""Keys of `config` that other tools know, and why there is no such thing here."""
_AUTHORITIES: Mapping[str, Authority] = {word: word for word in get_args(Authority)}
_DIRECTIONS: Mapping[str, Direction] = {word: word for word in get_args(Direction)}


@dataclass(frozen=True)
class Spec:
    """A grader's spec as read."""

    name: str
    """The name of its column; empty without an id."""
    grader: Grader
    condition: str | bool | None = None
    """`when:`, which means what a judge's `if:` means."""
    elsewhere: str = ""
    """Why this id, which is known, cannot be graded here; empty when it can."""


def read_spec(entry: Section) -> Spec:
    """The spec of one entry; whatever is wrong with it is a problem of the entry."""
    spec_id = entry.text("id").strip()
    block = entry.section("config", "grader-config-not-mapping")
    name = instance_name(spec_id, block.text("id").strip() if block is not None else "")
    if name:
        entry = replace(entry, judge=name)
        block = replace(block, judge=name) if block is not None else None
    entry.note_unknown(_KEYS)
    plain, _ = to_json(block.values if block is not None else {})
    grader = Grader(spec_id, cast("Mapping[str, object]", plain), _read_metrics(entry, spec_id))
    made = IMPLEMENTATIONS.get(spec_id)
    if made is not None:
        _check_config(block or Section(entry.report, {}, entry.keys, entry.judge), spec_id, made)
        grader = _own_semantics(entry, grader, made)
    elif not spec_id:
        entry.error(None, "nameless-grader", "this grader has no id", "e.g. `id: tests-pass`")
    elif spec_id not in NOT_HERE and not plugin_name(spec_id):
        hint = did_you_mean(spec_id, IMPLEMENTATIONS) or f"known: {', '.join(IMPLEMENTATIONS)}"
        entry.error("id", "unknown-grader", f"there is no grader `{spec_id}`", hint)
    condition = entry.get("when")
    if not isinstance(condition, bool):
        condition = entry.text("when") or None
    return Spec(name, grader, condition, NOT_HERE.get(spec_id, ""))


def read_plain_spec(values: Mapping[object, object]) -> tuple[Spec, str]:
    """A spec without a place, and the first thing that is wrong with it (or empty)."""
    report = Report("", Positions())
    spec = read_spec(Section(report, values, ()))
    errors = report.errors_since(0)
    return spec, errors[0].message if errors else ""


def _check_config(block: Section, spec_id: str, made: Implementation) -> None:
    block.note_unknown((*made.keys, *_ELSEWHERE))
    for key, why in _ELSEWHERE.items():
        if block.given(key):
            message = f"`{key}` is not supported: {why}"
            block.error(key, "grader-key-not-supported", message, "remove it")
    for key in made.required:
        if not block.given(key):
            block.error(None, "grader-incomplete", f"`{spec_id}` needs `{key}` in its `config`")
    for key in made.keys:
        value = block.get(key)
        if value is None:
            continue
        if key in _TEXTS and not isinstance(value, (str, int, float)):
            block.error(key, "not-text", f"`{key}` must be text, not {kind_of(value)}")
        elif key in ("timeoutSec", "passThreshold"):
            _check_number(block, key, positive=key == "timeoutSec")
    for key in _PATTERNS:
        if key in made.keys and isinstance(block.get(key), str):
            _check_pattern(block, key)
    if made.renames:
        _check_renamed(block)
    if made.limit_s:
        _check_command(block, spec_id)
    if spec_id == "answer-match":
        block.choice("mode", ("contains", "exact"), "bad-mode")


def _check_number(block: Section, key: str, positive: bool) -> None:
    value = block.get(key)
    if not is_number(value) or math.isinf(cast("float", value)):
        block.error(key, "not-number", f"`{key}` must be a number, not {kind_of(value)}")
    elif positive and cast("float", value) <= 0:
        block.error(key, "not-positive", f"`{key}` must be more than 0, not {value}")


def _check_renamed(block: Section) -> None:
    """The name of its metric, which may not be one that belongs to others."""
    name = block.text("metric").strip()
    if name in RESERVED or name.partition(":")[0] == JUDGE_FAMILY:
        message = f"the metric cannot be called `{name}`: the name is reserved"
        block.error("metric", "reserved-metric", message, "give it another name")


def _check_pattern(block: Section, key: str) -> None:
    text = block.text(key)
    try:
        groups = re.compile(text).groups
    except (re.error, RecursionError, OverflowError) as error:
        block.error(key, "bad-pattern", f"`{key}` is no regular expression: {error}")
        return
    if key != "passPattern" and groups < 1:
        message = f"`{key}` needs a group in parentheses around the number"
        block.error(key, "bad-pattern", message, r"e.g. `total: ([-\d.]+)`")


def _check_command(block: Section, spec_id: str) -> None:
    block.flag("in_place", False)
    cwd = block.text("cwd")
    if cwd not in ("", ".") and not is_inner_path(cwd):
        message = f"`cwd` must be a folder inside the case's own, not `{cwd}`"
        block.error("cwd", "bad-cwd", message, "leave it out to work in the case's folder")
    _check_env(block)
    if spec_id == "script":
        _check_script(block)
    if spec_id == "reward-file":
        _check_files(block)


def _check_env(block: Section) -> None:
    value = block.get("env")
    mapping = as_mapping(value)
    if mapping is not None:
        for key, item in mapping.items():
            if item is not None and not isinstance(item, (str, int, float)):
                name, _ = block.name_of(key)
                block.error("env", "bad-env", f"the variable `{name}` must be text")
    elif not all(isinstance(item, str) and item for item in block.items("env", "bad-env")):
        message = "`env` lists names of variables"
        block.error("env", "bad-env", message, "e.g. `env: [PRICING_TABLE]`")


def _check_script(block: Section) -> None:
    ways = [way for way in ("cmd", "code", "entrypoint") if block.given(way)]
    if len(ways) != 1:
        said = " and ".join(f"`{way}`" for way in ways) or "none of them"
        message = f"`script` needs one of `cmd`, `code` and `entrypoint`; there is {said}"
        block.error(None, "grader-incomplete", message)
    language = block.text("language")
    if language and language not in _LANGUAGES:
        message = f"`language` is `python` or `node`, not `{language}`"
        block.error("language", "bad-language", message, did_you_mean(language, _LANGUAGES))
    elif ways == ["code"] and not language:
        block.error("code", "grader-incomplete", "`code` needs a `language`", "`python` or `node`")


def _check_files(block: Section) -> None:
    files = block.section("files", "bad-files")
    for name, text, _ in files.entries() if files is not None else ():
        if not is_inner_path(name):
            message = f"`files` may not hold `{name}`: paths lie below the folder of the tests"
            block.error("files", "bad-files", message, "remove `..` and the leading `/`")
        elif not isinstance(text, str):
            block.error("files", "bad-files", f"the content of `{name}` must be text")


def _own_semantics(entry: Section, grader: Grader, made: Implementation) -> Grader:
    """A declaration at the top is about the metric called like the id, which often nothing emits."""
    given = [key for key in ("authority", "direction") if entry.given(key)]
    if not given:
        return grader
    if not entry.given("metrics") and grader.id in known_metrics(grader):
        values: dict[object, object] = {"id": grader.id, **{key: entry.get(key) for key in given}}
        metric = _read_metric(replace(entry, values=values), grader.id)
        return replace(grader, metrics=(metric,) if metric is not None else ())
    message = f"`{given[0]}` is ignored here: it belongs to a metric"
    known = made.metrics[0] if made.metrics else "NAME"
    hint = f"write `metrics: [{{id: {known}, {given[0]}: {entry.text(given[0])}}}]`"
    entry.warn(given[0], "ignored-field", message, hint)
    return grader


def _read_metrics(entry: Section, spec_id: str) -> tuple[Metric, ...]:
    found: dict[str, Metric] = {}
    for index, item in enumerate(entry.items("metrics", "metrics-not-list")):
        values: Mapping[object, object] | None = (
            {"id": item} if isinstance(item, str) else as_mapping(item)
        )
        keys = (*entry.keys, "metrics", index)
        section = Section(entry.report, values or {}, keys, entry.judge)
        if values is None:
            message = f"each metric must be a mapping, not {kind_of(item)}"
            section.error(None, "metric-not-mapping", message, "e.g. `- {id: quality}`")
            continue
        metric = _read_metric(section, spec_id)
        if metric is None:
            continue
        if metric.id in found:
            section.error("id", "metric-twice", f"the metric `{metric.id}` is declared twice")
        found[metric.id] = metric
    return tuple(found.values())


def _read_metric(section: Section, spec_id: str) -> Metric | None:
    section.note_unknown(_METRIC_KEYS)
    name = section.text("id").strip()
    if not name:
        section.error(None, "nameless-metric", "this metric has no id", "add `id: ...`")
        return None
    made = IMPLEMENTATIONS.get(spec_id)
    owned = made is not None and name in made.metrics and not made.renames
    is_judge = name.partition(":")[0] == JUDGE_FAMILY
    if is_judge or (name in RESERVED and not owned):
        message = f"the metric `{name}` cannot be declared: the name is reserved"
        section.error("id", "reserved-metric", message, "give it another name")
        return None
    authority = _AUTHORITIES.get(section.text("authority"))
    if section.given("authority") and (authority is None or authority == "judge"):
        words = ", ".join(f"`{word}`" for word in _AUTHORITIES if word != "judge")
        message = f"`authority` is one of {words}, not `{section.text('authority')}`"
        section.error("authority", "bad-authority", message)
    if section.given("authority") and owned and name in RESERVED:
        message = f"`authority` is ignored: that of `{name}` is fixed"
        section.warn("authority", "ignored-field", message)
        authority = None
    direction = _DIRECTIONS.get(section.text("direction"))
    if section.given("direction") and direction is None:
        words = ", ".join(f"`{word}`" for word in _DIRECTIONS)
        message = f"`direction` is one of {words}, not `{section.text('direction')}`"
        section.error("direction", "bad-direction", message)
    pass_if = section.text("pass_if").strip()
    if pass_if and parse_pass_if(pass_if) is None:
        message = f"`pass_if` must be a comparison with a number, not `{pass_if}`"
        section.error("pass_if", "bad-pass-if", message, 'e.g. `pass_if: ">= 0.8"`')
    return Metric(name, authority, direction, pass_if)
