"""Which agent wrote a transcript, and its events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from eval_tui.record.formats import claude_session, claude_stream, codex
from eval_tui.record.formats.jsonl import Line

Format = Literal["claude-stream", "claude-session", "codex", "unknown"]

_LOOK_AT = 200


def detect(lines: Sequence[Line]) -> Format:
    """The format of a transcript, told by the kinds of its first lines."""
    for line in lines[:_LOOK_AT]:
        if claude_session.is_session_line(line):
            return "claude-session"
        if codex.is_codex_line(line):
            return "codex"
        if line.get("type") in claude_stream.KINDS and "message" in line:
            return "claude-stream"
    if any(line.get("type") in claude_stream.KINDS for line in lines):
        return "claude-stream"
    return "unknown"


def parse_transcript(lines: Sequence[Line]) -> list[dict[str, object]]:
    """The events of a transcript of any known format; lines of other kinds are dropped."""
    found = detect(lines)
    if found == "codex":
        return codex.parse(lines)
    if found == "claude-session":
        return claude_session.parse(lines)
    return claude_stream.parse(lines)
