"""A case for reading: everything that a screen shows of it, as plain data."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from eval_tui.collector import collector_paused
from eval_tui.record import files, inputs, metrics, trace
from eval_tui.record.case import CaseParts, load_case
from eval_tui.record.context import Context
from eval_tui.record.disk import Disk, lenient_text
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.reading import read_beginning, read_events
from eval_tui.record.spec import RecordSpec

T = TypeVar("T")

DEFAULT_LIMIT = 20_000_000
"""Bytes of a file above which it is not shown."""

_SNIFF = 1 << 16
_NO_LOGS = {"conversation": "", "stdout": "", "stderr": ""}
_SHOWN_ELSEWHERE = frozenset({"stdout.log", "stderr.log", "events.json", "events.jsonl"})


def case_view(spec: RecordSpec, case_id: str, first: int = 0) -> dict[str, Any]:
    """One case as data for `engine.grid.CaseView`, with the same field names.

    `first`: of a trace that is longer only so many bytes are read, and no logs, so that there is
    something to read at once; 0 for all of it.
    Never raises: what cannot be read is empty and named in `notes`.
    """
    parts = load_case(spec, case_id)
    ctx = parts.context
    with ctx.disk.part("\0view"), collector_paused():
        beginning = read_beginning(parts, first) if first else None
        events = beginning or read_events(parts)
        found: dict[str, Any] = {
            "case": case_id,
            "case_dir": ctx.case_dir(),
            "input_path": inputs.input_path(ctx),
            "inputs": _try(ctx, lambda: inputs.shown_inputs(ctx), ""),
            "annotations_path": _annotations_path(ctx),
            "annotations": _try(ctx, lambda: _raw_text(ctx, _annotations_path(ctx)), ""),
            "files": _file_entries(parts),
            "events": events.events,
            "events_path": events.path,
            "events_end": events.end,
            "events_words": events.words,
            "events_part": events.part,
            **(_NO_LOGS if beginning else _logs(ctx)),
            "metrics": _try(ctx, lambda: dict(metrics.metrics(ctx)), {}),
        }
        _try(ctx, lambda: inputs.annotations_part(ctx), None)
    return {**found, "notes": list(parts.notes)}


def view_file(
    spec: RecordSpec, case_id: str, name: str, limit: int = DEFAULT_LIMIT
) -> dict[str, Any]:
    """One file of a case: `{"text", "truncated", "size", "binary"}`.

    `name` is relative to the case folder with `/`. A file larger than `limit` bytes has no text
    and is `truncated`. Raises PartUnreadable for a name that leads out of the case folder, a link,
    or what is no regular file.
    """
    ctx = load_case(spec, case_id).context
    path = os.path.normpath(os.path.join(ctx.folder, *name.split("/")))
    with ctx.disk.part("\0view"):
        if os.path.islink(path) or not ctx.inside_case(path):
            raise PartUnreadable(path, "it leads out of the case folder and is not read")
        return file_at(ctx.disk, path, limit)


def file_at(disk: Disk, path: str, limit: int) -> dict[str, Any]:
    """The file at `path`, as `view_file` gives it. Raises PartUnreadable."""
    found = disk.look(path)
    size = found.st_size if found is not None else 0
    if size > limit:
        start = disk.read_start(path, _SNIFF)
        return {"text": "", "truncated": True, "size": size, "binary": not _is_text(start)}
    data = disk.read(path)
    if data is None:
        raise PartUnreadable(path, "there is no such file any more")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return {"text": "", "truncated": False, "size": len(data), "binary": True}
    return {"text": text, "truncated": False, "size": len(data), "binary": False}


def _try(ctx: Context, make: Callable[[], T], default: T) -> T:
    try:
        return make()
    except PartUnreadable as error:
        ctx.note(f"{ctx.shown(error.path)}: {error.why}")
        return default


def _annotations_path(ctx: Context) -> str:
    path = inputs.annotations_path(ctx)
    return path if path and ctx.disk.exists(path) else ""


def _raw_text(ctx: Context, path: str) -> str:
    if not path:
        return ""
    inputs.check_inside_dataset(ctx, path)
    return lenient_text(ctx.disk.read(path) or b"")[0]


def _logs(ctx: Context) -> dict[str, str]:
    return {
        "conversation": _try(ctx, lambda: trace.text_of(trace.conversation(ctx)), ""),
        "stdout": _log(ctx, "stdout.log"),
        "stderr": _log(ctx, "stderr.log"),
    }


def _log(ctx: Context, name: str) -> str:
    return _try(ctx, lambda: trace.text_of(trace.log_text(ctx, name)), "")


def _file_entries(parts: CaseParts) -> list[dict[str, Any]]:
    """The record's files first, then whatever else lies in the case folder."""
    ctx = parts.context
    named = _try(ctx, lambda: files.output_names(ctx), cast("dict[str, str]", {}))
    found_files = _try(ctx, lambda: files.walk(ctx, ctx.folder), cast("list[str]", []))
    others = {files.name_of(ctx, path): path for path in found_files}
    entries: list[dict[str, Any]] = []
    for name, path in {**named, **others}.items():
        if name in _SHOWN_ELSEWHERE and name not in named:
            continue
        found = ctx.disk.look(path)
        if found is not None:
            entry = {
                "name": name,
                "size": found.st_size,
                "binary": _binary(ctx, path),
                "path": path,
            }
            entries.append(entry)
    return entries


def _binary(ctx: Context, path: str) -> bool:
    """Whether a file is no UTF-8 text, told by its first bytes."""
    return not _is_text(_try(ctx, lambda: ctx.disk.read_start(path, _SNIFF), b""))


def _is_text(start: bytes) -> bool:
    """Whether the first bytes of a file are UTF-8; its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True
