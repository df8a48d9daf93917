"""What is appended to a transcript while somebody reads it."""

from __future__ import annotations

import os
import stat

from eval_tui.record.formats import claude_stream
from eval_tui.record.formats.claude_stream import Event, mapping
from eval_tui.record.formats.jsonl import Line, json_lines

FIRST_PIECE = 1 << 18
"""Bytes that are read at once; more only where a line is longer."""

LARGEST_PIECE = 1 << 26


class Tail:
    """The end of one file. Cheap to ask: a look at its size, unless there is something new."""

    def __init__(self, path: str, end: int) -> None:
        """`end`: the bytes of the file that are known; 0 if what follows cannot be added to them.

        The file is followed as it is now; another one in its place is noticed.
        """
        self.path = path
        self.end = end
        self._piece = FIRST_PIECE
        self._seen = _signature(path)

    def more(self) -> list[Event] | None:
        """The events of the lines that were finished since the last call.

        None if the file has to be read anew: it is another one, it is shorter, or it was changed
        and its format can only be read as a whole. Told once for each change. Never raises.
        """
        now = _signature(self.path)
        if now is None:
            return []
        before, self._seen = self._seen, now
        if (before is not None and now[:2] != before[:2]) or now[2] < self.end:
            return None
        if not self.end:
            return [] if now == before else None
        return self._read() if now[2] > self.end else []

    def _read(self) -> list[Event]:
        try:
            with open(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                file.seek(self.end)
                data = file.read(self._piece)
        except OSError:
            return []
        size = data.rfind(b"\n") + 1
        if not size:
            if len(data) == self._piece:
                self._piece = min(2 * self._piece, LARGEST_PIECE)
            return []
        self.end += size
        self._piece = FIRST_PIECE
        return stream_events(json_lines(data[:size]).values)


def stream_events(lines: list[Line]) -> list[Event]:
    """The events of some lines of a stream, with the tokens of their messages."""
    events: list[Event] = []
    for line in lines:
        tokens = usage_of(line)
        found = claude_stream.line_events(line, {})
        events += [{**event, "usage": tokens} for event in found] if tokens else found
    return events


def usage_of(line: Line) -> Event:
    """The tokens of the message in a line: `output_tokens`; empty if they are not told."""
    count = mapping(mapping(line.get("message")).get("usage")).get("output_tokens")
    return {"output_tokens": count} if isinstance(count, int) else {}


def _signature(path: str) -> tuple[int, int, int, int] | None:
    """Device, inode, size and time of change; None if there is no such regular file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
