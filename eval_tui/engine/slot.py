"""Shared memory in which a worker tells which cell it is at; the app reads it at any time.

32 bytes: a sequence number that is odd while the rest is being written, a state, the batch, the
indices of case and judge in the batch as sent, and the start on the monotonic clock, in seconds.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass

CRASH_EXIT = 199
"""Exit code of a worker that cannot go on: what it rests on failed, or was taken from it."""

SIZE = 32
_FIELDS = struct.Struct("<Iqiid")
_SEQUENCE = struct.Struct("<I")
_IDLE, _RUNNING, _ENDED = 0, 1, 2


@dataclass(frozen=True)
class At:
    """Where a worker is, or was last."""

    batch: int
    case: int
    judge: int
    started: float
    """Seconds on the monotonic clock."""
    running: bool
    """False: the judge has ended; its cell may not have been told yet."""


class SlotWriter:
    """The worker's side."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._memory = memory
        self._sequence = 0
        self._at = (0, 0, 0, 0.0)

    def _write(self, state: int) -> None:
        memory = self._memory
        _SEQUENCE.pack_into(memory, 0, self._sequence + 1)
        _FIELDS.pack_into(memory, 4, state, *self._at)
        self._sequence = (self._sequence + 2) & 0x7FFFFFFE
        _SEQUENCE.pack_into(memory, 0, self._sequence)

    def begin(self, batch: int, case: int, judge: int, now: float) -> None:
        self._at = (batch, case, judge, now)
        self._write(_RUNNING)

    def end(self) -> None:
        self._write(_ENDED)


def read(memory: mmap.mmap) -> At | None:
    """The app's side. None when nothing has run yet or the writer is in the middle."""
    first = memory[:SIZE]
    if first != memory[:SIZE] or _SEQUENCE.unpack_from(first)[0] % 2:
        return None
    state, batch, case, judge, started = _FIELDS.unpack_from(first, 4)
    if state == _IDLE:
        return None
    return At(batch, case, judge, started, state == _RUNNING)
