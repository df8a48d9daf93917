"""The events of a case for reading: more than judges see, and what can be said where there are none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple, cast

from eval_tui.record import trace
from eval_tui.record.case import CaseParts
from eval_tui.record.context import Context
from eval_tui.record.disk import lenient_text
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.formats.claude_session import merge_subagents
from eval_tui.record.formats.claude_stream import Event, mapping, text
from eval_tui.record.formats.detect import detect, kinds_of
from eval_tui.record.formats.jsonl import Line, json_lines
from eval_tui.record.jsonish import list_start
from eval_tui.record.tail import usage_of


class Reading(NamedTuple):
    """A case's events, and where they come from."""

    events: list[Event]
    path: str
    """The file, or empty."""
    end: int = 0
    """Bytes of the file that the events were made of, if what is appended to it can be added to
    them (see `tail`); else 0."""
    words: str = ""
    """Why there are no events, as far as it can be told."""
    part: float = 1.0
    """How much of the file they were made of."""


def read_beginning(parts: CaseParts, size: int) -> Reading | None:
    """The events in the first `size` bytes of a file that is longer; None if it is to be read whole.

    Without what subagents' own transcripts hold. Never raises: what is wrong is told by
    `read_events`.
    """
    ctx = parts.context
    try:
        source = trace.event_source(ctx)
        path = source.path if source is not None else trace.log_path(ctx, "stdout.log")
        whole = ctx.disk.look(path) if path else None
        if whole is None or whole.st_size <= size:
            return None
        data = ctx.disk.read_start(path, size)
        if source is not None and source.is_list:
            events = [cast(Event, one) for one in list_start(data) if isinstance(one, dict)]
        else:
            lines = json_lines(data[: data.rfind(b"\n") + 1]).values
            events = _with_usage(trace.parsed(path, lines), lines)
    except PartUnreadable:
        return None
    return Reading(events, path, part=len(data) / whole.st_size) if events else None


def read_events(parts: CaseParts) -> Reading:
    """The case's events. Never raises: what cannot be read is noted.

    For reading, a log that holds a transcript will do where judges get no events, and subagents'
    own transcripts are put in, unless the events were collected with them already.
    """
    ctx = parts.context
    try:
        source = trace.event_source(ctx)
        if source is not None and source.is_list:
            events = trace.events_of(trace.events(ctx))
            return Reading(events, source.path, words=_empty_words(ctx, source.path, events))
        path = source.path if source is not None else trace.log_path(ctx, "stdout.log")
        data = (ctx.disk.read(path) if path else None) or b""
        lines, malformed = json_lines(data)
        if source is not None and (malformed or lenient_text(data)[1]):
            trace.events(ctx)  # notes what is wrong with the file
        events = _with_usage(trace.parsed(path, lines), lines)
    except PartUnreadable as error:
        _note(ctx, error)
        return Reading([], "")
    found = detect(lines)
    if not events:
        return Reading([], path, words=_unknown_words(ctx, path, lines, data))
    transcripts = _subagents(ctx)
    if transcripts:
        return Reading(merge_subagents(events, transcripts), path)
    return Reading(events, path, data.rfind(b"\n") + 1 if found == "claude-stream" else 0)


def _with_usage(events: list[Event], lines: Sequence[Line]) -> list[Event]:
    """The events with the tokens of their messages, where the transcript tells them."""
    usage: dict[str, Event] = {}
    for line in lines:
        name = mapping(line.get("message")).get("id")
        if isinstance(name, str) and (tokens := usage_of(line)):
            usage[name] = tokens
    if not usage:
        return events
    return [
        {**event, "usage": usage[name]} if (name := text(event.get("_msg_id"))) in usage else event
        for event in events
    ]


def _empty_words(ctx: Context, path: str, events: list[Event]) -> str:
    return "" if events else f"{ctx.shown(path)} holds no events."


def _unknown_words(ctx: Context, path: str, lines: Sequence[Line], data: bytes) -> str:
    shown = ctx.shown(path)
    if not data.strip():
        return f"{shown} is empty." if path else ""
    if not lines:
        return f"{shown} is no transcript: none of its lines is a JSON object."
    return f"{shown} is no transcript of a known agent: its lines are {kinds_of(lines)}."


def _subagents(ctx: Context) -> dict[str, list[Line]]:
    folder = os.path.join(ctx.folder, "subagents")
    found: dict[str, list[Line]] = {}
    for entry in ctx.disk.list(folder):
        if entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False):
            try:
                data = ctx.disk.read(entry.path) or b""
            except PartUnreadable as error:
                _note(ctx, error)
                data = b""
            found[entry.name.removesuffix(".jsonl")] = json_lines(data).values
    return found


def _note(ctx: Context, error: PartUnreadable) -> None:
    ctx.note(f"{ctx.shown(error.path)}: {error.why}")
