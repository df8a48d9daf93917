"""The files that a model judge is made of: its prompt and its context (D5, D23)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.paths import Base, first_existing, really_within
from eval_tui.config.section import Section, kind_of

MAX_MATERIAL = 8_000_000
"""Bytes above which a prompt or context file is taken for a mistake."""


@dataclass(frozen=True)
class Material:
    """The files of one judge, as found; empty where there are none."""

    prompt_path: str = ""
    context: tuple[str, ...] = ()
    context_paths: tuple[str, ...] = ()
    digest: str = ""
    """Digest of all their contents, in order."""
    mentions_case: bool = False
    """Whether a template variable stands in any of them."""


def read_material(entry: Section, base: Base, with_prompt: bool) -> Material:
    """Looks up the prompt file (if it counts) and the context files; problems on the entry."""
    contents: list[bytes] = []
    prompt_path = ""
    if with_prompt:
        prompt_path = _find(entry, base, entry.text("prompt_file"), "prompt_file", "prompt-missing")
        text = _read(entry, prompt_path, "prompt_file") if prompt_path else None
        if text is not None:
            contents.append(text)
            if not text.strip():
                entry.error("prompt_file", "prompt-empty", f"`{base.shown(prompt_path)}` is empty")
    names, paths = _read_context(entry, base, contents)
    return _material(prompt_path, contents, names, paths)


def own_material(entry: Section, path: str) -> Material:
    """The prompt of a project's own built-in, which has no other files; problems on the entry."""
    text = _read(entry, path, "builtin")
    if text is not None and not text.strip():
        entry.error("builtin", "prompt-empty", f"`{os.path.basename(path)}` is empty")
    return _material(path, [text] if text is not None else [], (), ())


def _read_context(
    entry: Section, base: Base, contents: list[bytes]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(names as written, absolute paths) of the context files; what they hold goes to `contents`."""
    names = _context_names(entry)
    paths = [_find(entry, base, name, "context", "context-missing") for name in names]
    paths = [path for path in paths if path]
    for path in paths:
        text = _read(entry, path, "context")
        if text is not None:
            contents.append(text)
    return names, tuple(paths)


def _material(
    prompt_path: str, contents: Sequence[bytes], names: tuple[str, ...], paths: tuple[str, ...]
) -> Material:
    digest = hashlib.blake2b(digest_size=16)
    for content in contents:
        digest.update(len(content).to_bytes(8, "big") + content)
    return Material(
        prompt_path,
        names,
        paths,
        digest.hexdigest() if any(content.strip() for content in contents) else "",
        any(mentions_case(content.decode("utf-8", "replace")) for content in contents),
    )


def mentions_case(template: str) -> bool:
    """Whether a template has any variable or statement at all."""
    return "{{" in template or "{%" in template


def _context_names(entry: Section) -> tuple[str, ...]:
    names: list[str] = []
    for item in entry.items("context", "context-not-list"):
        if isinstance(item, str) and item:
            names.append(item)
        else:
            message = f"`context` takes paths of files, not {kind_of(item)}"
            entry.error("context", "context-not-list", message)
    return tuple(names)


def _find(entry: Section, base: Base, relative: str, key: str, missing: str) -> str:
    """The absolute path of a file inside the project, or empty with a problem."""
    found = first_existing(relative, base.material_bases())
    entry.report.looked_for.extend(found.missing)
    if not found.path:
        outside = os.path.isabs(relative) or ".." in relative.replace("\\", "/").split("/")
        if outside and not any(really_within(path, base.root) for path in found.missing):
            entry.error(key, "outside-project", f"`{relative}` lies outside the project")
        elif key == "context":
            entry.warn(key, missing, f"there is no context file `{relative}`; it is left out")
        else:
            entry.error(key, missing, f"there is no file `{relative}`")
        return ""
    if not really_within(found.path, base.root):
        entry.error(key, "outside-project", f"`{relative}` lies outside the project")
        return ""
    entry.report.looked_for.append(found.path)
    return found.path


def _read(entry: Section, path: str, key: str) -> bytes | None:
    try:
        return read_file(path, MAX_MATERIAL)
    except UnreadableFile as error:
        code = "context-unreadable" if key == "context" else "prompt-unreadable"
        entry.error(key, code, f"`{os.path.basename(path)}` cannot be read: {error}")
        return None
