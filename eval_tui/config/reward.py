"""`reward:` is checked when a config is read; `results.reward` makes the numbers."""

from __future__ import annotations

import sys
from typing import cast

from eval_tui.config.formula import FormulaError, check_formula
from eval_tui.config.plain import as_list
from eval_tui.config.scale import read_score_range
from eval_tui.config.schema import Judge, RewardRules
from eval_tui.config.section import Section, did_you_mean, is_number, kind_of

_KEYS = ("judge", "formula", "weights", "raw", "normalize", "gate", "score_range")


def read_reward(top: Section, judges: tuple[Judge, ...], pairwise: bool) -> RewardRules | None:
    """The block; None when absent or unusable (harness.md 3.3, D29)."""
    if not top.has("reward"):
        return None
    block = top.section("reward", "bad-reward")
    if block is None:
        if top.get("reward") is None:
            top.error("reward", "bad-reward", "`reward` has no value", "remove the key")
        return None
    before = len(top.report.problems)
    block.note_unknown(_KEYS)
    names = {judge.name for judge in judges}
    if pairwise:
        names.add("pairwise")
    normalize, gate = block.flag("normalize", False), block.flag("gate", not block.has("judge"))
    scale = read_score_range(block)
    weights, raw = _weights(block, names), _raw(block, names)
    judge = _single(block, judges, names) if block.has("judge") else ""
    formula = "weighted" if judge else _formula(block, names)
    composed = not judge and not top.report.errors_since(before)
    if composed and formula == "weighted" and not weights:
        message = "there are no `weights`, so there is nothing to make a reward of"
        block.error("formula", "bad-weights", message, "weigh judges: `weights: {<judge>: 1}`")
    if top.report.errors_since(before):
        return None
    return RewardRules(judge, formula, weights, raw, normalize, gate, scale)


def _unknown(name: str, names: set[str]) -> str:
    return did_you_mean(name, names) or f"judges: {', '.join(sorted(names)) or 'none'}"


def _weights(block: Section, names: set[str]) -> dict[str, float]:
    weights = block.section("weights", "bad-weights")
    if weights is None:
        return {}
    found: dict[str, float] = {}
    for name, value, place in weights.entries():
        usable = is_number(value) and 0 <= cast("float", value) <= sys.float_info.max
        if usable:
            found[name] = float(cast("float", value))
        else:
            message = f"the weight of `{name}` must be a number from 0 on, not {kind_of(value)}"
            if is_number(value):
                message = f"the weight of `{name}` must be a number from 0 on, and no infinity"
            block.report.add("error", "bad-weights", message, place)
        if name not in names:
            message, hint = f"there is no judge `{name}`", _unknown(name, names)
            block.report.add("error", "unknown-judge", message, place, hint=hint)
    return found


def _raw(block: Section, names: set[str]) -> tuple[str, ...]:
    raw = block.get("raw")
    items = as_list(raw)
    found = [str(name) for name in ([raw] if items is None else items) if name is not None]
    for name in found:
        if name not in names:
            message = f"`raw` names `{name}`, which is no judge"
            block.warn("raw", "unknown-judge", message, _unknown(name, names))
    return tuple(found)


def _single(block: Section, judges: tuple[Judge, ...], names: set[str]) -> str:
    """The judge whose value is the reward."""
    name = block.get("judge")
    for other in ("formula", "weights", "raw"):
        if block.has(other):
            block.error(other, "reward-exclusive", f"`judge` excludes `{other}`")
    if not isinstance(name, str) or not name.strip():
        block.error("judge", "bad-reward-judge", "`judge` must be the name of a judge")
        return "?"
    if name not in names:
        block.error("judge", "unknown-judge", f"there is no judge `{name}`", _unknown(name, names))
        return name
    scale = next((judge.score_range for judge in judges if judge.name == name), None)
    if scale not in (None, (0.0, 1.0)) and block.get("normalize") is not True:
        message = f"the values of `{name}` are cut to 0 to 1, though its scale is another"
        block.warn("judge", "reward-clamped", message, "add `normalize: true`")
    return name


def _formula(block: Section, names: set[str]) -> str:
    formula = block.text("formula") if block.get("formula") is not None else "weighted"
    if formula.strip() == "weighted":
        return "weighted"
    if formula.strip() in names and not formula.strip().isidentifier():
        hint = f"write `judge: {formula.strip()}` instead"
        message = "a formula can only name judges whose names are plain identifiers"
        block.error("formula", "bad-formula", message, hint)
        return formula
    try:
        used = check_formula(formula)
    except FormulaError as error:
        block.error("formula", "bad-formula", f"the formula cannot be used: {error}")
        return formula
    for name in sorted(used - names):
        message = f"the formula names `{name}`, which is no judge"
        block.error("formula", "unknown-judge", message, _unknown(name, names))
    return formula
