"""`verdict:`: what passing means for a case (D41)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from eval_tui.config.plain import as_mapping, to_json
from eval_tui.config.schema import VerdictRules
from eval_tui.config.section import Section, kind_of

_KEYS = ("mode", "on_dead_authority", "unreviewed", "critical_cases", "trials")

Mode = Literal["flat", "ladder"]


def read_verdict(top: Section, has_graders: bool) -> VerdictRules | None:
    """The block with its defaults filled in: flat without graders, a ladder with them.

    None when there is no such block.
    """
    block = top.section("verdict", "verdict-not-mapping")
    if block is None:
        return None
    block.note_unknown(_KEYS)
    usual: Mode = "ladder" if has_graders else "flat"
    other: Mode = "flat" if has_graders else "ladder"
    mode = block.choice("mode", (usual, other), "bad-mode")
    dead = block.choice("on_dead_authority", ("withhold", "fall_through"), "bad-dead-authority")
    unreviewed = block.choice("unreviewed", ("withhold", "ignore"), "bad-unreviewed")
    return VerdictRules(
        mode=cast("Mode", mode),
        on_dead_authority=cast('Literal["withhold", "fall_through"]', dead),
        unreviewed=cast('Literal["withhold", "ignore"]', unreviewed),
        critical_cases=_critical_cases(block),
        trials=_trials(block),
    )


def _critical_cases(block: Section) -> tuple[Mapping[str, object], ...]:
    """Cases by `prefix` or by `id`; a plain text is an id."""
    found: list[Mapping[str, object]] = []
    for item in block.items("critical_cases", "bad-critical-cases"):
        mapping = {"id": item} if isinstance(item, str) else as_mapping(item)
        if mapping is None or not any(
            isinstance(mapping.get(key), str) for key in ("id", "prefix")
        ):
            message = "each of `critical_cases` names cases by `prefix` or `id`"
            hint = 'e.g. `- {prefix: "auth/"}`'
            block.error("critical_cases", "bad-critical-cases", message, hint)
            continue
        plain, _ = to_json(mapping)
        found.append(cast("Mapping[str, object]", plain))
    return tuple(found)


def _trials(block: Section) -> tuple[str, ...]:
    """Ids of runs: `{runs: [...]}`, or the list itself."""
    value = block.get("trials")
    inner = block.section("trials") if as_mapping(value) is not None else None
    section, key = (inner, "runs") if inner is not None else (block, "trials")
    runs: list[str] = []
    for index, item in enumerate(section.items(key, "bad-trials")):
        text = item if isinstance(item, str) else None
        text = text or section.report.positions.text((*section.keys, key, index))
        if text:
            runs.append(text)
        else:
            message = f"`trials` lists ids of runs, not {kind_of(item)}"
            section.error(key, "bad-trials", message)
    return tuple(dict.fromkeys(runs))
