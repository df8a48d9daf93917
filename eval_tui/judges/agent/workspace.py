"""The private folder in which an agent judges: copies of the material, and a place for the verdict."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from eval_tui.config.trees import read_tree
from eval_tui.judges.agent.command import Places
from eval_tui.judges.agent.settings import AgentSettings

_READ_ONLY = 0o444


class ContextChanged(Exception):
    """A context file is not what the request was made of; the text names it."""


def stage(folder: str, files: Mapping[str, str], prompt: str, settings: AgentSettings) -> Places:
    """Lays everything out below `folder`, which is new and private. Raises OSError.

    Copies are read-only, and the case itself is out of reach by any relative path. Raises
    ContextChanged, and UnreadableFile for context that cannot be read any more.
    """
    workspace = os.path.join(folder, "workspace")
    output = os.path.join(workspace, "output")
    os.makedirs(output)
    os.makedirs(os.path.join(folder, "tmp"))
    for name, text in files.items():
        path = os.path.join(workspace, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _write(path, text)
    for name, path in settings.context.items():
        _add_context(os.path.join(workspace, ".context"), name, path, settings)
    places = Places(workspace, output, os.path.join(folder, "prompt.md"))
    _write(places.prompt, prompt)
    return places


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(text)
    os.chmod(path, _READ_ONLY)


def _add_context(target: str, name: str, path: str, settings: AgentSettings) -> None:
    """A file or folder of the project under `.context/`, by the last part of its name."""
    tree = read_tree(path)
    if tree.digest != settings.material.get(path):
        raise ContextChanged(f"`{name}` has changed since the judge was loaded")
    place = os.path.join(target, os.path.basename(os.path.normpath(path)))
    os.makedirs(target, exist_ok=True)
    if os.path.lexists(place):  # two names that end alike
        place = os.path.join(target, name.strip("/.").replace("/", "__"))
    if settings.links_context:
        os.symlink(path, place)
        return
    for relative, file in tree.files:
        copy = os.path.join(place, relative) if relative else place
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(file, copy)
        os.chmod(copy, _READ_ONLY)
