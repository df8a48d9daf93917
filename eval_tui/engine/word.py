"""Whether what a judge once said is its word still: its code and files beyond the case are as they were."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from eval_tui.engine.entries import Inputs, StoredCell
from eval_tui.engine.store import Store
from eval_tui.engine.versions import path_version

_FILES: Final = frozenset({"module", "open"})


def rests_on(store: Store, cells: Iterable[StoredCell]) -> dict[str, Inputs]:
    """What the cells rest on beyond their cases, by the ids of that."""
    return store.ambients({cell.ambient for cell in cells if cell.ambient})


def other_now(ambients: dict[str, Inputs]) -> Collection[str]:
    """The ids of those of which a module or another file is not as it was. For a thread: reads files.

    What only a worker can tell (its interpreter, its variables) is not looked at.
    """
    files = {(i[0], i[1]) for inputs in ambients.values() for i in inputs if i[0] in _FILES}
    now = {file: path_version(*file) for file in files}
    return {
        ambient
        for ambient, inputs in ambients.items()
        if any(now.get((kind, path), version) != version for kind, path, version in inputs)
    }
