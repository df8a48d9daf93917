"""Which agent wrote a transcript, and its events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from eval_tui.record.formats import claude_session, claude_stream, codex
from eval_tui.record.formats.installed import installed_events
from eval_tui.record.formats.jsonl import Line

Format = Literal["claude-stream", "claude-session", "codex", "unknown"]

_LOOK_AT = 200
_KINDS_SAID = 6


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
    """The events of a transcript of any known format; lines of other kinds are dropped.

    What we do not know an installed package may. Raises ParserFailed when that breaks.
    """
    found = detect(lines)
    if found == "unknown" and lines:
        return installed_events(lines)
    if found == "codex":
        return codex.parse(lines)
    if found == "claude-session":
        return claude_session.parse(lines)
    return claude_stream.parse(lines)


def kinds_of(lines: Sequence[Line]) -> str:
    """What the first lines of an unknown transcript call themselves, for saying so."""
    for key in ("type", "kind", "role"):
        kinds = {text[:40]: None for line in lines[:_LOOK_AT] if (text := _word(line.get(key)))}
        if kinds:
            more = ", …" if len(kinds) > _KINDS_SAID else ""
            return f"of the kinds {', '.join(list(kinds)[:_KINDS_SAID])}{more}"
    keys = sorted({key[:40] for line in lines[:_LOOK_AT] for key in line})
    return f"objects with {', '.join(keys[:_KINDS_SAID])}" if keys else "empty objects"


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
