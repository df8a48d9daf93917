"""Reading the arguments of built-ins. Every function raises ValueError with words for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eval_tui.config.plain import as_number
from eval_tui.judges.text import short_repr


def number(arguments: Mapping[str, Any], name: str, default: float) -> float:
    """A finite number that is no boolean."""
    value = as_number(arguments.get(name, default))
    if value is None:
        raise ValueError(
            f"argument `{name}` must be a number, not {short_repr(arguments.get(name))}"
        )
    return value


def flag(arguments: Mapping[str, Any], name: str, default: bool) -> bool:
    """Anything, taken by its truth."""
    return bool(arguments.get(name, default))


def texts(arguments: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts; one text alone is a list of one; absent is none."""
    value = arguments.get(name)
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return [str(item) for item in items]
    raise ValueError(f"argument `{name}` must be a list of texts, not {value!r}")


def choice(arguments: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """One of the choices, the first when absent."""
    value = arguments.get(name, choices[0])
    if value not in choices:
        raise ValueError(f"argument `{name}` must be one of {', '.join(choices)}, not {value!r}")
    return str(value)
