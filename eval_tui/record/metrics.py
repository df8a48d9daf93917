"""A case's metrics: its own, from `run_result.json` (D12)."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import cast

from eval_tui.record.context import Context
from eval_tui.record.disk import Sig, signature
from eval_tui.record.documents import read_document
from eval_tui.record.jsonish import decode

METRICS = ("exit_code", "duration_s", "token_usage", "cost_usd", "num_turns")

_SETTLED_S = 0.1
"""Only what is older than this is kept: a younger file could change within the clock's grain."""
_KEPT = 4

_kept: dict[str, tuple[Sig, Mapping[str, object]]] = {}
"""Run results parsed lately, by path: one document serves all cases of a run."""


def metrics(ctx: Context) -> Mapping[str, object]:
    """The metrics that the case has; a key that is absent here is absent in the record.

    The case's entry in the run's result, then the case's own `run_result.json`, then, in a run of
    a single case, the run's totals. Raises PartUnreadable for a result that cannot be read.
    """
    return ctx.once("\0metrics", lambda: _metrics(ctx))


def step_metrics(ctx: Context, step: str) -> dict[str, object]:
    """The metrics that the run's result holds for one step of the case."""
    steps = _entry(_run_result(ctx), ctx.case_id).get("steps")
    entry = _mapping(_mapping(steps).get(step))
    return {key: entry[key] for key in METRICS if key in entry}


def why_no_metric(ctx: Context, key: str) -> str:
    """Why the record lacks a metric, in words."""
    if not ctx.spec.traces.metrics:
        return "traces.metrics is off"
    if not _run_result(ctx) and not ctx.disk.exists(os.path.join(ctx.folder, "run_result.json")):
        return "the run has no run_result.json"
    if _single(ctx):
        return f"run_result.json holds no {key}"
    return f"run_result.json holds no {key} of this case (the run's total is not this case's)"


def _metrics(ctx: Context) -> dict[str, object]:
    if not ctx.spec.traces.metrics:
        return {}
    run = _run_result(ctx)
    own = _entry(run, ctx.case_id)
    found = {key: own[key] for key in METRICS if key in own}
    if len(found) < len(METRICS):
        case = read_document(ctx, os.path.join(ctx.folder, "run_result.json"), _object) or {}
        found = {**{key: case[key] for key in METRICS if key in case}, **found}
    if len(found) < len(METRICS) and run and _single(ctx):
        found = {**{key: run[key] for key in METRICS if key in run}, **found}
    return {key: found[key] for key in METRICS if key in found}


def _run_result(ctx: Context) -> Mapping[str, object]:
    return ctx.once("\0run_result", lambda: _read_run_result(ctx))


def _read_run_result(ctx: Context) -> Mapping[str, object]:
    path = os.path.join(ctx.spec.run_dir, "run_result.json")
    sig = signature(path)
    kept = _kept.get(path)
    if kept is not None and sig is not None and kept[0] == sig:
        ctx.disk.look(path)
        return kept[1]
    result = read_document(ctx, path, _object) or {}
    if sig is not None and time.time() - sig[2] / 1e9 > _SETTLED_S:
        while len(_kept) >= _KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[path] = (sig, result)
    return result


def _single(ctx: Context) -> bool:
    """Whether the run holds just one case; hidden folders and links are none (D47)."""
    return ctx.once("\0single", lambda: _count_cases(ctx) == 1)


def _count_cases(ctx: Context) -> int:
    folder = os.path.join(ctx.spec.run_dir, "cases")
    ctx.disk.look(folder)
    count = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                count += entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
                if count > 1:  # more is not asked, and there may be thousands
                    break
    except OSError:
        pass  # a run without a folder of cases has none
    return count


def _object(data: bytes) -> Mapping[str, object]:
    value = decode(data)
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    return cast("Mapping[str, object]", value)


def _entry(run: Mapping[str, object], case_id: str) -> Mapping[str, object]:
    return _mapping(_mapping(run.get("per_case")).get(case_id))


def _mapping(value: object | None) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
