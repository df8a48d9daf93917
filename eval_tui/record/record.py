"""The mapping `outputs` that Python judges get: lazy, and observed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, cast

from eval_tui.record.case import CaseParts, key_name
from eval_tui.record.errors import MissingKey, PartUnreadable
from eval_tui.record.tracked import RecordPlaceholder, TrackedDict, Trip, attach, register, trip_of

__all__ = [
    "MissingKey",
    "Observe",
    "PartUnreadable",
    "Record",
    "current_version",
    "make_record",
    "part_of",
    "plain_record",
    "tripped",
]

Observe = Callable[[str, str, str], None]
"""Told of each look: (kind, key, version). Kinds: `value`, `present`, `absent`, `keys` for the record;
`file`, `file+`, `file-`, `files` for its files; `ann`, `ann+`, `ann-`, `anns` for its annotations;
`case_dir` when the judge got a path. A version is a digest at the time of the look."""

NOT_TO_BE_HAD = "!"
"""The version of an observation that cannot be made any more."""


class Record(TrackedDict):
    """A case's record as a judge sees it; see `TrackedDict`."""

    __slots__ = ()


register(Record)


def make_record(parts: CaseParts, observe: Observe, *, trusted: bool = False) -> Record:
    """The lazy record of a case for one judge; `observe` is told of everything that it looks at.

    What the judge changes in it affects only its own copy (D25). A judge that is `trusted`
    changes nothing: all of those share one copy.
    """
    trip = Trip()
    record = Record()
    attach(record, _Outputs(parts, observe, trip, trusted), parts.keys(), trip)
    return record


def plain_record(parts: CaseParts, observe: Observe) -> dict[str, Any]:
    """The whole record as a real plain dict, everything in it observed as read.

    Raises PartUnreadable if any part cannot be read.
    """
    record = make_record(parts, observe)
    plain = {key: record[key] for key in record}
    for key in ("files", "annotations"):
        plain[key] = dict(plain[key])
    return plain


def tripped(record: Record, error: BaseException | None = None) -> bool:
    """Whether something read the record past its methods (orjson, msgspec, `dict.items(record)`).

    The judge must then be run again on a `plain_record`. `error` is what the judge raised, if it
    did: such libraries refuse the placeholder by the name of its class.
    """
    trip = trip_of(record)
    if trip is not None and trip.tripped:
        return True
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if RecordPlaceholder.__name__ in _words(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # an exception of the judge's own may do anything here
        return ""


def current_version(parts: CaseParts, kind: str, key: str) -> str:
    """What `observe` would be told now for the same look; `!` when the look is not possible."""
    if kind == "step":
        return "" if key in parts.steps() else NOT_TO_BE_HAD
    if kind == "step-":
        return NOT_TO_BE_HAD if key in parts.steps() else ""
    if kind == "case_dir":
        return ""
    digests: dict[str, Callable[[], str]] = {
        "value": lambda: parts.digest(key),
        "keys": parts.key_set_digest,
        "file": lambda: parts.file_digest(key),
        "files": parts.file_names_digest,
        "ann": lambda: parts.annotation_digest(key),
        "anns": parts.annotation_names_digest,
    }
    if kind in digests:
        return digests[kind]() or NOT_TO_BE_HAD
    return _presence(parts, kind, key)


def _presence(parts: CaseParts, kind: str, key: str) -> str:
    names: dict[str, Callable[[], Iterable[Hashable]]] = {
        "present": parts.keys,
        "absent": parts.keys,
        "file+": parts.file_names,
        "file-": parts.file_names,
        "ann+": parts.annotation_names,
        "ann-": parts.annotation_names,
    }
    if kind not in names:
        return NOT_TO_BE_HAD
    try:
        there = key in {key_name(name) for name in names[kind]()}
    except PartUnreadable:
        return NOT_TO_BE_HAD
    wanted = kind == "present" or kind.endswith("+")
    return "" if there == wanted else NOT_TO_BE_HAD


def part_of(kind: str, key: str) -> str:
    """The part in `Disk.sources` whose paths can change this observation."""
    if kind == "value":
        return key
    if kind in ("present", "absent", "keys"):
        return ""
    if kind == "file":
        return f"files/{key}"
    if kind in ("step", "step-"):
        return "steps?"
    if kind == "case_dir":
        return "case_dir"
    return "files" if kind.startswith("file") else "annotations"


class _Outputs:
    """The source of the record itself."""

    path = "outputs"

    def __init__(
        self, parts: CaseParts, observe: Observe, trip: Trip, trusted: bool = False
    ) -> None:
        self._parts = parts
        self._observe = observe
        self._trip = trip
        self._trusted = trusted

    def load(self, key: Hashable) -> object:
        name = cast(str, key)
        if name == "files":
            return self._nested(_Files(self._parts, self._observe), self._parts.file_names)
        if name == "annotations":
            source = _Annotations(self._parts, self._observe)
            return self._nested(source, self._parts.annotation_names)
        try:
            part = self._parts.part(name)
        except PartUnreadable as error:
            self._observe("value", name, error.version)
            raise
        self._observe("value", name, part.digest())
        if name == "case_dir" or name.endswith("_file"):
            self._observe("case_dir", "", "")
        return part.shared() if self._trusted else part.fresh()

    def present(self, key: Hashable) -> None:
        self._observe("present", key_name(key), "")

    def absent(self, key: Hashable) -> None:
        self._observe("absent", key_name(key), "")

    def keys(self) -> None:
        self._observe("keys", "", self._parts.key_set_digest())

    def _nested(
        self, source: _Files | _Annotations, names: Callable[[], Iterable[Hashable]]
    ) -> Record:
        try:
            keys = names()
        except PartUnreadable:
            source.keys()
            raise
        nested = Record()
        attach(nested, source, keys, self._trip)
        return nested


class _Files:
    """The source of `outputs["files"]`."""

    path = "files"

    def __init__(self, parts: CaseParts, observe: Observe) -> None:
        self._parts = parts
        self._observe = observe

    def load(self, key: Hashable) -> object:
        name = cast(str, key)
        try:
            part = self._parts.file_part(name)
        except PartUnreadable as error:
            self._observe("file", name, error.version)
            raise
        self._observe("file", name, part.digest())
        value = part.fresh()
        if not isinstance(value, str):
            self._observe("case_dir", "", "")  # the judge got the path of a binary file
        return value

    def present(self, key: Hashable) -> None:
        self._observe("file+", key_name(key), "")

    def absent(self, key: Hashable) -> None:
        self._observe("file-", key_name(key), "")

    def keys(self) -> None:
        self._observe("files", "", self._parts.file_names_digest())


class _Annotations:
    """The source of `outputs["annotations"]`: one copy for the judge, noted key by key."""

    path = "annotations"

    def __init__(self, parts: CaseParts, observe: Observe) -> None:
        self._parts = parts
        self._observe = observe
        self._copy: dict[Hashable, object] | None = None

    def load(self, key: Hashable) -> object:
        name = key_name(key)
        self._observe("ann", name, self._parts.annotation_digest(name))
        if self._copy is None:
            self._copy = cast("dict[Hashable, object]", self._parts.value("annotations"))
        return self._copy[key]

    def present(self, key: Hashable) -> None:
        self._observe("ann+", key_name(key), "")

    def absent(self, key: Hashable) -> None:
        self._observe("ann-", key_name(key), "")

    def keys(self) -> None:
        self._observe("anns", "", self._parts.annotation_names_digest())
