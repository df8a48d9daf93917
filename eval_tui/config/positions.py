"""Where in a YAML file each value stands."""

from __future__ import annotations

from typing import NamedTuple

import yaml

Keys = tuple[object, ...]
"""The way from the top of a document to a value: mapping keys and list indexes."""

_Node = yaml.ScalarNode | yaml.SequenceNode | yaml.MappingNode


class Place(NamedTuple):
    """1-based line and column; 0, 0 if unknown."""

    line: int
    column: int


NOWHERE = Place(0, 0)


class Positions:
    """The places of all values of one document, by their `Keys`.

    A value that does not exist has the place of the nearest mapping or list around it.
    """

    def __init__(self, line_of: tuple[int, ...] = ()) -> None:
        self._values: dict[Keys, _Node] = {}
        self._keys: dict[Keys, yaml.ScalarNode] = {}
        self._line_of = line_of
        """True 1-based line by YAML's own, where the file holds line breaks only YAML knows."""

    def put(self, keys: Keys, node: _Node, key: yaml.ScalarNode | None = None) -> None:
        self._values[keys] = node
        if key is not None:
            self._keys[keys] = key

    def value(self, keys: Keys) -> Place:
        """Where the value begins."""
        return self._nearest(keys, self._values)

    def key(self, keys: Keys) -> Place:
        """Where the key of a mapping's entry begins; for a list's item the item."""
        return self.place(self._keys[keys]) if keys in self._keys else self.value(keys)

    def text(self, keys: Keys) -> str | None:
        """A scalar as it is written (`off`, `2024`, `1.0`); None for anything else."""
        node = self._values.get(keys)
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def key_text(self, keys: Keys) -> str:
        """The key of a mapping's entry as it is written."""
        node = self._keys.get(keys)
        return node.value if node is not None else str(keys[-1])

    def content_line(self, keys: Keys) -> int:
        """The 1-based line of a text's first line: for `key: |` the one below it."""
        node = self._values.get(keys)
        is_block = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
        return self.value(keys).line + is_block

    def place(self, node: _Node) -> Place:
        """Where a node begins."""
        return self.at(node.start_mark.line, node.start_mark.column)

    def at(self, line: int, column: int) -> Place:
        """The place of a 0-based line and column as YAML counts them."""
        if line < len(self._line_of):
            return Place(self._line_of[line], column + 1)
        return Place(line + 1, column + 1)

    def _nearest(self, keys: Keys, known: dict[Keys, _Node]) -> Place:
        for length in range(len(keys), -1, -1):
            node = known.get(keys[:length])
            if node is not None:
                return self.place(node)
        return NOWHERE
