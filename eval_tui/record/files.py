"""The files of a case: collected outputs, files edited in place, and the first file of each output."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from eval_tui.config.schema import Output
from eval_tui.record.context import Context
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.parts import Fixed, Part, Plain

MODIFIED = "_modified"
_NOT_MODIFIED = frozenset({".work", "subagents", "hooks", ".staged-plugins"})
"""Folders below `_modified` that belong to the tool that ran the agent (D11)."""


@dataclass(frozen=True)
class FirstFile:
    """The file behind `<base>_content` and `<base>_file`."""

    base: str
    name: str
    """Relative to the case folder with `/`."""


def output_names(ctx: Context) -> dict[str, str]:
    """Names of the record's `files`, in order, with the path of each.

    Regular files only: links are not followed, pipes and devices never opened. Raises
    PartUnreadable for an output that leads out of the case folder (its content is never read).
    """
    return ctx.once("files", lambda: {**_outputs(ctx), **_modified(ctx)})


def file_part(ctx: Context, name: str) -> Part:
    """The content of one of the `files`: text, or the marker of a binary file.

    Raises KeyError for a name that is not among them, PartUnreadable when it cannot be read.
    """
    if name not in output_names(ctx):
        raise KeyError(name)
    return _file_at(ctx, name)


def is_binary(part: Part) -> bool:
    """Whether a file's part is the marker of a binary file."""
    return not isinstance(part.shared(), str)


def first_files(ctx: Context) -> dict[str, FirstFile]:
    """By base name: the first file directly in each output folder, if it is text (D9, D10)."""
    return ctx.once("\0first", lambda: {found.base: found for found in _first_files(ctx)})


def first_file_part(ctx: Context, base: str) -> Part:
    """The text of the first file of the output called `base`. Raises KeyError, PartUnreadable."""
    first = first_files(ctx)[base]
    return _file_at(ctx, first.name)


def first_file_path(ctx: Context, base: str) -> str:
    """The absolute path of the first file of the output called `base`. Raises KeyError."""
    return os.path.join(ctx.case_dir(), first_files(ctx)[base].name)


def has_modified_text(ctx: Context) -> bool:
    """Whether `modified_files` is in the record: some file edited in place is text.

    True as well when one cannot be read, so that who asks for them is told.
    """
    try:
        return ctx.once("\0modified?", lambda: any(True for _ in _texts(ctx)))
    except PartUnreadable:
        return True


def modified_files(ctx: Context) -> Part:
    """Relative path -> text of the files edited in place."""
    return ctx.once("modified_files", lambda: Plain(dict(_texts(ctx))))


def _texts(ctx: Context) -> Iterator[tuple[str, str]]:
    for name in _modified(ctx):
        content = _file_at(ctx, name).shared()
        if isinstance(content, str):
            yield name[len(MODIFIED) + 1 :], content


def _file_at(ctx: Context, name: str) -> Part:
    return ctx.once(f"files/{name}", lambda: _read(ctx, name))


def _read(ctx: Context, name: str) -> Part:
    text = ctx.disk.read_text(os.path.join(ctx.folder, name))
    if text is not None:
        return Fixed(text)
    path = os.path.join(ctx.case_dir(), name)
    return Plain({"_binary": True, "path": path, "name": os.path.basename(path)})


def _outputs(ctx: Context) -> dict[str, str]:
    names: dict[str, str] = {}
    for relative in _output_paths(ctx.spec.outputs):
        root = os.path.join(ctx.folder, *relative.parts)
        found = ctx.disk.look(root)
        if found is None:
            continue
        if not ctx.inside_case(root):
            raise PartUnreadable(root, "it leads out of the case folder and is not read")
        for path in [root] if ctx.disk.is_file(root) else walk(ctx, root):
            names[name_of(ctx, path)] = path
    return names


def _modified(ctx: Context) -> dict[str, str]:
    return ctx.once("\0modified", lambda: dict(_walk_modified(ctx)))


def _walk_modified(ctx: Context) -> Iterator[tuple[str, str]]:
    root = os.path.join(ctx.folder, MODIFIED)
    if os.path.islink(root) and not ctx.inside_case(root):
        ctx.disk.look(root)
        return
    for path in walk(ctx, root):
        name = name_of(ctx, path)
        if name.split("/")[1] not in _NOT_MODIFIED or name.count("/") == 1:
            yield name, path


def walk(ctx: Context, root: str) -> list[str]:
    """Every regular file below `root`, sorted by path; links are not followed.

    Raises PartUnreadable for a folder that cannot be listed.
    """
    found: list[str] = []
    folders = [root]
    while folders:
        for entry in ctx.disk.list_all(folders.pop()):
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    found.append(entry.path)
                elif not entry.is_symlink():
                    ctx.note(f"{ctx.shown(entry.path)} is no regular file and was left out")
            except OSError:
                continue
    return sorted(found, key=lambda path: path.split(os.sep))


def _first_files(ctx: Context) -> Iterator[FirstFile]:
    for relative in _output_paths(ctx.spec.outputs):
        root = os.path.join(ctx.folder, *relative.parts)
        if not ctx.disk.exists(root) or not ctx.inside_case(root):
            continue
        path = root if ctx.disk.is_file(root) else _first_in(ctx, root)
        if path is None:
            continue
        name = name_of(ctx, path)
        try:
            is_text = not is_binary(_file_at(ctx, name))
        except PartUnreadable:
            is_text = True  # who asks for it is told (D10)
        if is_text:
            yield FirstFile(relative.name, name)


def _first_in(ctx: Context, folder: str) -> str | None:
    for entry in ctx.disk.list(folder):
        with contextlib.suppress(OSError):
            if entry.is_file(follow_symlinks=False):
                return entry.path
    return None


@functools.lru_cache(maxsize=16)
def _output_paths(outputs: tuple[Output, ...]) -> tuple[PurePosixPath, ...]:
    paths = [PurePosixPath(output.path) for output in outputs if output.path]
    return tuple(p for p in paths if p.parts and not p.is_absolute() and ".." not in p.parts)


def name_of(ctx: Context, path: str) -> str:
    """A path in the case folder, relative to it, with `/`."""
    return path[len(ctx.folder) + 1 :].replace(os.sep, "/")
