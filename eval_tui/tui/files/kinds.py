"""What kind of file something is, by its name and what it holds, and its size in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Kind = Literal["text", "code", "markdown", "json", "lines", "yaml", "table", "image", "binary"]

KIND_WORDS: Final[Mapping[Kind, str]] = {
    "text": "text",
    "code": "code",
    "markdown": "Markdown",
    "json": "JSON",
    "lines": "JSON Lines",
    "yaml": "YAML",
    "table": "table",
    "image": "image",
    "binary": "binary",
}

_BY_SUFFIX: Final[Mapping[str, Kind]] = {
    "md": "markdown",
    "markdown": "markdown",
    "json": "json",
    "geojson": "json",
    "ipynb": "json",
    "jsonl": "lines",
    "ndjson": "lines",
    "yaml": "yaml",
    "yml": "yaml",
    "csv": "table",
    "tsv": "table",
    "txt": "text",
    "log": "text",
}

_IMAGES: Final = frozenset({"png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "ico"})


def suffix_of(name: str) -> str:
    """The last part of a name behind its dot, in small letters; empty without one."""
    base = name.rpartition("/")[2]
    return base.rpartition(".")[2].lower() if "." in base.lstrip(".") else ""


def kind_of(name: str, binary: bool) -> Kind:
    """What a file is. Text that is called an image is text."""
    suffix = suffix_of(name)
    if binary:
        return "image" if suffix in _IMAGES else "binary"
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    return "text" if suffix in _IMAGES else "code"


def size_words(size: int) -> str:
    """A number of bytes for people."""
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1000:.1f} kB"
    return f"{size / 1_000_000:.1f} MB"
