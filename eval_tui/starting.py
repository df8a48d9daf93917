"""Writing a small eval to start from (D54): files that are part of this package."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

STARTER: Final = "starter"
_NOT_OURS: Final = frozenset({"__pycache__"})


class AlreadyThere(Exception):
    """A file of the starter is there already; the text says which."""


def write_starter(folder: str) -> tuple[str, ...]:
    """Write the starter into a folder, which is made if it is not there: the files' names, sorted.

    All or nothing: raises AlreadyThere before anything is written where a file of it is there
    already, OSError where a file cannot be written.
    """
    texts = dict(_starter(files("eval_tui").joinpath(STARTER)))
    there = [name for name in texts if os.path.lexists(os.path.join(folder, name))]
    if there:
        names = ", ".join(there[:3]) + (f" and {len(there) - 3} more" if len(there) > 3 else "")
        raise AlreadyThere(f"nothing was written: in {folder} there is already {names}")
    # The config comes last: an app that watches finds the rest in place when it opens it.
    for name in sorted(texts, key=lambda name: (name == "eval.yaml", name)):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            file.write(texts[name])
    return tuple(sorted(texts))


def _starter(folder: Traversable, above: str = "") -> Iterator[tuple[str, bytes]]:
    """Every file of the starter: its name, relative and with `/`, and its content."""
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in _NOT_OURS:
            yield from _starter(entry, f"{above}{entry.name}/")
        elif entry.is_file():
            yield f"{above}{entry.name}", entry.read_bytes()
