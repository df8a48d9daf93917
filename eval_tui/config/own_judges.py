"""The project's own built-ins: `judges/<category>/<name>.py` and `.md`, named like those that we have.

`builtin: category/name` looks below the project's root, then beside the config; `builtin: name`
looks in every category. What ships with us comes first, so that a name always means the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from eval_tui.config.paths import Base, really_within
from eval_tui.config.section import Section

FOLDER = "judges"
SUFFIXES = (".py", ".md")
"""Python with `judge(outputs, **arguments)`; a prompt that a model answers with pass or fail."""


def find_own(entry: Section, base: Base, category: str, name: str) -> str:
    """Absolute path of the file of a project's own built-in; empty when there is none.

    Notes every place that was looked at, so that a file that appears there is seen. More than one
    hit in a folder `judges/` is a problem of the entry, and so is a file outside of the project.
    """
    if not _is_plain(name) or (category and not _is_plain(category)):
        return ""
    for folder in (os.path.join(start, FOLDER) for start in base.material_bases()):
        categories = [category] if category else list(_categories(folder))
        places = [os.path.join(folder, one, name + end) for one in categories for end in SUFFIXES]
        entry.report.looked_for.extend([folder, *places])
        found = [path for path in places if os.path.isfile(path)]
        if len(found) > 1:
            _tell_ambiguous(entry, base, name, found)
        elif found and not really_within(found[0], base.root):
            message = f"`{base.shown(found[0])}` leads out of the project"
            entry.error("builtin", "outside-project", message)
        if found:
            return found[0]
    return ""


def all_own(starts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """(`category/name`, absolute path) of every built-in below the folders `starts`, sorted."""
    found: dict[str, str] = {}
    for folder in (os.path.join(start, FOLDER) for start in starts):
        for category in _categories(folder):
            for file in _names(os.path.join(folder, category)):
                stem, end = os.path.splitext(file)
                if end in SUFFIXES and _is_plain(stem):
                    found.setdefault(f"{category}/{stem}", os.path.join(folder, category, file))
    return tuple(sorted(found.items()))


def own_name(path: str) -> str:
    """`category/name` of the file of a project's own built-in."""
    folder, file = os.path.split(path)
    return f"{os.path.basename(folder)}/{os.path.splitext(file)[0]}"


def _tell_ambiguous(entry: Section, base: Base, name: str, found: Sequence[str]) -> None:
    files = " and ".join(f"`{base.shown(path)}`" for path in found)
    hint = f"write `builtin: {own_name(found[0])}`, or rename one of them"
    entry.error("builtin", "ambiguous-builtin", f"`{name}` may be {files}", hint)


def _categories(folder: str) -> Iterator[str]:
    for name in _names(folder):
        if _is_plain(name) and os.path.isdir(os.path.join(folder, name)):
            yield name


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _is_plain(name: str) -> bool:
    """Whether a part of a name can be that of a judge: not hidden, private, or a path."""
    return bool(name) and name[0] not in "._" and not set(name) & set("./\\\0")
