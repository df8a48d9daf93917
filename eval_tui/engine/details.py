"""Everything about one cell, put into words for the drill-down."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from eval_tui.engine import answers
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.entries import Inputs, Result
from eval_tui.engine.grid import CellKey, Detail, PastScore, Read
from eval_tui.engine.looks import checked_score
from eval_tui.engine.paid import paid_from
from eval_tui.scores import Score, from_plain

if TYPE_CHECKING:
    from eval_tui.engine.session import Session

HISTORY = 10
"""How many earlier scores the drill-down lists."""
OLDER_WORDING = (
    "asked in an older wording of eval-tui's own text around the prompt; rerun the cell to ask anew"
)
"""Why a verdict is marked as stale although nothing of yours has changed (D49)."""
OTHER_VERSION = "recorded by another version of this judge"
"""Why what `summary.yaml` holds is marked as stale."""

_RECORD_WORDS = {
    "value": "{key}",
    "present": "whether `{key}` is there",
    "absent": "`{key}` (not there)",
    "why": "why `{key}` is not there",
    "keys": "the list of keys",
    "file": "file {key}",
    "file+": "whether file {key} is there",
    "file-": "file {key} (not there)",
    "files": "the list of files",
    "ann": "annotation {key}",
    "ann+": "whether annotation {key} is there",
    "ann-": "annotation {key} (not there)",
    "anns": "the list of annotations",
    "case_dir": "the case folder: everything in it counts",
    "open": "opened {key}",
    "list": "listed {key}",
    "list+": "listed {key} with sizes and times",
    "exists": "whether {key} exists",
    "stat": "size and time of {key}",
    "link": "where {key} leads",
    "module": "module {key}",
    "env": "environment variable {key}",
    "given": "environment variable {key}",
    "opaque": "everything in the case folder (see below)",
    "request": "what the model was asked",
    "python": "the interpreter",
}
_PATHS = frozenset({"open", "list", "list+", "exists", "stat", "link", "module"})


def words(kind: str, key: str, root: str, case_dir: str) -> str:
    """An observation in words; paths are shown relative to the case or the project."""
    if kind in _PATHS:
        for base in (case_dir, root):
            if base and key.startswith(base + os.sep):
                key = key[len(base) + 1 :]
                break
    return _RECORD_WORDS.get(kind, kind + " {key}").format(key=key)


def detail(session: Session, key: CellKey) -> Detail:
    """See `Session.detail`. Never raises for a cell that is not there."""
    cell = session.cell(key.case, key.judge)
    info = session.infos.get(key)
    recorded = session.recorded(key)
    if info is None:
        return Detail(key, cell, cell.score, recorded)
    result = session.store.result(info.result) if info.result else None
    if result is None or not (info.known or cell.recorded):
        conditions = _reads(session, key, info.cond, ())
        score = full_score(session, key)
        notes = _asked_notes(session, key, info, None)
        return Detail(key, cell, score, recorded, (), conditions, info.trigger, notes=notes)
    ambient = session.dependencies.inputs(info.ambient) if info.known else []
    extra = result.extra
    return Detail(
        key,
        cell,
        full_score(session, key),
        recorded,
        reads=_reads(session, key, [*result.inputs, *ambient], info.changed),
        condition_reads=_reads(session, key, info.cond, ()),
        trigger=info.trigger,
        at=result.at,
        duration_s=None if result.ms is None else result.ms / 1000,
        output=extra.get("out", ""),
        notes=(*extra.get("notes", ()), *_asked_notes(session, key, info, result)),
        opaque=tuple(extra.get("opaque", ())),
        reused=info.reused,
        paid=paid_from(extra),
        history=_history(session, key, info, result),
    )


def _asked_notes(
    session: Session, key: CellKey, info: CellInfo, result: Result | None
) -> tuple[str, ...]:
    """What the person should know of how a model was asked for the value in view."""
    notes = [info.note] if info.note else []
    if info.older:
        notes.append(OLDER_WORDING)
    if key in session.target.outdated and session.cell(*key).recorded:
        notes.append(OTHER_VERSION)
    pause = answers.pause_after(result) if result is not None else None
    if pause is not None and session.queue.is_due(key):
        notes.append(f"asked again by itself, {pause:g} s after it failed")
    return tuple(notes)


def full_score(session: Session, key: CellKey) -> Score | None:
    """The score in view with its whole rationale, from the store where the grid has it cut."""
    cell, info = session.cell(key.case, key.judge), session.infos.get(key)
    if info is None or cell.recorded or cell.score is None or not info.known or not info.result:
        return cell.score
    result = session.store.result(info.result)
    if result is None:
        return cell.score
    return checked_score(from_plain(dict(result.score)), session.judge(key.judge))


def _reads(
    session: Session, key: CellKey, inputs: Inputs, changed: tuple[str, ...]
) -> tuple[Read, ...]:
    config = session.target.config
    root = config.root if config else ""
    case_dir = os.path.join(session.run_key, "cases", key.case)
    marked = set(changed)
    reads = {
        Read(words(kind, name, root, case_dir), f"{kind} {name}" in marked): None
        for kind, name, _ in inputs
        if kind != "python"
    }
    return tuple(reads)


def _history(session: Session, key: CellKey, info: CellInfo, now: Result) -> tuple[PastScore, ...]:
    """Other results of the judge on this case, also those from before the judge was edited."""
    judge = session.judge(key.judge)
    found = session.store.results(session.run_key, key.case, info.fp, key.judge)
    return tuple(
        # Today's scale is not what the judge promised before it was edited.
        PastScore(checked_score(score, judge) if old.fp == info.fp else score, old.at)
        for old in found[: HISTORY + 1]
        if old.id != now.id and (score := from_plain(dict(old.score)))
    )
