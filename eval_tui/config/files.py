"""Reads files without ever waiting on a pipe or a device, or filling the memory."""

from __future__ import annotations

import os
import stat


class UnreadableFile(Exception):
    """A file that cannot be read; the text says why in lower-case words."""


def read_file(path: str, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; links are followed.

    Raises UnreadableFile for anything else.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise UnreadableFile(_words(error)) from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableFile("it is a folder")
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile("it is not a regular file")
        if status.st_size > limit:
            raise UnreadableFile(f"it is larger than {limit / 1e6:.0f} MB")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError as error:
        raise UnreadableFile(_words(error)) from None
    finally:
        os.close(descriptor)


def _words(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
