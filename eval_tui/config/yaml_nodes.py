"""Reads YAML through its node graph, so that every value knows its place.

Values are those of YAML's safe loader. Whatever is wrong becomes a problem, never an exception.
Runs in the app and in the workers: standard library and PyYAML only, Python 3.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import yaml
from yaml.constructor import SafeConstructor

from eval_tui.collector import collector_paused
from eval_tui.config.decoding import decode
from eval_tui.config.positions import Keys, Place, Positions
from eval_tui.config.problems import Problem, Severity

MAX_EXPANDED = 100_000
"""How many values aliases may repeat before the file is taken for an alias bomb."""
MAX_DEPTH = 100
"""How deep mappings and lists may be nested."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_YAML_ONLY_BREAKS = re.compile("[\x85\u2028\u2029]")
_TAG = "tag:yaml.org,2002:"

_Node = yaml.ScalarNode | yaml.SequenceNode | yaml.MappingNode


class YamlDocument(NamedTuple):
    """One document: its plain value, the places of all its parts, and what is wrong with it."""

    value: object
    """None for an empty document, and for one that is not YAML: see `readable`."""
    positions: Positions
    problems: tuple[Problem, ...]

    @property
    def readable(self) -> bool:
        """Whether it is YAML at all."""
        return all(problem.code != "not-yaml" for problem in self.problems)


def read_yaml(source: bytes | str, path: str = "") -> YamlDocument:
    """Reads one YAML document; `path` is the file named in its problems."""
    text, replaced_at = decode(source)
    reader = _Reader(path, Positions(_line_table(text)))
    if replaced_at is not None:
        reader.problem(
            "warning",
            "bad-encoding",
            "the file is not valid in its encoding; what could not be read is shown as \ufffd",
            _place_in(text, replaced_at),
            "save it as UTF-8",
        )
    forbidden = _NOT_YAML.search(text)
    if forbidden:
        reader.refuse_character(text, forbidden.start())
        return reader.document(None)
    with collector_paused():
        node = reader.compose(text)
        value = None if node is None else reader.convert(node, ())
    return reader.document(value)


class _Reader:
    """One reading: collects places and problems while nodes become plain values."""

    def __init__(self, path: str, positions: Positions) -> None:
        self._path = path
        self._positions = positions
        self._problems: list[Problem] = []
        self._scalars = SafeConstructor()
        self._open: set[int] = set()
        """Nodes being converted: meeting one again is a cycle."""
        self._seen: set[int] = set()
        self._repeated = 0

    def document(self, value: object) -> YamlDocument:
        # An alias repeats the problems of what it stands for.
        return YamlDocument(value, self._positions, tuple(dict.fromkeys(self._problems)))

    def problem(
        self, severity: Severity, code: str, message: str, place: Place, hint: str = ""
    ) -> None:
        problem = Problem(severity, code, message, self._path, place.line, place.column, hint=hint)
        self._problems.append(problem)

    def refuse_character(self, text: str, offset: int) -> None:
        code = ord(text[offset])
        hint = "save the file as UTF-8" if code == 0 else "remove it, or write it as an escape"
        message = f"not valid YAML: the character U+{code:04X} is not allowed"
        self.problem("error", "not-yaml", message, _place_in(text, offset), hint)

    def compose(self, text: str) -> _Node | None:
        try:
            return cast("_Node | None", yaml.compose(text, _LOADER))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = self._positions.at(mark.line, mark.column) if mark else Place(0, 0)
            words = ", ".join(str(w) for w in (error.problem, error.context) if w)
            self.problem(
                "error", "not-yaml", f"not valid YAML: {words}", place, _hint(words, text, place)
            )
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            words = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            self.problem("error", "not-yaml", f"not valid YAML: {words}", Place(0, 0))
        return None

    def convert(self, node: _Node, keys: Keys, key: yaml.ScalarNode | None = None) -> object:
        """The plain value of a node, its place noted under `keys`."""
        self._positions.put(keys, node, key)
        if not self._may_enter(node, keys):
            return None
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, keys)
            self._check_tag(node, "seq")
            items = cast("list[_Node]", node.value)
            return [self.convert(item, (*keys, i)) for i, item in enumerate(items)]
        finally:
            self._open.discard(id(node))

    def _may_enter(self, node: _Node, keys: Keys) -> bool:
        """Refuses cycles, alias bombs and bottomless nesting, each told once where it is met."""
        if id(node) in self._seen:
            self._repeated += 1
        self._seen.add(id(node))
        if self._repeated > MAX_EXPANDED:
            if self._repeated == MAX_EXPANDED + 1:
                message = "the aliases of this file expand to too many values"
                self.problem("error", "alias-bomb", message, self._positions.place(node))
            return False
        if id(node) in self._open:
            message = "an alias refers to a value that contains it"
            self.problem("error", "alias-cycle", message, self._positions.place(node))
            return False
        if len(keys) > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} levels deep; what lies deeper is left out"
            if not any(p.code == "too-deep" for p in self._problems):
                self.problem("error", "too-deep", message, self._positions.place(node))
            return False
        return True

    def _mapping(self, node: yaml.MappingNode, keys: Keys) -> dict[object, object]:
        self._check_tag(node, "map")
        result: dict[object, object] = {}
        first: dict[object, yaml.ScalarNode] = {}
        for key_node, value_node in self._own(node):
            if not isinstance(key_node, yaml.ScalarNode):
                message = "a list or mapping cannot be a key; this entry is left out"
                self.problem("error", "bad-key", message, self._positions.place(key_node))
                continue
            key = self._scalar(key_node)
            if key in first:
                self._duplicate(key_node, first[key])
            first[key] = key_node
            result[key] = self.convert(value_node, (*keys, key), key_node)
        # Merged entries stand below a mapping's own, which win.
        for key_node, value_node in self._merge_sources(node):
            if isinstance(key_node, yaml.ScalarNode):
                key = self._scalar(key_node)
                if key not in result:
                    result[key] = self.convert(value_node, (*keys, key), key_node)
        return result

    def _own(self, node: yaml.MappingNode) -> Iterator[tuple[_Node, _Node]]:
        """The mapping's own entries, without `<<`."""
        for key_node, value_node in _entries(node):
            if key_node.tag != _TAG + "merge":
                yield key_node, value_node

    def _merge_sources(self, node: yaml.MappingNode) -> Iterator[tuple[_Node, _Node]]:
        """The entries that `<<` brings in, those of an earlier source first."""
        for key_node, value_node in _entries(node):
            if key_node.tag != _TAG + "merge":
                continue
            sources = (
                cast("list[_Node]", value_node.value)
                if isinstance(value_node, yaml.SequenceNode)
                else [value_node]
            )
            for source in sources:
                if not isinstance(source, yaml.MappingNode):
                    message = "`<<` takes a mapping or a list of mappings"
                    self.problem("error", "bad-merge", message, self._positions.place(source))
                elif self._may_enter(source, ()):
                    self._open.add(id(source))
                    yield from self._own(source)
                    yield from self._merge_sources(source)
                    self._open.discard(id(source))

    def _duplicate(self, again: yaml.ScalarNode, before: yaml.ScalarNode) -> None:
        line = self._positions.place(before).line
        self.problem(
            "warning",
            "duplicate-key",
            f"`{again.value}` is given twice; the one in line {line} is ignored",
            self._positions.place(again),
            "keep one of them",
        )

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        """The value of a scalar; its text where that cannot be had."""
        kind = node.tag.removeprefix(_TAG)
        text = cast("str", node.value)
        if kind in ("str", "value", "merge"):
            return text
        construct = getattr(self._scalars, f"construct_yaml_{kind}", None)
        if construct is None or kind not in ("null", "bool", "int", "float", "timestamp"):
            self._check_tag(node, "str")
            return text
        try:
            return construct(node)
        except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError):
            what = {"timestamp": "date", "int": "integer"}.get(kind, kind)
            message = f"`{text[:40]}` is no {what}; it is taken as text"
            place = self._positions.place(node)
            self.problem("warning", "bad-value", message, place, "put it in quotes")
            return text

    def _check_tag(self, node: _Node, expected: str) -> None:
        if node.tag != _TAG + expected:
            tag = node.tag.replace(_TAG, "!!")
            message = f"the tag `{tag}` is ignored"
            self.problem("warning", "unknown-tag", message, self._positions.place(node))


def _entries(node: yaml.MappingNode) -> list[tuple[_Node, _Node]]:
    return cast("list[tuple[_Node, _Node]]", node.value)


def _place_in(text: str, offset: int) -> Place:
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _line_table(text: str) -> tuple[int, ...]:
    """For texts with NEL, LS or PS, which end lines for YAML only: editor's line by YAML's."""
    if not _YAML_ONLY_BREAKS.search(text):
        return ()
    table = [1]
    for match in re.finditer("[\n\x85\u2028\u2029]", text):
        table.append(table[-1] + (match.group() == "\n"))
    return tuple(table)


def _hint(words: str, text: str, place: Place) -> str:
    lines = text.split("\n", place.line)
    if 0 < place.line <= len(lines) and lines[place.line - 1].lstrip(" ").startswith("\t"):
        return "indent with spaces, not with tabs"
    if "mapping values are not allowed" in words:
        return "put texts that contain `: ` in quotes, and check the indentation"
    return ""
