"""The filters that a person has saved, kept beside the store in a file of their own.

A store that is set aside takes nothing of it along, and a file that cannot be read is as none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final, cast

from eval_tui.atomic import write_whole

FILE: Final = "lenses.json"

LENSES_MOST: Final = 50
"""Filters that are kept for an eval; the oldest go first."""


class Lenses:
    """Saved filters, by eval."""

    def __init__(self, folder: str | None) -> None:
        """`folder`: the store's; without one nothing outlives the session."""
        self._path = os.path.join(folder, FILE) if folder else ""
        self._memory: dict[str, list[str]] = {}

    def of(self, eval_path: str) -> tuple[str, ...]:
        """The saved filters of an eval, in the order in which they were saved."""
        return tuple(self._read().get(eval_path, ()))

    def keep(self, eval_path: str, text: str, on: bool) -> None:
        """Save a filter, or forget it. Raises OSError when it cannot be written."""
        everything = self._read()
        others = [one for one in everything.get(eval_path, ()) if one != text]
        everything[eval_path] = [*others, text][-LENSES_MOST:] if on else others
        self._memory = everything
        if self._path:
            write_whole(self._path, json.dumps(everything, indent=1))

    def _read(self) -> dict[str, list[str]]:
        if not self._path:
            return dict(self._memory)
        told = {
            name: cast("list[object]", v)
            for name, v in read_object(self._path).items()
            if isinstance(v, list)
        }
        return {name: [one for one in v if isinstance(one, str)] for name, v in told.items()}


def read_object(path: str) -> Mapping[str, Any]:
    """The JSON object in a file; empty when there is none that can be read."""
    try:
        with open(path, "rb") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
