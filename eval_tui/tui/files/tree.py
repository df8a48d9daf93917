"""The files of a case as the rows of a tree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from eval_tui.engine.grid import FileEntry

MODIFIED: Final = "_modified"
"""The folder of a case that holds the files which the agent changed."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file, or a folder with what is below it."""

    path: str
    """Relative to the case folder with `/`; of a folder with `/` at its end."""
    label: str
    """What is new in its path below the folder that it stands in."""
    depth: int
    file: FileEntry | None
    """None for a folder."""
    count: int = 0
    """Files below a folder."""
    size: int = 0
    """Their bytes together."""


@dataclass
class _Folder:
    files: list[FileEntry] = field(default_factory=list[FileEntry])
    folders: dict[str, _Folder] = field(default_factory=dict[str, "_Folder"])
    count: int = 0
    size: int = 0


def tree_rows(files: Sequence[FileEntry], folded: Collection[str]) -> list[FileRow]:
    """Rows in the order of the files; what lies in a `folded` folder (`a/b/`) is left out.

    Folders that hold nothing but one folder share its row.
    """
    root = _Folder()
    for file in files:
        folder = root
        for name in file.name.split("/")[:-1]:
            folder = folder.folders.setdefault(name, _Folder())
            folder.count += 1
            folder.size += file.size
        folder.files.append(file)
    rows: list[FileRow] = []
    todo: list[tuple[_Folder, str, str, int] | FileEntry] = list(reversed(_inside(root, "", 0)))
    depths = {id(file): file.name.count("/") for file in files}
    while todo:
        item = todo.pop()
        if isinstance(item, FileEntry):
            label = item.name.rpartition("/")[2]
            rows.append(FileRow(item.name, label, depths[id(item)], item))
            continue
        folder, path, label, depth = item
        while not folder.files and len(folder.folders) == 1:
            (name, folder) = next(iter(folder.folders.items()))
            path, label = f"{path}{name}/", f"{label}{name}/"
        rows.append(FileRow(path, label, depth, None, folder.count, folder.size))
        for file in folder.files:
            depths[id(file)] = depth + 1
        if path not in folded:
            todo += reversed(_inside(folder, path, depth + 1))
    return rows


def _inside(
    folder: _Folder, path: str, depth: int
) -> list[tuple[_Folder, str, str, int] | FileEntry]:
    below = [(one, f"{path}{name}/", f"{name}/", depth) for name, one in folder.folders.items()]
    return [*below, *folder.files]
