"""`reward:` is checked when a config is read; computing it is not done here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from eval_tui.config.formula import FormulaError, check_formula
from eval_tui.config.plain import as_list, to_json
from eval_tui.config.scale import read_score_range
from eval_tui.config.schema import Judge
from eval_tui.config.section import Section, did_you_mean, is_number, kind_of

_KEYS = ("judge", "formula", "weights", "raw", "normalize", "gate", "score_range")


def read_reward(
    top: Section, judges: tuple[Judge, ...], pairwise: bool
) -> Mapping[str, object] | None:
    """The block as plain values; None when absent or unusable (harness.md 3.3, D29)."""
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
    for key in ("normalize", "gate"):
        block.flag(key, False)
    read_score_range(block)
    _check_weights(block, names)
    _check_raw(block, names)
    if block.has("judge"):
        _check_single(block, judges, names)
    else:
        _check_formula(block, names)
    if top.report.errors_since(before):
        return None
    plain, _ = to_json(block.values)
    return cast("Mapping[str, object]", plain)


def _unknown(name: str, names: set[str]) -> str:
    return did_you_mean(name, names) or f"judges: {', '.join(sorted(names)) or 'none'}"


def _check_weights(block: Section, names: set[str]) -> None:
    weights = block.section("weights", "bad-weights")
    if weights is None:
        return
    for name, value, place in weights.entries():
        if not is_number(value) or cast("float", value) < 0:
            message = f"the weight of `{name}` must be a number from 0 on, not {kind_of(value)}"
            if is_number(value):
                message = f"the weight of `{name}` must not be negative"
            block.report.add("error", "bad-weights", message, place)
        if name not in names:
            message, hint = f"there is no judge `{name}`", _unknown(name, names)
            block.report.add("error", "unknown-judge", message, place, hint=hint)


def _check_raw(block: Section, names: set[str]) -> None:
    raw = block.get("raw")
    for name in as_list(raw) or [raw]:
        if name is not None and str(name) not in names:
            message = f"`raw` names `{name}`, which is no judge"
            block.warn("raw", "unknown-judge", message, _unknown(str(name), names))


def _check_single(block: Section, judges: tuple[Judge, ...], names: set[str]) -> None:
    name = block.get("judge")
    for other in ("formula", "weights", "raw"):
        if block.has(other):
            block.error(other, "reward-exclusive", f"`judge` excludes `{other}`")
    if not isinstance(name, str) or not name.strip():
        block.error("judge", "bad-reward-judge", "`judge` must be the name of a judge")
        return
    if name not in names:
        block.error("judge", "unknown-judge", f"there is no judge `{name}`", _unknown(name, names))
        return
    scale = next((judge.score_range for judge in judges if judge.name == name), None)
    if scale not in (None, (0.0, 1.0)) and block.get("normalize") is not True:
        message = f"the values of `{name}` are cut to 0 to 1, though its scale is another"
        block.warn("judge", "reward-clamped", message, "add `normalize: true`")


def _check_formula(block: Section, names: set[str]) -> None:
    formula = block.text("formula") if block.get("formula") is not None else "weighted"
    if formula.strip() == "weighted":
        return
    if formula.strip() in names and not formula.strip().isidentifier():
        hint = f"write `judge: {formula.strip()}` instead"
        message = "a formula can only name judges whose names are plain identifiers"
        block.error("formula", "bad-formula", message, hint)
        return
    try:
        used = check_formula(formula)
    except FormulaError as error:
        block.error("formula", "bad-formula", f"the formula cannot be used: {error}")
        return
    for name in sorted(used - names):
        message = f"the formula names `{name}`, which is no judge"
        block.error("formula", "unknown-judge", message, _unknown(name, names))
