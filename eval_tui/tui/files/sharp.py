"""Images in full resolution, for terminals that speak kitty's graphics protocol, by textual-image.

Such an image is cells of text like any other, which the terminal fills in by their colour and marks,
and one message that holds its pixels. Sixels would be painted over the cells without Textual knowing
of it, and would stay there when something else comes to stand in their place; terminals that know
nothing else get half blocks.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from eval_tui.tui.files.pictures import NoPicture, fitting, opened_picture

if TYPE_CHECKING:
    from rich.segment import Segment

PIXELS_A_CELL: Final = (10, 20)
"""What textual-image takes a cell to be where it cannot ask; the terminal scales to its own."""

_PROGRAMS: Final = frozenset({"ghostty", "kitty"})
_TERMS: Final = frozenset({"xterm-ghostty", "xterm-kitty"})
_MOST_CELLS: Final = 255
"""Cells of a side of an image; the protocol has numbers for little more."""

_lock = Lock()


@dataclass(frozen=True)
class Sharp:
    """An image as cells, and what the terminal has to be told."""

    rows: list[list[Segment]]
    sent: str
    """The message with the pixels; to be sent before the cells are drawn."""
    forgotten: str
    """The message after which the terminal has the pixels no more."""


def speaks_kitty(environ: Mapping[str, str]) -> bool:
    """Whether the terminal shows images, by what it says of itself.

    It is not asked: its answer would come among the keys that are typed. What multiplexers make of
    such messages is nobody's promise.
    """
    if environ.get("TMUX") or environ.get("STY") or environ.get("NO_COLOR"):
        return False
    named = environ.get("TERM_PROGRAM", "").lower() in _PROGRAMS
    return named or environ.get("TERM", "") in _TERMS


def read_sharp(path: str, width: int, height: int) -> Sharp | None:
    """An image in at most `width` x `height` cells; None without textual-image. Raises NoPicture.

    Takes a moment: not for the event loop.
    """
    image = opened_picture(path, width * PIXELS_A_CELL[0], height * PIXELS_A_CELL[1])
    with _aside() as sent:
        try:
            from textual_image.renderable import TGPImage
        except ImportError:
            return None
        from rich.console import Console

        across, down = PIXELS_A_CELL
        room = (min(width, _MOST_CELLS), min(height, _MOST_CELLS))
        pixels = fitting(image, room[0] * across, room[1] * down)
        size = (-(-pixels[0] // across), -(-pixels[1] // down))
        try:
            made = TGPImage(cast(Any, image), *size)
            console = Console(file=io.StringIO(), color_system="truecolor", width=size[0])
            rows = console.render_lines(made, console.options.update_height(size[1]), pad=False)
        except Exception as error:  # a package of somebody else, fed with anything
            raise NoPicture(f"it cannot be shown: {error or type(error).__name__}") from None
    number = made.terminal_image_id
    return Sharp(rows, sent.getvalue(), f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\")


@contextmanager
def _aside() -> Generator[io.StringIO]:
    """What is written to the terminal past the app, which would garble a frame, is kept.

    textual-image writes there, and asks there when it is imported, unless it is no terminal.
    """
    with _lock:
        before, aside = sys.__stdout__, io.StringIO()
        sys.__stdout__ = cast(TextIO, aside)  # type: ignore[misc]
        try:
            yield aside
        finally:
            sys.__stdout__ = before  # type: ignore[misc]
