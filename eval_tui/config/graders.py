"""`graders:`: one entry -> one column, beside the judges (D37, D38)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

from eval_tui.config.decoding import decode
from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.grader_spec import Spec, read_spec
from eval_tui.config.paths import Base, first_existing
from eval_tui.config.plain import as_list, as_mapping
from eval_tui.config.positions import Keys, Place
from eval_tui.config.schema import Grader, Judge
from eval_tui.config.section import Report, Section, kind_of
from eval_tui.config.yaml_nodes import read_yaml

MAX_FILE = 4_000_000
"""Bytes above which a file of graders is taken for a mistake."""


@dataclasses.dataclass(frozen=True)
class GraderList:
    """The entries of `graders:`, in file order."""

    columns: tuple[Judge, ...] = ()
    unique: bool = True
    """False when two columns have one name, which makes the config unusable (D3)."""


def grader_bases(root: str, config_dir: str) -> list[str]:
    """Where files that graders name are looked for: the config's folder, then the root (D39)."""
    return list(dict.fromkeys([config_dir, root]))


def read_graders(top: Section, base: Base, judges: Collection[str]) -> GraderList:
    """All entries; one that cannot be used carries its `problem`. `judges` are names in use."""
    columns: dict[str, Judge] = {}
    unique = True
    for entry in _entries(top, base):
        section, judge = _read_entry(*entry)
        if judge.name in columns or judge.name in judges:
            unique = False
            what = "grader" if judge.name in columns else "judge"
            message = f"another {what} is called `{judge.name}` too"
            hint = "give one of them another name (for commands and scripts: `id` in `config`)"
            section.error("id", "duplicate-grader", message, hint)
        else:
            columns[judge.name] = judge
    return GraderList(tuple(columns.values()), unique)


def contested(judges: Sequence[Judge]) -> frozenset[str]:
    """Metrics that several specs declare, and not in the same way: none of them decides (D38)."""
    found: dict[str, set[tuple[object, object]]] = {}
    for judge in judges:
        for metric in judge.grader.metrics if judge.grader is not None else ():
            found.setdefault(metric.id, set()).add((metric.authority, metric.direction))
    return frozenset(name for name, ways in found.items() if len(ways) > 1)


def metric_names(judges: Sequence[Judge]) -> tuple[str, ...]:
    """The metrics that the config's graders declare, each once."""
    specs = [judge.grader for judge in judges if judge.grader is not None]
    return tuple(dict.fromkeys(metric.id for spec in specs for metric in spec.metrics))


_Entry = tuple[Report, object, Keys]
"""An entry, and the report and the way to it in the document that it stands in."""


def _entries(top: Section, base: Base) -> Iterator[_Entry]:
    """The entries with their places: inline, or from the file that `graders` names."""
    value = top.get("graders")
    if isinstance(value, str) and value.strip():
        yield from _from_file(top, base, value.strip())
        return
    if top.has("graders") and value is None:
        top.error(
            "graders", "graders-not-list", "`graders` has no entries", "add one, or remove it"
        )
    yield from _items(top)


def _items(section: Section) -> Iterator[_Entry]:
    for index, item in enumerate(section.items("graders", "graders-not-list")):
        yield section.report, item, (*section.keys, "graders", index)


def _from_file(top: Section, base: Base, name: str) -> Iterator[_Entry]:
    """The entries of a YAML or JSON file: a list of specs, or a mapping with `graders`."""
    found = first_existing(name, grader_bases(base.root, base.config_dir))
    top.report.looked_for.extend(found.missing)
    if not found.path:
        top.error("graders", "graders-missing", f"there is no file `{name}`")
        return
    top.report.looked_for.append(found.path)
    try:
        source = read_file(found.path, MAX_FILE)
    except UnreadableFile as error:
        top.error("graders", "graders-unreadable", f"`{name}` cannot be read: {error}")
        return
    report, value = _read_document(top.report, source, found.path)
    mapping = as_mapping(value)
    if mapping is not None and "graders" in mapping:
        yield from _items(Section(report, mapping, ()))
    elif (items := as_list(value)) is not None:
        for index, item in enumerate(items):
            yield report, item, (index,)
    elif not any(p.code == "not-yaml" and p.file == found.path for p in report.problems):
        message = f"`{name}` must hold a list of graders, not {kind_of(value)}"
        top.error("graders", "graders-not-list", message)


def _read_document(report: Report, source: bytes, path: str) -> tuple[Report, object]:
    text: bytes | str = source
    if path.endswith(".json"):  # tabs, which JSON may be indented with, are refused by YAML
        text = decode(source).text.replace("\t", " ")
    document = read_yaml(text, path)
    report.problems.extend(document.problems)
    own = Report(path, document.positions, report.problems, report.looked_for)
    return own, document.value


def _read_entry(report: Report, item: object, keys: Keys) -> tuple[Section, Judge]:
    before = len(report.problems)
    mapping = as_mapping(item)
    nameless = f"grader #{cast('int', keys[-1]) + 1}"
    entry = Section(report, mapping or {}, keys, nameless)
    line = entry.place().line
    if mapping is None:
        message = f"a grader must be a mapping, not {kind_of(item)}"
        entry.error(None, "grader-not-mapping", message, "e.g. `- {id: cost}`")
        return entry, Judge(nameless, "grader", line=line, problem=report.problems[-1])
    spec = read_spec(entry)
    entry = dataclasses.replace(entry, judge=spec.name or nameless)
    judge = Judge(
        entry.judge or nameless,
        "grader",
        condition=spec.condition,
        grader=spec.grader,
        auto=entry.flag("auto", True),
        cache=entry.flag("cache", True),
        line=line,
    )
    errors = report.errors_since(before)
    if errors:
        return entry, dataclasses.replace(judge, problem=errors[0])
    return entry, _not_here(entry, judge, spec) if spec.elsewhere else judge


def _not_here(entry: Section, judge: Judge, spec: Spec) -> Judge:
    """A known id that needs what there is not: a column that says so."""
    message = f"`{spec.grader.id}` cannot be graded here: {spec.elsewhere}"
    entry.warn("id", "grader-not-here", message)
    return dataclasses.replace(judge, problem=entry.report.problems[-1])


def with_owners(report: Report, columns: tuple[Judge, ...]) -> tuple[Judge, ...]:
    """The columns, each grader with the metrics that belong to others (D38)."""
    owners = Counter(
        metric.id for judge in columns if judge.grader for metric in judge.grader.metrics
    )
    _tell_contested(report, columns, owners)
    return tuple(
        dataclasses.replace(judge, grader=_without_own(judge.grader, owners))
        if judge.grader is not None
        else judge
        for judge in columns
    )


def _without_own(grader: Grader, owners: Mapping[str, int]) -> Grader:
    own = {metric.id for metric in grader.metrics}
    return dataclasses.replace(grader, foreign=tuple(sorted(owners.keys() - own)))


def _tell_contested(report: Report, columns: tuple[Judge, ...], owners: Mapping[str, int]) -> None:
    apart = contested(columns)
    for judge in columns:
        for metric in judge.grader.metrics if judge.grader is not None else ():
            if owners[metric.id] < 2:
                continue
            place = Place(judge.line, 0)
            how = "differently" if metric.id in apart else "as well"
            message = f"another grader declares the metric `{metric.id}` {how}"
            if metric.id in apart:
                message += ", so it decides nothing"
            hint = "a metric belongs to one spec"
            code = "metric-declared-twice"
            severity = "error" if metric.id in apart else "warning"
            report.add(severity, code, message, place, judge=judge.name, hint=hint)
