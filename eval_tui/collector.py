"""The collector of garbage, kept from walking over what stays. Worker-side too: Python 3.10,
standard library."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

COLLECT_AFTER = (5_000, 5, 5)
"""Thresholds for the app: cells are many and live long, cycles among them are rare. Those of a
screen are not: with larger ones they lie about for half an hour of a busy project."""


@contextmanager
def collector_paused() -> Generator[None, None, None]:
    """For making many small objects that all live on: collecting meanwhile only costs time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def keep_all() -> None:
    """What is there by now is never walked over; the collector works from now on."""
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    gc.enable()
