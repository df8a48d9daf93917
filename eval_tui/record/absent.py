"""Why a record lacks a key, in words for the cell that asked for it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Hashable, Sequence
from pathlib import PurePosixPath

from eval_tui.record import inputs, metrics
from eval_tui.record.context import Context
from eval_tui.record.errors import PartUnreadable


def why_absent(ctx: Context, key: Hashable, keys: Sequence[str]) -> str:
    """The reason, as precise as it can be had; never raises."""
    if not isinstance(key, str):
        return f"the record has no key {key!r}"
    try:
        with ctx.disk.part("\0why"):
            return _known(ctx, key) or _unknown(key, keys)
    except PartUnreadable as error:
        return str(error)


def _known(ctx: Context, key: str) -> str:
    if key in metrics.METRICS:
        return metrics.why_no_metric(ctx, key)
    if key in ("stdout", "stderr"):
        on = ctx.spec.traces.stdout if key == "stdout" else ctx.spec.traces.stderr
        return f"neither the case nor the run has a {key}.log" if on else f"traces.{key} is off"
    if key == "modified_files":
        return "no text file was edited in place"
    if key == "hook_outputs":
        return "the case has no hook_outputs.yaml"
    if key == "_scoped_step":
        return "the judge is not bound to a step"
    if key.startswith("annotation_") and key.endswith("_content"):
        return _annotation(ctx, key[len("annotation_") : -len("_content")])
    for suffix in ("_content", "_file"):
        if key.endswith(suffix):
            return _output(ctx, key[: -len(suffix)], key)
    return ""


def _annotation(ctx: Context, name: str) -> str:
    if not ctx.spec.dataset_dir:
        return "the eval has no dataset"
    known = inputs.annotations_part(ctx).shared()
    if not isinstance(known, dict) or name not in known:
        return f"annotations.yaml has no key {name!r}"
    return f"the annotation {name!r} names no text file in the dataset"


def _output(ctx: Context, base: str, key: str) -> str:
    paths = [output.path for output in ctx.spec.outputs if output.path]
    named = [path for path in paths if PurePosixPath(path).name == base]
    if not named:
        have = ", ".join(sorted({PurePosixPath(path).name for path in paths}))
        return f"no output is called {base!r}" + (f" (there is {have})" if have else "")
    root = os.path.join(ctx.folder, named[-1])
    if not ctx.disk.exists(root):
        return f"no output folder `{named[-1].rstrip('/')}`"
    if not ctx.inside_case(root):
        return f"the output folder `{named[-1].rstrip('/')}` leads out of the case folder"
    return f"the first file of `{named[-1].rstrip('/')}` is missing or is no text"


def _unknown(key: str, keys: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, keys, 1)
    hint = f' (did you mean "{near[0]}"?)' if near else ""
    return f'the record has no key "{key}"{hint}'
