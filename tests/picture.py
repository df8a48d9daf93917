"""Draws the pictures of the guide, and writes the snapshots of all screens: `python -m tests.picture`.

Both are what the quickstart looks like with the real engine. Look at what has changed before you keep it.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Sequence
from html import unescape
from pathlib import Path

from eval_tui.tui.app import EvalApp
from tests.tui.showcase import MIDDLE, ROOT, SIZES, at_noon, seen, snapshot, walk

DOCS = ROOT / "docs"
DARK = (
    "grid",
    "filter",
    "reason",
    "trace",
    "files",
    "why",
    "request",
    "changed",
    "changes",
    "side-by-side",
)
"""Views that the pages show."""
LIGHT = ("grid",)


def picture(name: str, theme: str) -> Path:
    """Where the picture of a view is kept."""
    if (name, theme) == ("grid", "dark"):
        return DOCS / "grid.svg"
    return DOCS / "pictures" / (f"{name}.svg" if theme == "dark" else f"{name}-{theme}.svg")


def portable(svg: str) -> str:
    """The picture with whatever monospaced font the reader has, and nothing to load."""
    svg = re.sub(r"\s*@font-face\s*\{[^}]*\}", "", svg)
    svg = re.sub(r"font-family:[^;]*Fira Code[^;]*;", "font-family: monospace;", svg)
    return re.sub(r"terminal-\d+", "screen", svg)


def letters(svg: str) -> str:
    """What can be read in a picture, without the blanks."""
    texts = re.findall(r'<text class="screen-r\d+"[^>]*>([^<]*)</text>', svg)
    return "".join(unescape("".join(texts)).split())


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def draw(size: tuple[int, int], themes: Sequence[str]) -> None:
    """One walk; of the middle size the pictures are kept too."""

    def take(name: str, app: EvalApp) -> None:
        if app.theme == "dark":
            written(snapshot(name, size), seen(app))
        if size == MIDDLE and name in (DARK if app.theme == "dark" else LIGHT):
            svg = portable(app.export_screenshot(title="eval-tui"))
            written(picture(name, app.theme), at_noon(svg))

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(walk(Path(folder), size, themes, take))


def main() -> None:
    os.environ.pop("ANTHROPIC_API_KEY", None)
    for size in SIZES:
        draw(size, ("dark", "light") if size == MIDDLE else ("dark",))


if __name__ == "__main__":
    main()
