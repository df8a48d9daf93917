"""Plain values as a YAML file gives them."""

from __future__ import annotations

import datetime
import math
from typing import cast


def as_mapping(value: object) -> dict[object, object] | None:
    """The value if it is a mapping."""
    return cast("dict[object, object]", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object] | None:
    """The value if it is a list."""
    return cast("list[object]", value) if isinstance(value, list) else None


def as_number(value: object) -> int | float | None:
    """The value if it is a number: no boolean, finite, and not beyond every float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None


def to_json(value: object) -> tuple[object, bool]:
    """A copy with dates as ISO text and keys as text, and whether anything had to change."""
    changed = False

    def convert(item: object) -> object:
        nonlocal changed
        mapping, items = as_mapping(item), as_list(item)
        if mapping is not None:
            changed = changed or any(not isinstance(key, str) for key in mapping)
            return {_key(key): convert(inner) for key, inner in mapping.items()}
        if items is not None:
            return [convert(inner) for inner in items]
        if isinstance(item, (datetime.date, datetime.datetime)):
            changed = True
            return item.isoformat()
        return item

    return convert(value), changed


def _key(key: object) -> str:
    if isinstance(key, (datetime.date, datetime.datetime)):
        return key.isoformat()
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    return str(key)
