"""The images of a case, for a model that can see them."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from typing import Any, cast

from eval_tui.record.case import CaseParts
from eval_tui.record.errors import PartUnreadable

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MAX_IMAGES = 20
MAX_IMAGE = 3_900_000
"""Bytes of one image: the API's limit of 5 MB counts them as base64."""
MAX_TOTAL = 15_000_000
"""Bytes of all images of a request, far enough below the API's limit for a request."""


def image_blocks(record: Mapping[str, Any], parts: CaseParts) -> list[dict[str, Any]]:
    """Content blocks for the binary image files of a case, sorted by path.

    Each image stands below a line that names it. One that cannot be sent is named with the
    reason, so that the model does not take it for missing. Files that cannot be listed have no
    images here: a template that uses them is told on its own (D10).
    """
    blocks: list[dict[str, Any]] = []
    count = total = 0
    for name, data in _images(record, parts):
        media_type = _media_type(data) if isinstance(data, bytes) else ""
        if isinstance(data, str):
            why = data
        elif not media_type:
            why = "it is no PNG, JPEG, GIF or WebP image"
        elif count == MAX_IMAGES or total + len(data) > MAX_TOTAL:
            why = "the case has too many images"
        else:
            count, total = count + 1, total + len(data)
            blocks += [_text(f"Image file: {name}"), _image(media_type, data)]
            continue
        blocks.append(_text(f"Image file: {name} (not shown: {why})"))
    return blocks


def _images(record: Mapping[str, Any], parts: CaseParts) -> Iterator[tuple[str, bytes | str]]:
    """Name and bytes of each; instead of the bytes the reason why they are not to be had."""
    try:
        files = cast("Mapping[str, object]", record["files"])
    except PartUnreadable:
        return
    for name in sorted(name for name in files if name.lower().endswith(SUFFIXES)):
        try:
            if not isinstance(files[name], str):
                yield name, _bytes(parts, name)
        except PartUnreadable as error:
            yield name, f"it cannot be read: {error.why}"


def _bytes(parts: CaseParts, name: str) -> bytes | str:
    path = os.path.join(parts.context.folder, *name.split("/"))
    with parts.disk.part(f"files/{name}"):
        found = parts.disk.look(path)
        if found is not None and found.st_size > MAX_IMAGE:
            return f"it is larger than {MAX_IMAGE / 1e6:.1f} MB"
        return parts.disk.read(path) or b""


def _media_type(data: bytes) -> str:
    """By the first bytes, since the API refuses an image whose type is not as stated."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return ""


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _image(media_type: str, data: bytes) -> dict[str, Any]:
    encoded = base64.b64encode(data).decode("ascii")
    source = {"type": "base64", "media_type": media_type, "data": encoded}
    return {"type": "image", "source": source}
