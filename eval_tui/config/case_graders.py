"""Graders that single cases declare: `graders:` in their `annotations.yaml` (D37).

Each name is a column. What a case's spec says is read with the case, when it is graded; here only
the names are gathered, and what is wrong with the specs.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.grader_spec import Spec, read_spec
from eval_tui.config.plain import as_mapping
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Grader, Judge, Metric
from eval_tui.config.section import Report, Section
from eval_tui.config.yaml_nodes import read_yaml

ANNOTATIONS = "annotations.yaml"
MAX_FILE = 1_000_000
"""Bytes of annotations above which no graders are looked for."""

_Signature = tuple[int, int, int]


@dataclass(frozen=True)
class CaseGraders:
    """What the cases of a dataset declare."""

    metrics: tuple[tuple[str, tuple[Metric, ...]], ...] = ()
    """Name of a column -> the metrics that its specs declare, in the order of the cases."""
    problems: tuple[Problem, ...] = ()


@dataclass
class CaseGraderScan:
    """Looks at a dataset's annotations; files that did not change are not read again."""

    _known: dict[str, tuple[_Signature, tuple[Spec, ...], tuple[Problem, ...]]] = field(
        default_factory=dict[str, "tuple[_Signature, tuple[Spec, ...], tuple[Problem, ...]]"]
    )

    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self, dataset: str) -> CaseGraders:
        """What the cases of a dataset folder declare now. Never raises; threads may ask."""
        with self._lock:
            return self._look(dataset)

    def _look(self, dataset: str) -> CaseGraders:
        metrics: dict[str, dict[str, Metric]] = {}
        problems: list[Problem] = []
        known, self._known = self._known, {}
        for path, signature in _annotation_files(dataset):
            found = known.get(path)
            if found is None or found[0] != signature:
                found = (signature, *_read(path))
            self._known[path] = found
            problems.extend(found[2])
            for spec in found[1]:
                own = metrics.setdefault(spec.name, {})
                own.update((metric.id, metric) for metric in spec.grader.metrics)
        named = tuple((name, tuple(own.values())) for name, own in metrics.items())
        return CaseGraders(named, tuple(problems))


def with_case_graders(config: EvalConfig, found: CaseGraders) -> EvalConfig:
    """The config with the columns that its cases declare.

    A name that the config's own graders have stands for their spec in all other cases.
    """
    if not (found.metrics or found.problems):
        return config
    names = dict(found.metrics)
    columns = [
        replace(judge, grader=replace(judge.grader, per_case=True))
        if judge.grader is not None and judge.name in names and judge.problem is None
        else judge
        for judge in config.judges
    ]
    taken = {judge.name for judge in columns}
    own = {m.id for judge in columns if judge.grader for m in judge.grader.metrics}
    problems = [*config.problems, *found.problems]
    for name, metrics in found.metrics:
        if name not in taken:
            foreign = tuple(sorted(own - {metric.id for metric in metrics}))
            grader = Grader("", {}, metrics, foreign, per_case=True)
            columns.append(Judge(name, "grader", grader=grader))
        elif not any(judge.name == name and judge.grader for judge in columns):
            message = f"cases declare a grader `{name}`, which is the name of a judge"
            hint = "give the grader another name: `id` in its `config`"
            problems.append(Problem("error", "duplicate-grader", message, judge=name, hint=hint))
    return replace(config, judges=tuple(columns), problems=tuple(problems))


def _annotation_files(dataset: str) -> Iterator[tuple[str, _Signature]]:
    """The annotations of each case folder, in order, with a signature of the file."""
    if not dataset:
        return
    try:
        names = sorted(os.listdir(dataset))
    except OSError:
        return
    for name in names:
        if name.startswith("."):
            continue
        path = os.path.join(dataset, name, ANNOTATIONS)
        try:
            info = os.stat(path)
        except OSError:
            continue
        yield path, (info.st_size, info.st_mtime_ns, info.st_ino)


def _read(path: str) -> tuple[tuple[Spec, ...], tuple[Problem, ...]]:
    try:
        source = read_file(path, MAX_FILE)
    except UnreadableFile:
        return (), ()
    if b"graders" not in source:
        return (), ()
    document = read_yaml(source, path)
    values = as_mapping(document.value)
    if values is None or "graders" not in values:
        return (), ()
    report = Report(path, document.positions)
    top = Section(report, values, ())
    specs = [read_spec(entry) for entry in top.sections("graders", "grader-not-mapping")]
    return tuple(_without_truth(spec, top) for spec in specs if spec.name), tuple(report.problems)


def _without_truth(spec: Spec, top: Section) -> Spec:
    """A case's own files cannot say what is ground truth: nobody could review that (D42)."""
    if all(metric.authority != "ground_truth" for metric in spec.grader.metrics):
        return spec
    message = f"`{spec.name}` cannot declare ground truth for a single case; it is measured only"
    top.warn("graders", "case-ground-truth", message, "declare the grader in the config")
    metrics = tuple(
        replace(one, authority=None) if one.authority == "ground_truth" else one
        for one in spec.grader.metrics
    )
    return replace(spec, grader=replace(spec.grader, metrics=metrics))
