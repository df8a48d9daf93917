"""Where a case's events and conversation come from, and what they are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from eval_tui.record import derive
from eval_tui.record.context import Context
from eval_tui.record.disk import lenient_text
from eval_tui.record.documents import read_document
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.formats.detect import parse_transcript
from eval_tui.record.formats.installed import ParserFailed
from eval_tui.record.formats.jsonl import Line, json_lines
from eval_tui.record.jsonish import decode
from eval_tui.record.metrics import step_metrics
from eval_tui.record.parts import Encoded, Fixed, Part, Plain, digest_bytes

Event = dict[str, object]


@dataclass(frozen=True)
class EventSource:
    """The file that the events come from."""

    path: str
    is_list: bool
    """`events.json`: a list of events as it is; otherwise a transcript, line by line."""


class StepTrace(NamedTuple):
    """What a step's log holds."""

    events: list[Event]
    conversation: str


def event_source(ctx: Context) -> EventSource | None:
    """The first file that can hold the case's events, or None.

    A run's own events beat a case's `stdout.log` only in batch mode (D47).
    """
    return ctx.once("\0event_source", lambda: _event_source(ctx))


def events(ctx: Context) -> Part:
    """The case's events; empty when no file holds any. Raises PartUnreadable."""
    return ctx.once("events", lambda: _events(ctx))


def conversation(ctx: Context) -> Part:
    """What the agent said, else the whole of its standard output. Raises PartUnreadable."""
    return ctx.once("conversation", lambda: Fixed(_conversation(ctx)))


def log_path(ctx: Context, name: str) -> str:
    """The case's log of this name, else the run's, else empty."""
    for folder in (ctx.folder, ctx.spec.run_dir):
        path = os.path.join(folder, name)
        if ctx.disk.exists(path):
            return path
    return ""


def log_text(ctx: Context, name: str) -> Part:
    """The text of a log; a byte that is no UTF-8 is replaced and noted (D10)."""
    return ctx.once(f"\0log/{name}", lambda: Fixed(_log_text(ctx, log_path(ctx, name))))


def tool_calls(ctx: Context) -> Part:
    """Calls of the tools named in `outputs`, from the events, else from the raw log."""
    return ctx.once("tool_calls", lambda: Plain(_tool_calls(ctx)))


def step_names(ctx: Context) -> list[str]:
    """The steps that left a folder; links are none."""
    root = os.path.join(ctx.folder, "steps")
    entries = ctx.once("\0steps", lambda: ctx.disk.list(root))
    return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]


def step_trace(ctx: Context, step: str) -> StepTrace:
    """The events and the conversation of a step. Raises PartUnreadable."""
    return ctx.once(f"\0step/{step}", lambda: _step_trace(ctx, step))


def step_metrics_of(ctx: Context, step: str) -> dict[str, object]:
    """The step's own metrics, none when `traces.metrics` is off (D12). Raises PartUnreadable."""
    return step_metrics(ctx, step) if ctx.spec.traces.metrics else {}


def steps(ctx: Context) -> Part:
    """Step id -> its record."""
    return ctx.once(
        "steps", lambda: Plain({step: _step_record(ctx, step) for step in step_names(ctx)})
    )


def _event_source(ctx: Context) -> EventSource | None:
    for name in ("events.json", "events.jsonl"):
        path = os.path.join(ctx.folder, name)
        if ctx.disk.exists(path):
            return EventSource(path, name.endswith(".json"))
    if not ctx.spec.batch and ctx.disk.exists(os.path.join(ctx.folder, "stdout.log")):
        return None
    for name in ("events.json", "events.jsonl"):
        path = os.path.join(ctx.spec.run_dir, name)
        if ctx.disk.exists(path):
            ctx.note(f"the events are those of the run ({name}), shared by its cases")
            return EventSource(path, name.endswith(".json"))
    return None


def _events(ctx: Context) -> Part:
    source = event_source(ctx)
    if source is None:
        return Plain([])
    if source.is_list:
        found = read_document(ctx, source.path, _event_list)
        _text(ctx, source.path, ctx.disk.read(source.path) or b"")
        return found or Plain([])
    data = ctx.disk.read(source.path) or b""
    return Plain(_transcript(ctx, source.path, data), digest_bytes(b"l", data))


def _event_list(data: bytes) -> Part:
    value = decode(data)
    if not isinstance(value, list):
        raise ValueError("it is not a list of events")
    if not all(isinstance(event, dict) for event in cast("list[object]", value)):
        raise ValueError("one of its events is not a mapping")
    return Encoded(data, decode, cast(object, value))


def _transcript(ctx: Context, path: str, data: bytes) -> list[Event]:
    lines = json_lines(data)
    _text(ctx, path, data)
    if lines.malformed:
        noun = "line" if lines.malformed == 1 else "lines"
        ctx.note(f"{lines.malformed} malformed {noun} in {ctx.shown(path)}")
    return parsed(path, lines.values)


def parsed(path: str, lines: Sequence[Line]) -> list[Event]:
    """The events of a transcript. Raises PartUnreadable when an installed parser breaks."""
    try:
        return parse_transcript(lines)
    except ParserFailed as error:
        raise PartUnreadable(path, str(error)) from error


def _conversation(ctx: Context) -> str:
    found = events_of(events(ctx))
    return derive.conversation(found) if found else text_of(log_text(ctx, "stdout.log"))


def _log_text(ctx: Context, path: str) -> str:
    return _text(ctx, path, (ctx.disk.read(path) if path else None) or b"")


def _text(ctx: Context, path: str, data: bytes) -> str:
    text, replaced = lenient_text(data)
    if replaced:
        _note_replaced(ctx, path, replaced)
    return text


def _note_replaced(ctx: Context, path: str, replaced: int) -> None:
    noun = "byte" if replaced == 1 else "bytes"
    ctx.note(f"{ctx.shown(path)}: {replaced} {noun} that are no UTF-8 replaced")


def _tool_calls(ctx: Context) -> list[dict[str, object]]:
    patterns = [output.tool for output in ctx.spec.outputs if output.tool]
    if not patterns:
        return []
    found = events_of(events(ctx))
    if not found:
        path = log_path(ctx, "stdout.log")
        data = (ctx.disk.read(path) if path else None) or b""
        found = parsed(path, json_lines(data).values)
    return derive.tool_calls(found, patterns)


def _step_record(ctx: Context, step: str) -> dict[str, object]:
    left = step_trace(ctx, step)
    return {
        "events": left.events,
        "conversation": left.conversation,
        **step_metrics_of(ctx, step),
    }


def _step_trace(ctx: Context, step: str) -> StepTrace:
    path = os.path.join(ctx.folder, "steps", step, "stdout.log")
    data = ctx.disk.read(path) or b""
    found = parsed(path, json_lines(data).values)
    if found:
        return StepTrace(found, derive.conversation(found))
    return StepTrace([], _text(ctx, path, data))


def events_of(part: Part) -> list[Event]:
    """The shared value of an events part."""
    return cast("list[Event]", part.shared())


def text_of(part: Part) -> str:
    """The value of a text part."""
    return cast(str, part.shared())
