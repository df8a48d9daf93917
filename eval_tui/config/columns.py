"""The columns of an eval: its judges and graders, and those of files chosen when scoring (D52)."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.graders import read_graders, with_owners
from eval_tui.config.judges import JudgeContext, read_judges
from eval_tui.config.plain import as_mapping
from eval_tui.config.positions import NOWHERE, Place
from eval_tui.config.schema import Judge
from eval_tui.config.section import Report, Section, kind_of
from eval_tui.config.yaml_nodes import read_yaml

MAX_FILE = 16_000_000
"""Bytes above which a file of judges is taken for anything else."""

_KEYS = ("judges", "graders")


@dataclass(frozen=True)
class Columns:
    """Judges in file order, then graders; then those of each further file."""

    columns: tuple[Judge, ...]
    pairwise: tuple[Judge, ...]
    unique: bool
    """False when two columns have one name, which makes the config unusable (D3)."""


def read_columns(top: Section, context: JudgeContext, files: Sequence[str]) -> Columns:
    """The columns of a config and of `files` (absolute paths), which are merged with it and never
    written into it."""
    found = _of_document(top, context, ())
    columns, pairwise, unique = found.columns, found.pairwise, found.unique
    for path in files:
        section = _open(top.report, path)
        if section is None:
            continue
        more = _of_document(section, context, [judge.name for judge in columns])
        columns += tuple(replace(judge, file=path) for judge in more.columns)
        pairwise += tuple(replace(judge, file=path) for judge in more.pairwise)
        unique = unique and more.unique
    return Columns(with_owners(top.report, columns), pairwise, unique)


def _of_document(top: Section, context: JudgeContext, taken: Collection[str]) -> Columns:
    judges = read_judges(top, context)
    own = [judge.name for judge in judges.columns]
    graders = read_graders(top, context.base, [*taken, *own])
    for judge in judges.columns:
        if judge.name in taken:
            message = f"the config has a judge or grader called `{judge.name}` already"
            hint = "give one of them another name"
            place = Place(judge.line, 0)
            top.report.add("error", "duplicate-judge", message, place, judge=judge.name, hint=hint)
    unique = judges.unique and graders.unique and not set(own) & set(taken)
    return Columns((*judges.columns, *graders.columns), judges.pairwise, unique)


def _open(report: Report, path: str) -> Section | None:
    """The top of a file with judges; None, with a problem, when it is none."""
    report.looked_for.append(path)
    own = Report(path, report.positions, report.problems, report.looked_for)
    try:
        source = read_file(path, MAX_FILE)
    except UnreadableFile as error:
        message = f"the file of judges cannot be read: {error}"
        own.add("error", "judges-file-unreadable", message, NOWHERE)
        return None
    document = read_yaml(source, path)
    own.positions = document.positions
    own.problems.extend(document.problems)
    mapping = as_mapping(document.value)
    if mapping is None or not any(key in mapping for key in _KEYS):
        if document.readable:
            what = "no `judges:` and no `graders:`" if mapping else kind_of(document.value)
            message = f"{os.path.basename(path)} must hold `judges:` or `graders:`; it holds {what}"
            own.add("error", "judges-file-empty", message, document.positions.value(()))
        return None
    section = Section(own, mapping, ())
    section.note_unknown(_KEYS)
    return section
