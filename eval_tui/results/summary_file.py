"""`summary.yaml` of a run as it is written: what was scored, merged into what is there (D32)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from eval_tui.atomic import write_whole
from eval_tui.config.schema import PAIRWISE, Judge
from eval_tui.engine.grid import Cell, CellState, Grid
from eval_tui.engine.summary import SUMMARY
from eval_tui.judges.fingerprint import version
from eval_tui.record.recorded_cell import recorded_score
from eval_tui.record.runs import read_run_result
from eval_tui.record.summary_yaml import load_summary, what_is_wrong
from eval_tui.results.aggregate import aggregate
from eval_tui.results.pairwise import pairwise_block
from eval_tui.results.run_metrics import run_metrics
from eval_tui.results.summary_cells import OURS, cell_entry, text
from eval_tui.scores import Score

Entries = Mapping[str, Mapping[str, Any]]
"""Of one case by judge."""

FullScore = Callable[[str, str], Score | None]
"""The score of a cell with its whole rationale."""

_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class CannotWrite(Exception):
    """The summary was not written and what was there is untouched; the text says why."""


@dataclass(frozen=True)
class Scoring:
    """What is to be written about a run."""

    run: str
    judges: tuple[Judge, ...]
    cells: Mapping[str, Entries]
    """By case; a cell that is not in it stays as it is in the file."""
    pairwise: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The comparison with a baseline; empty where nothing was compared."""


def scoring_of(grid: Grid, full: FullScore, run: str, root: str, baseline: str = "") -> Scoring:
    """All of a grid that is to be written; `root` is the project's folder."""
    compared = comparison(grid, full, run, baseline)
    return Scoring(run, grid.columns, dict(all_entries(grid, full, root)), compared)


def all_entries(grid: Grid, full: FullScore, root: str) -> Iterator[tuple[str, Entries]]:
    """The entries of each case that ran, one case at a time: there may be many."""
    versions = {judge.name: version(judge, root) for judge in grid.columns}
    for row in grid.rows:
        if row.status != "not_run":
            yield row.case, _row_entries(grid, row.case, full, versions)


def _row_entries(
    grid: Grid, case: str, full: FullScore, versions: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """The entries of one case. What was recorded before and not judged since is left alone."""
    entries: dict[str, dict[str, Any]] = {}
    for judge in grid.columns:
        cell = grid.cell(case, judge.name)
        if judge.compares or cell.recorded or cell.state is CellState.EMPTY:
            continue
        score = full(case, judge.name) if cell.score is not None else None
        entries[judge.name] = cell_entry(judge, cell, score, versions[judge.name])
    return entries


def comparison(grid: Grid, full: FullScore, run: str, baseline: str) -> dict[str, Any]:
    """The block of a comparison with a baseline; empty where nothing was compared."""
    if not any(judge.compares for judge in grid.columns):
        return {}
    block = pairwise_block({row.case: full(row.case, PAIRWISE) for row in grid.rows}, run, baseline)
    return block if block["cases_compared"] else {}


def write_summary(run_dir: str, scoring: Scoring) -> str:
    """Write the summary of a run; returns its path. Raises CannotWrite.

    Takes its time where the run is large.
    """
    path = os.path.join(run_dir, SUMMARY)
    document = merged(read_existing(path), scoring, run_metrics(read_run_result(run_dir)))
    try:
        write_whole(path, dump(document))
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def read_existing(path: str) -> dict[str, Any]:
    """The document that is there, as plain values; empty where there is none.

    Raises CannotWrite for a file that is no such document: what it holds would be lost.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise CannotWrite(f"{path} is no regular file")
        with open(path, "rb") as file:
            document = load_summary(file.read())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CannotWrite(f"{path} cannot be read: {error.strerror or error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        words, line, _ = what_is_wrong(error)
        raise CannotWrite(f"{path}:{line}: {words}; {_UNTOUCHED}") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise CannotWrite(f"{path} holds no mapping; {_UNTOUCHED}")
    plain = cast("dict[str, Any]", document)
    for name, part in _parts(plain):
        if not isinstance(part, dict):
            raise CannotWrite(f"{path}: `{name}` is no mapping; {_UNTOUCHED}")
    return plain


_UNTOUCHED = "what it holds is not written over: repair it or move it away"


def _parts(document: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """The parts that are merged into, if they are there."""
    for name in ("judges", "per_case", "run_metrics"):
        part = cast("object", document.get(name))
        if part is None:
            continue
        yield name, part
        if name == "per_case" and isinstance(part, dict):
            for case, row in cast("dict[str, object]", part).items():
                if row is not None:
                    yield f"{name}.{case}", row


def merged(
    document: Mapping[str, Any], scoring: Scoring, metrics: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The document with what was scored in it; all else that it holds stays. Pure."""
    per_case: dict[str, Any] = dict(document.get("per_case") or {})
    for case, entries in scoring.cells.items():
        if entries and text(case) == case:  # else no file in UTF-8 can name it
            per_case[case] = _merged_row(per_case.get(case) or {}, entries)
    judges: dict[str, Any] = dict(document.get("judges") or {})
    for judge in scoring.judges:
        if not judge.compares:
            old: object = judges.get(judge.name)
            kept = cast("dict[str, Any]", old) if isinstance(old, dict) else {}
            judges[judge.name] = _figures(judge.name, per_case, kept)
    plain = {"run_id": scoring.run, **document}
    plain |= {"run_id": scoring.run, "judges": judges, "per_case": per_case}
    if metrics:
        plain["run_metrics"] = {**(document.get("run_metrics") or {}), **metrics}
    if scoring.pairwise:
        plain["pairwise"] = _clean(dict(scoring.pairwise))
    return plain


def _merged_row(before: Mapping[str, Any], entries: Entries) -> dict[str, Any]:
    row = dict(before)
    for judge, entry in entries.items():
        old: object = row.get(judge)
        kept = cast("dict[str, Any]", old) if isinstance(old, dict) else {}
        row[judge] = {**entry, **{key: kept[key] for key in kept.keys() - OURS}}
    return row


def _figures(
    judge: str, per_case: Mapping[str, Mapping[str, Any] | None], before: Mapping[str, Any]
) -> dict[str, Any]:
    """A judge's figures over all of its cells that the document holds."""
    entries = [row[judge] for row in per_case.values() if row and judge in row]
    found = aggregate(Cell(CellState.FRESH, recorded_score(entry)) for entry in entries)
    plain = {key: value for key, value in before.items() if key != "stability"}
    plain |= {
        "mean": found.mean,
        "pass_rate": found.pass_rate,
        "scored_cases": found.measured,
        "errored_cases": found.total - found.measured,
    }
    return plain | _stability(entries)


def _stability(entries: Sequence[Any]) -> dict[str, Any]:
    """How many of the sampled cells that have a value are stable; empty without any."""
    found = [
        cast("dict[str, Any]", entry["stability"])
        for entry in entries
        if isinstance(entry, dict)
        and cast("dict[str, Any]", entry).get("value") is not None
        and isinstance(cast("dict[str, Any]", entry).get("stability"), dict)
    ]
    if not found:
        return {}
    stable = sum(one.get("stable") is True for one in found)
    return {
        "stability": {
            "samples": found[0].get("samples"),
            "stable_cases": stable,
            "total_cases": len(found),
        }
    }


def _clean(value: Any) -> Any:
    """Plain values whose texts UTF-8 can hold."""
    match value:
        case str():
            return text(value)
        case dict():
            plain = cast("dict[str, Any]", value)
            return {text(key): _clean(item) for key, item in plain.items()}
        case list():
            return [_clean(item) for item in cast("list[Any]", value)]
        case _:
            return value


def dump(document: Mapping[str, Any]) -> str:
    """The document as YAML of plain types."""
    write = cast("Callable[..., str]", yaml.dump)  # pyright: ignore[reportUnknownMemberType]
    return write(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
