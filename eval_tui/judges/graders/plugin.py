"""Graders that installed packages offer: `id: plugin/name` calls `grade(outputs, **config)`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, cast

from eval_tui.config.schema import Grader
from eval_tui.judges.base import offered
from eval_tui.judges.graders.bench import Bench, Grade, Row, failed
from eval_tui.judges.graders.printed import MAX_ROWS, row_of


def make(grader: Grader, name: str) -> Grade:
    """Emits what the function returns; `name` is the grader's instance.

    That is a number, true or false, either with a detail as `(value, "why")`, or what a script
    would print: one score as a mapping, or a list of them. Raises JudgeUnusable when no package
    offers it.
    """
    function = offered("graders", grader.id)
    given = {key: value for key, value in grader.config.items() if key != "id"}

    def grade(bench: Bench) -> Sequence[Row]:
        return _rows(function(bench.record, **copy.deepcopy(given)), grader, name)

    return grade


def _rows(returned: object, grader: Grader, name: str) -> list[Row]:
    if not isinstance(returned, list):
        return [_one(returned, grader, name)]
    rows = cast("list[object]", returned)
    if not rows:
        raise failed("it returned no scores: an empty list")
    if len(rows) > MAX_ROWS:
        raise failed(f"it returned {len(rows):,} scores; at most {MAX_ROWS:,} are read")
    return [_one(row, grader, name) for row in rows]


def _one(row: object, grader: Grader, name: str) -> Row:
    if isinstance(row, Mapping):
        return row_of(dict(cast("Mapping[object, object]", row)), grader, name)
    value, detail = row, ""
    if isinstance(row, tuple) and len(cast("tuple[object, ...]", row)) == 2:
        value, detail = cast("tuple[object, Any]", row)
    metric = grader.metrics[0].id if len(grader.metrics) == 1 else name
    values: dict[object, object] = {"metric": metric, "value": value, "detail": detail}
    if isinstance(value, bool):
        values.update({"value": int(value), "pass": value})
    return row_of(values, grader, name)
