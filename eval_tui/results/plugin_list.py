"""What `eval-tui plugins` prints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from eval_tui.config.discovery import discover
from eval_tui.config.judge_kind import CATEGORIES
from eval_tui.config.own_judges import all_own
from eval_tui.plugins import KINDS, PREFIX, Kind, Plugin

_TITLES: dict[Kind, str] = {
    "judges": "judges        builtin: NAME",
    "graders": "graders       id: NAME",
    "transcripts": "transcripts   tried in this order on what we cannot read",
    "formats": "formats       --format NAME",
}


def plugin_lines(
    root: str, config: str, interpreter: str, found: Iterable[Plugin]
) -> Iterator[str]:
    """Every name that a config or a command can use here, with where it comes from.

    `config` is the path of an eval, or empty for all of the project.
    """
    yield f"interpreter   {interpreter}"
    plugins = list(found)
    for kind in KINDS:
        rows = [*(_judges(root, config) if kind == "judges" else ())]
        rows += [_row(one) for one in plugins if one.kind == kind]
        yield ""
        yield _TITLES[kind]
        width = max((len(name) for name, _ in rows), default=0)
        yield from (f"  {name:{width}}  {words}" for name, words in rows)
        if not rows:
            yield "  none"


def _judges(root: str, config: str) -> Iterator[tuple[str, str]]:
    for name, categories in CATEGORIES.items():
        yield f"{categories[0]}/{name}", "of eval-tui"
    paths = [config] if config else [one.path for one in discover(Path(root), os.environ)]
    for name, path in all_own([root, *map(os.path.dirname, paths)]):
        yield name, os.path.relpath(path, root)


def _row(one: Plugin) -> tuple[str, str]:
    name = one.name if one.kind == "transcripts" else PREFIX + one.name
    words = f"{one.package or 'a package'}: {one.target}"
    return name, f"{words}  cannot be used: {one.problem}" if one.problem else words
