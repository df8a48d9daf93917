"""JSON, JSON Lines and YAML as trees of values that are unfolded as they are looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, cast

from eval_tui.record.yamlish import load_yaml
from eval_tui.results.words import count
from eval_tui.tui.document import search_pattern
from eval_tui.tui.files.kinds import Kind

LARGEST: Final[Mapping[Kind, int]] = {"json": 5_000_000, "lines": 5_000_000, "yaml": 150_000}
"""Characters up to which a document is read as a tree."""

MOST_CHILDREN: Final = 5_000
"""Values that are listed below one; the text as it is has the others."""

MOST_SEARCHED: Final = 200_000
"""Values that a search looks at."""

OPEN_AT_FIRST: Final = 200
"""Rows up to which a tree is unfolded when it is first seen."""

Path = tuple[int, ...]
"""Where a value is: its position in each of the values around it."""


class NoTree(ValueError):
    """A text that is no such document, with the reason in words."""


class DataRow(NamedTuple):
    """A value in the tree."""

    path: Path
    label: str
    """Its key or index. Raw."""
    value: object
    more: int = 0
    """Of the last row of a long list: values that are not listed."""


@dataclass
class DataTree:
    """A document with what is unfolded of it."""

    root: object
    opened: set[Path] = field(default_factory=set[Path])

    @classmethod
    def of(cls, root: object) -> DataTree:
        """A tree that is unfolded as far as it stays small."""
        tree = cls(root, {()})
        rows, level = size_of(root), [((), root)] if holds(root) else []
        while level:
            below: list[tuple[Path, object]] = []
            for path, value in level:
                for row in islice(children(path, value), OPEN_AT_FIRST):
                    if holds(row.value) and rows + size_of(row.value) <= OPEN_AT_FIRST:
                        rows += size_of(row.value)
                        tree.opened.add(row.path)
                        below.append((row.path, row.value))
            level = below
        return tree

    def rows(self) -> list[DataRow]:
        """What is in view, top to bottom."""
        rows: list[DataRow] = []
        if not holds(self.root):
            return [DataRow((), "", self.root)]
        todo: list[Iterator[DataRow]] = [children((), self.root)]
        while todo:
            row = next(todo[-1], None)
            if row is None:
                todo.pop()
                continue
            rows.append(row)
            if row.path in self.opened and holds(row.value):
                todo.append(children(row.path, row.value))
        return rows

    def toggle(self, path: Path) -> None:
        """Unfold a value, or fold it."""
        self.opened ^= {path}

    def reveal(self, path: Path) -> None:
        """Unfold everything around a value."""
        self.opened.update(path[:end] for end in range(len(path)))

    def find(self, needle: str) -> list[Path]:
        """The values whose key or own text holds the needle, top to bottom."""
        pattern = search_pattern(needle)
        found: list[Path] = []
        todo: list[Iterator[DataRow]] = [children((), self.root)]
        left = MOST_SEARCHED
        while todo and left:
            row = next(todo[-1], None)
            if row is None:
                todo.pop()
                continue
            left -= 1
            if pattern.search(row.label) or pattern.search(words_of(row.value)):
                found.append(row.path)
            if holds(row.value):
                todo.append(children(row.path, row.value))
        return found


def read_tree(kind: Kind, text: str) -> DataTree:
    """The document in a text. Raises NoTree."""
    limit = LARGEST.get(kind, 0)
    if len(text) > limit:
        raise NoTree(f"too large for a tree (up to {limit:,} characters)")
    try:
        if kind == "yaml":
            return DataTree.of(load_yaml(text.encode("utf-8", "replace")))
        if kind == "lines":
            return DataTree.of(_json_lines(text))
        return DataTree.of(json.loads(text))
    except RecursionError:
        raise NoTree("nested too deeply for a tree") from None
    except ValueError as error:
        raise NoTree(str(error)) from None


def _json_lines(text: str) -> dict[str, object]:
    """The values by the number of their lines; a line that is none stays a text."""
    values: dict[str, object] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                values[f"line {number}"] = json.loads(line)
            except ValueError:
                values[f"line {number} (no JSON)"] = line
    return values


def holds(value: object) -> bool:
    """Whether there is anything below a value."""
    return isinstance(value, dict | list | set | tuple) and bool(cast("Sequence[object]", value))


def size_of(value: object) -> int:
    """How many values are directly below one."""
    return len(cast("Sequence[object]", value)) if holds(value) else 0


def children(path: Path, value: object) -> Iterator[DataRow]:
    """The values below one; the last row of a long list says how many more there are."""
    if isinstance(value, dict):
        items = iter(cast("dict[object, object]", value).items())
    elif holds(value):
        items = enumerate(cast("Sequence[object]", value))
    else:
        return
    for position, (key, child) in enumerate(islice(items, MOST_CHILDREN)):
        yield DataRow((*path, position), str(key), child)
    more = len(cast("Sequence[object]", value)) - MOST_CHILDREN
    if more > 0:
        yield DataRow((*path, MOST_CHILDREN), "", None, more)


def words_of(value: object) -> str:
    """A value in a few words: texts as they are, what holds others by how many. Raw."""
    match value:
        case dict():
            return count(len(cast("dict[object, object]", value)), "key")
        case list() | tuple() | set():
            return count(len(cast("Sequence[object]", value)), "item")
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
