"""What a template can name: the variables of a case, each read when the template uses it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from eval_tui.record import derive

Variables = Mapping[str, Callable[[], object]]
"""Name -> what makes the value; called at most once per rendering, and only if it is used."""

CASE_VARIABLES = frozenset(
    {
        "outputs",
        "annotations",
        "annotations_text",
        "conversation",
        "inputs",
        "reasoning",
        "tool_trace",
        "evidence",
    }
)
"""The variables that show the model something of the case."""


def case_variables(record: Mapping[str, Any], arguments: Mapping[str, Any]) -> Variables:
    """The variables of harness.md section 11 over a case's record.

    What is looked at is noted by the record. Reading may raise PartUnreadable.
    """
    return {
        "outputs": lambda: Outputs(record),
        "arguments": lambda: dict(arguments),
        "annotations": lambda: Annotations(record),
        "annotations_text": lambda: str(Annotations(record)),
        "conversation": lambda: record["conversation"],
        "inputs": lambda: record["inputs"],
        "reasoning": lambda: derive.reasoning(_events(record)),
        "tool_trace": lambda: derive.tool_trace(_events(record)),
        "evidence": lambda: derive.evidence(_events(record)),
    }


class _Shown(Mapping[Any, Any]):
    """A read-only view of a mapping that prints as material for a model."""

    path = ""
    """What the mapping is called in a template."""

    def __init__(self, values: Mapping[Any, Any]) -> None:
        self._values = values

    def __getitem__(self, key: Any) -> Any:
        return self._values[key]

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Outputs(_Shown):
    """The record; printed bare, its files sorted by path."""

    path = "outputs"

    def __str__(self) -> str:
        return files_text(self._values)


class Annotations(_Shown):
    """The annotations; printed bare, one line each, then the files that they name."""

    path = "annotations"

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__(record["annotations"])
        self._record = record

    def __str__(self) -> str:
        entries = sorted(self._values.items(), key=lambda entry: str(entry[0]))
        lines = [f"- **{key}**: {as_text(value)}" for key, value in entries]
        for key, _ in entries:
            name = f"annotation_{key}_content"
            if name in self._record:
                lines.append(f"\n### {key}\n\n{self._record[name]}")
        return "\n".join(lines)


def files_text(record: Mapping[str, Any]) -> str:
    """Every file of a record, sorted by path: a heading and its text, binary ones by name."""
    files = record["files"]
    return "\n\n".join(f"### {name}\n\n{_file_text(files[name])}" for name in sorted(files))


def _file_text(value: object) -> str:
    if isinstance(value, str):
        return value
    marker = cast("Mapping[str, object]", value)
    return f"<binary: {marker.get('name', '')}>"


def as_text(value: object) -> str:
    """A value of a YAML file for a model: text as it is, lists and mappings as JSON on one line."""
    is_nested = isinstance(value, (list, dict))
    return to_json(cast("object", value), None) if is_nested else str(value)


def to_json(value: object, indent: int | None = 2) -> str:
    """JSON without any escaping for HTML; what JSON does not know becomes text."""
    return json.dumps(jsonable(value), indent=indent, ensure_ascii=False)


def jsonable(value: object) -> object:
    """The value as plain dicts, lists and scalars."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {str(key): jsonable(item) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in cast("list[object]", value)]
    return str(value)


def fenced(text: object) -> str:
    """Material between two tags that it cannot close by itself.

    The tags carry a digest of the material, so they are the same at every rendering and cannot
    be written into the material beforehand.
    """
    words = str(text)
    mark = hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=4).hexdigest()
    return f"<material-{mark}>\n{words}\n</material-{mark}>"


def _events(record: Mapping[str, Any]) -> list[derive.Event]:
    """The events of the record that are mappings."""
    events: object = record["events"]
    found = cast("list[object]", events) if isinstance(events, list) else []
    return [cast("derive.Event", event) for event in found if isinstance(event, dict)]
