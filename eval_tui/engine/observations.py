"""What watching judges tells about them: keys they ask for that no case has (D24)."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.grid import CellKey


def absent_keys(
    infos: Mapping[CellKey, CellInfo],
    keys: Mapping[str, tuple[str, ...]],
    judges: Mapping[str, Judge],
    config: EvalConfig | None,
) -> tuple[Problem, ...]:
    """A note for each judge and key that was asked for in vain and that no record of the run has.

    `outputs.get("metrics")` scores a default in every case, silently.
    """
    known = {key for row in keys.values() for key in row}
    asked: dict[tuple[str, str], None] = {}
    for cell, info in infos.items():
        for key in info.absent:
            if key not in known:
                asked[(cell.judge, key)] = None
    notes: list[Problem] = []
    for name, key in sorted(asked):
        near = difflib.get_close_matches(key, known, 1, 0.6)
        hint = f"the nearest key is {near[0]!r}" if near else "it gets the default every time"
        notes.append(
            Problem(
                "note",
                "key-never-there",
                f"asks the record for {key!r}, which no case of this run has",
                config.path if config else "",
                judges[name].line if name in judges else 0,
                judge=name,
                hint=hint,
            )
        )
    return tuple(notes)
