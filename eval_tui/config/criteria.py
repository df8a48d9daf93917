"""`criteria:` and `pass_if:` of a judge, with a problem for whatever is wrong with them."""

from __future__ import annotations

import math
import re

from eval_tui.config.pass_mark import parse_pass_if
from eval_tui.config.plain import as_mapping
from eval_tui.config.schema import Criterion
from eval_tui.config.section import Section, is_number, kind_of

_KEYS = ("id", "description", "weight", "pass_if")
_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""What the Messages API takes as the name of a field."""


def read_pass_if(entry: Section, is_bool: bool) -> str:
    """The comparison as text, or empty when absent or (with a problem) unusable."""
    text = entry.text("pass_if").strip()
    if not text:
        return ""
    if is_bool:
        message = "`pass_if` is ignored: this judge answers pass or fail by itself"
        entry.warn("pass_if", "ignored-field", message)
        return ""
    if parse_pass_if(text) is None:
        message = f"`pass_if` must be a comparison with a number, not `{text}`"
        entry.error("pass_if", "bad-pass-if", message, 'e.g. `pass_if: ">= 4"`')
        return ""
    return text


def read_criteria(entry: Section, asks_by_prompt: bool, is_bool: bool) -> tuple[Criterion, ...]:
    """The criteria in order; empty when absent or unusable."""
    if entry.given("criteria") and not asks_by_prompt:
        message = "`criteria` is ignored: only a rubric or a prompt is asked point by point"
        entry.warn("criteria", "ignored-field", message)
        return ()
    found: dict[str, Criterion] = {}
    for index, item in enumerate(entry.items("criteria", "criteria-not-list")):
        criterion = _read(_item(entry, item, index), is_bool)
        if criterion is None:
            continue
        if criterion.id in found:
            message = f"two criteria are called `{criterion.id}`"
            entry.error("criteria", "duplicate-criterion", message, "give one another id")
        found[criterion.id] = criterion
    if found and all(one.weight == 0 for one in found.values()):
        message = "all criteria have the weight 0, so nothing makes up the judge's value"
        entry.error("criteria", "no-weight", message, "give at least one a weight above 0")
    return tuple(found.values())


def _item(entry: Section, item: object, index: int) -> Section:
    mapping = as_mapping(item)
    keys = (*entry.keys, "criteria", index)
    if mapping is None:
        place = entry.report.positions.value(keys)
        message = f"each criterion must be a mapping, not {kind_of(item)}"
        hint = "e.g. `- {id: tone, description: Is the tone friendly?}`"
        entry.report.add(
            "error", "criterion-not-mapping", message, place, judge=entry.judge, hint=hint
        )
    return Section(entry.report, mapping or {}, keys, entry.judge)


def _read(section: Section, is_bool: bool) -> Criterion | None:
    if not section.values:
        return None
    section.note_unknown(_KEYS)
    name = section.text("id").strip()
    if not name:
        section.error(None, "nameless-criterion", "this criterion has no id", "add `id: ...`")
        return None
    if not _ID.fullmatch(name):
        message = f"`{name}` cannot be the id of a criterion"
        hint = "use at most 64 letters, digits, `_`, `.` and `-`; say more in `description`"
        section.error("id", "bad-criterion-id", message, hint)
        return None
    description = section.text("description").strip()
    return Criterion(name, description, _weight(section), read_pass_if(section, is_bool))


def _weight(section: Section) -> float:
    value = section.get("weight")
    if value is None:
        return 1.0
    if isinstance(value, (int, float)) and is_number(value) and 0 <= value < math.inf:
        return float(value)
    message = f"`weight` must be a number from 0 up, not {kind_of(value)}"
    section.error("weight", "bad-weight", message)
    return 1.0
