"""What every screen looks like: its text in three sizes, and that it can be read in two themes.

After a change that is meant, `python -m tests.picture` writes snapshots and pictures anew; the
difference is there to be read.
"""

from __future__ import annotations

from difflib import unified_diff
from itertools import product
from pathlib import Path

import pytest
from textual.color import Color

from eval_tui.tui.app import EvalApp
from tests.picture import DARK, LIGHT, letters, picture
from tests.tui.seeing import screen_strips
from tests.tui.showcase import MIDDLE, SIZES, seen, snapshot, walk
from tests.tui.test_themes import contrast, least

THEMES = ("dark", "light")
"""What is said is the same in both, and how well it can be read is looked at in each."""


@pytest.mark.parametrize("size", SIZES)
async def test_every_screen_looks_as_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    told: list[str] = []
    walked: set[tuple[str, str]] = set()

    def take(name: str, app: EvalApp) -> None:
        kept = snapshot(name, size)
        walked.add((kept.name, app.theme))
        before = kept.read_text("utf-8") if kept.exists() else ""
        now = f"now, {app.theme}"
        told.extend(unified_diff(before.split("\n"), seen(app).split("\n"), kept.name, now, n=1))
        told.extend(f"{name}, {app.theme}: {words}" for words in faint(app, least(app.theme)))

    await walk(tmp_path, size, THEMES, take)
    assert not told, "\n".join(told)
    kept = {path.name for path in snapshot("grid", size).parent.iterdir()}
    assert walked == set(product(kept, THEMES))


def faint(app: EvalApp, ratio: float) -> list[str]:
    """Words on the screen, or in the window over it, with less contrast than this."""
    found: list[str] = []
    screen, strips = app.screen, screen_strips(app)
    if screen.is_modal:
        window = screen.children[0].region
        strips = [strip.crop(*window.column_span) for strip in strips[slice(*window.line_span)]]
    for strip in strips:
        for text, style, _ in strip:
            if style and style.color and style.bgcolor and any(map(str.isalnum, text)):
                ink, ground = map(Color.from_rich_color, (style.color, style.bgcolor))
                if (is_now := contrast(ink, ground)) < ratio:
                    found.append(f"{text.strip()!r} {ink.hex} on {ground.hex}: {is_now:.2f}")
    return found


@pytest.mark.parametrize(
    ("name", "theme"), [*((name, "dark") for name in DARK), *((name, "light") for name in LIGHT)]
)
def test_the_pictures_of_the_guide_show_what_the_screens_show(name: str, theme: str):
    drawn = picture(name, theme).read_text("utf-8")
    assert letters(drawn) == "".join(snapshot(name, MIDDLE).read_text("utf-8").split())
