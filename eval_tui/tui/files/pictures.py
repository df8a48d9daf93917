"""Images: what they are, told by their first bytes, and their pixels as half blocks."""

from __future__ import annotations

import io
import os
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from eval_tui.record.disk import Disk
from eval_tui.record.errors import PartUnreadable

if TYPE_CHECKING:
    from PIL.Image import Image
    from rich.segment import Segment

LARGEST: Final = 20_000_000
"""Bytes of an image that is shown."""

MOST_PIXELS: Final = 16_000_000
"""Pixels of an image that is shown: a small file may claim to be as large as a house."""


class ImageFacts(NamedTuple):
    """What the head of an image says of it."""

    format: str
    width: int
    height: int
    """In pixels."""


class NoPicture(ValueError):
    """An image that cannot be shown, with the reason in words."""


def image_facts(start: bytes) -> ImageFacts | None:
    """What an image is, by its first bytes; None where they do not say."""
    try:
        if start[:8] == b"\x89PNG\r\n\x1a\n":
            return ImageFacts("PNG", *struct.unpack(">II", start[16:24]))
        if start[:6] in (b"GIF87a", b"GIF89a"):
            return ImageFacts("GIF", *struct.unpack("<HH", start[6:10]))
        if start[:2] == b"BM":
            width, height = struct.unpack("<ii", start[18:26])
            return ImageFacts("BMP", width, abs(height))
        if start[:2] == b"\xff\xd8":
            return _jpeg(start)
        if start[:4] == b"RIFF" and start[8:16] == b"WEBPVP8X":
            w, h = start[24:27] + b"\0", start[27:30] + b"\0"
            return ImageFacts("WebP", *(struct.unpack("<I", one)[0] + 1 for one in (w, h)))
        if start[:4] == b"RIFF" and start[8:16] == b"WEBPVP8 ":
            width, height = struct.unpack("<HH", start[26:30])
            return ImageFacts("WebP", width & 0x3FFF, height & 0x3FFF)
    except struct.error:
        pass
    return None


def _jpeg(start: bytes) -> ImageFacts | None:
    at = 2
    while at + 9 <= len(start) and start[at] == 0xFF:
        marker, size = start[at + 1], int.from_bytes(start[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", start[at + 5 : at + 9])
            return ImageFacts("JPEG", width, height)
        at += 2 + size
    return None


def read_start(path: str) -> bytes:
    """The beginning of an image. Raises NoPicture."""
    try:
        return Disk().read_start(_no_link(path), 1 << 16)
    except PartUnreadable as error:
        raise NoPicture(error.why) from None


def opened_picture(path: str, width: int, height: int) -> Image:
    """The pixels of an image, decoded to be shown in `width` x `height` of them. Raises NoPicture.

    Takes a moment: not for the event loop.
    """
    try:
        import PIL.Image
    except ImportError:
        raise NoPicture("to see it here: pip install 'eval-tui[images]'") from None
    try:
        if os.stat(_no_link(path)).st_size > LARGEST:
            raise NoPicture("too large to be shown")
        data = Disk().read(path)
    except (OSError, PartUnreadable) as error:
        raise NoPicture(str(error)) from None
    try:
        with PIL.Image.open(io.BytesIO(data or b"")) as image:
            if image.width * image.height > MOST_PIXELS:
                raise NoPicture("too many pixels to be shown")
            image.draft("RGB", (width, height))
            return image.convert("RGBA")
    except NoPicture:
        raise
    except Exception as error:  # a decoder of somebody else, fed with anything
        raise NoPicture(f"it cannot be decoded: {error or type(error).__name__}") from None


def fitting(image: Image, width: int, height: int) -> tuple[int, int]:
    """Width and height in pixels of an image that has to fit, and is never made larger."""
    scale = min(width / image.width, height / image.height, 1.0)
    return max(round(image.width * scale), 1), max(round(image.height * scale), 1)


def read_picture(path: str, width: int, height: int) -> list[list[Segment]]:
    """An image in at most `width` x `height` cells, two pixels a cell. Raises NoPicture.

    Takes a moment: not for the event loop.
    """
    small = opened_picture(path, width * 2, height * 4)
    import PIL.Image
    from rich.color import Color
    from rich.segment import Segment
    from rich.style import Style

    size = fitting(small, width, 2 * height)
    scaled: Image = cast(Any, small).resize((size[0], size[1] + size[1] % 2))
    ground = PIL.Image.new("RGBA", scaled.size, (128, 128, 128, 255))
    pixels = PIL.Image.alpha_composite(ground, scaled).convert("RGB").tobytes()

    def colour(x: int, y: int) -> Color:
        at = 3 * (y * scaled.width + x)
        return Color.from_rgb(*pixels[at : at + 3])

    return [
        [
            Segment("▀", Style(color=colour(x, y), bgcolor=colour(x, y + 1)))
            for x in range(scaled.width)
        ]
        for y in range(0, scaled.height, 2)
    ]


def _no_link(path: str) -> str:
    if os.path.islink(path):
        raise NoPicture("it is a link, and is not followed")
    return path
