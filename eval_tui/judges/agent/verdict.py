"""Where an agent's verdict is found: in its file, else in its last words (harness.md 12)."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

FILE = "score.json"
MAX_VERDICT = 1_000_000
"""Bytes of a verdict file; more is no verdict."""
KEYS = ("score", "passed")
_ATTEMPTS = 2_000
"""Opening braces that are tried, from the end of a text."""


class FoundFile(NamedTuple):
    """What the verdict file holds."""

    verdict: Mapping[str, Any] | None
    why: str
    """Why it holds no verdict; empty when it does or when there is no file."""


def read_verdict_file(output: str) -> FoundFile:
    """The mapping in `score.json` of the folder `output`.

    The agent may have put anything there: links are not followed, neither of the file nor of the
    folder, and only a regular file of bounded size is read.
    """
    try:
        folder = os.open(output, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return FoundFile(None, "`output` is not the folder any more that it was")
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(FILE, flags, dir_fd=folder)
        except FileNotFoundError:
            return FoundFile(None, "")
        except OSError as error:
            linked = os.path.islink(os.path.join(output, FILE))
            words = "it is a link" if linked else str(error.strerror).lower()
            return FoundFile(None, f"`output/{FILE}` is not read: {words}")
        with open(descriptor, "rb") as file:
            return _read(file.fileno())
    finally:
        os.close(folder)


def _read(descriptor: int) -> FoundFile:
    name, status = f"`output/{FILE}`", os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return FoundFile(None, f"{name} is not a regular file")
    if status.st_size > MAX_VERDICT:
        return FoundFile(None, f"{name} is larger than {MAX_VERDICT / 1e6:.0f} MB")
    data = os.read(descriptor, MAX_VERDICT)
    try:
        value: object = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return FoundFile(None, f"{name} is no JSON")
    if not isinstance(value, dict):
        return FoundFile(None, f"{name} holds no object")
    verdict = cast("dict[str, Any]", value)
    if not any(key in verdict for key in KEYS):
        return FoundFile(None, f"{name} has neither `score` nor `passed`")
    return FoundFile(verdict, "")


def last_verdict(text: str) -> Mapping[str, Any] | None:
    """The last JSON object in a text that has a verdict's key and holds no other object."""
    decoder = json.JSONDecoder()
    start = len(text)
    for _ in range(_ATTEMPTS):
        start = text.rfind("{", 0, start)
        if start < 0:
            return None
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        found = cast("dict[str, Any]", value)
        if any(key in found for key in KEYS) and not _holds_object(list(found.values())):
            return found
    return None


def _holds_object(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_holds_object, cast("list[object]", value)))
    return isinstance(value, dict)
