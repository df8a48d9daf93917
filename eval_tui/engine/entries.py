"""What the store holds: the results of cells, and the rows as they were last shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from eval_tui.engine.packing import from_key, to_key, unpack, unseal

Inputs = list[list[str]]
"""Observations as JSON has them: `[kind, key, version]`."""
AMBIENT_HEAD = 17
"""Characters of an ambient's id before the name of its judge."""


@dataclass(frozen=True, slots=True)
class Result:
    """One stored result of a cell."""

    id: int
    fp: str
    origin: str
    """`run`, or `recorded` for a verdict taken over from `summary.yaml`."""
    score: Mapping[str, Any]
    inputs: Inputs
    ambient: str
    at: float
    ms: float | None
    extra: Mapping[str, Any]
    """What was printed, notes, why it is opaque."""


class StoredCell(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A cell as it was last shown: enough to paint it and to decide whether it still holds."""

    fp: str
    result: int
    """Id of its result; 0 for a cell that its condition settled."""
    score: dict[str, Any]
    condition: str
    """Digest of the `if:` that was evaluated."""
    ambient: str
    sig: str
    """Signature of the case when it was judged; empty when it proves nothing."""
    cond: Inputs = []
    absent: tuple[str, ...] = ()
    samples: int = 1


class StoredRow(msgspec.Struct, array_like=True, frozen=True):
    """All cells of a case."""

    cells: list[StoredCell]
    extra: list[str] = []
    """Files outside of the case's folders that its record rests on."""
    keys: list[str] = []
    """The keys of its record."""
    record: str = ""
    """Digest of the config values that shaped the record."""


class CellId(NamedTuple):
    """Where a result belongs, in the words of the database."""

    run: int
    case: str | bytes
    fp: str | bytes


class Sealed(NamedTuple):
    """A result as the database has it."""

    cell: CellId
    ambient: str | bytes
    body: bytes


_ROW = msgspec.json.Decoder(StoredRow)


def row_of(data: object) -> StoredRow | None:
    """A row as the database has it; None for what is damaged."""
    plain = unseal(data)
    if plain is None:
        return None
    try:
        return _ROW.decode(plain)
    except msgspec.ValidationError:
        return None
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(plain), StoredRow)


def shown_results(data: object) -> Iterable[int]:
    """The ids of the results that a stored row shows."""
    row = row_of(data)
    return [cell.result for cell in row.cells] if row is not None else ()


def is_of(sealed: Sealed, fp: str, judge: str | None) -> bool:
    """Whether a result has the fingerprint, or is of a judge of that name as it once was."""
    named = judge is not None and sealed.ambient[AMBIENT_HEAD:] == to_key(judge)
    return named or sealed.cell.fp == to_key(fp)


def result_of(identity: int, sealed: Sealed) -> Result | None:
    """A result as it was added; None for what is damaged."""
    body = unpack(sealed.body)
    if body is None:
        return None
    origin, score, inputs, at, ms, extra = body
    fp, ambient = from_key(sealed.cell.fp), from_key(sealed.ambient)
    return Result(identity, fp, origin, score, inputs, ambient, at, ms, extra)
