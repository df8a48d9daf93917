"""Whether a known result of a cell still holds: each of its inputs against what is there now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eval_tui.engine import folders
from eval_tui.engine.grading import variable_version
from eval_tui.engine.seen import why_version
from eval_tui.engine.versions import env_version, path_version, python_version
from eval_tui.engine.workstate import State
from eval_tui.record.case import CaseParts
from eval_tui.record.record import current_version


class Present:
    """The present versions of what the cells of one case rest on, each worked out once."""

    def __init__(self, state: State, folder_digest: str) -> None:
        self._state, self._folder_digest = state, folder_digest
        self._versions: dict[tuple[str, str, str], str] = {}

    def holds(self, inputs: Iterable[Sequence[str]], parts: CaseParts, step: str) -> bool:
        """Whether all inputs of a judge of that step (or of none) are as they were."""
        return all(
            self._version(parts, step, kind, key) == version for kind, key, version in inputs
        )

    def _version(self, parts: CaseParts, step: str, kind: str, key: str) -> str:
        if kind == "python":
            return python_version()
        if kind == "env":
            return env_version(key, os.environ)
        if kind == "given":
            return variable_version(key, self._state.variables)
        if kind in ("opaque", "case_dir"):
            return self._folder_digest
        if kind == "why":
            return why_version(parts, key)
        if kind in ("list", "list+", "exists", "stat", "link"):
            return path_version(kind, key)
        if kind in ("open", "module"):
            return self._content(key)
        found = self._versions.get((step, kind, key))
        if found is None:
            found = self._versions[(step, kind, key)] = current_version(parts, kind, key)
        return found

    def _content(self, path: str) -> str:
        """A file's digest, read again only when its signature changed."""
        contents = self._state.contents
        signature, young = folders.files_signature([path])
        kept = contents.get((path, signature))
        if kept is not None and not young:
            return kept
        version = path_version("open", path)
        if not young:
            contents[(path, signature)] = version
        return version


def still_known(
    known: Iterable[Mapping[str, Any]],
    ambients: Mapping[str, list[list[str]]],
    present: Present,
    parts: CaseParts,
    step: str,
) -> int | None:
    """The id of the first known result whose inputs are all as they were."""
    for result in known:
        ambient = ambients.get(result["ambient"])
        if ambient is not None and present.holds([*ambient, *result["inputs"]], parts, step):
            return result["id"]
    return None
