"""Writing a file so that nobody ever reads half of it."""

from __future__ import annotations

import contextlib
import os
import shutil


def write_whole(output: str, text: str) -> None:
    """Write the file whole or not at all, where a file of that name can be replaced.

    Raises OSError.
    """
    path = os.path.realpath(output)
    data = text.encode("utf-8", "replace")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device
        with open(path, "wb") as file:
            file.write(data)
        return
    aside = aside_of(path)
    try:
        with open(aside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            shutil.copymode(path, aside)
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


def aside_of(path: str) -> str:
    """Where a file is written before it takes its place."""
    return f"{path}.{os.getpid()}.tmp"
