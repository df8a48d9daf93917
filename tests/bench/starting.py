"""From the command to the first frame that shows cases and values."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.ground import Figure, Ground, median
from tests.bench.screen import Screen

BARE = str(Path(__file__).with_name("bare.py"))


def first_frame(ground: Ground) -> Iterator[Figure]:
    project = ground.wiki()
    ground.score(project, cold=True)
    case = sorted(path.name for path in next(project.rglob("runs")).rglob("cases/*"))[0]
    bare: list[float] = []
    ours: list[float] = []
    for _ in range(ground.rounds + 2):  # in turns, so that both see the same machine
        bare.append(_until(ground, [sys.executable, BARE], project, b"ready"))
        words = ground.command(str(project))
        ours.append(_until(ground, words, project, case.encode()[:16], "✓".encode()))
    yield Figure("first frame with case rows and stored values", median(ours), "s")
    yield Figure("  reference: a bare Textual app with an empty grid", median(bare), "s")
    yield Figure("  ours over bare, median", median(ours) / median(bare), "x", 1.6)
    yield Figure("  ours over bare, best of each", min(ours) / min(bare), "x", 1.6)


def _until(ground: Ground, words: list[str], project: Path, *parts: bytes) -> float:
    screen = Screen(words, project, ground.environ())
    try:
        return screen.wait(*parts)
    finally:
        screen.close()
