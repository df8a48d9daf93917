"""Graders that single cases declare: `graders:` in their `annotations.yaml` (D37).

Each name is a column. What a case's spec says is read with the case, when it is graded; here only
the names are gathered, and what is wrong with the specs.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.grader_kinds import RESERVED
from eval_tui.config.grader_spec import Spec, read_spec
from eval_tui.config.plain import as_mapping
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Grader, Judge, Metric
from eval_tui.config.section import Report, Section
from eval_tui.config.thresholds import no_judge_words
from eval_tui.config.yaml_nodes import read_yaml

ANNOTATIONS = "annotations.yaml"
MAX_FILE = 1_000_000
"""Bytes of annotations above which no graders are looked for."""

_Signature = tuple[int, int, int]


@dataclass(frozen=True)
class CaseGraders:
    """What the cases of a dataset declare."""

    metrics: tuple[tuple[str, tuple[Metric, ...]], ...] = ()
    """Name of a column -> the metrics that its specs declare, in the order of the cases; one that
    they declare differently stands there in each way."""
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
        metrics: dict[str, dict[Metric, None]] = {}
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
                own.update((_of_cases(metric), None) for metric in spec.grader.metrics)
        named = tuple((name, tuple(own)) for name, own in metrics.items())
        return CaseGraders(named, tuple(problems))


def with_case_graders(config: EvalConfig, found: CaseGraders) -> EvalConfig:
    """The config with the columns that its cases declare.

    A name that the config's own graders have stands for their spec in all other cases. What the
    config declares as ground truth belongs to its own spec alone: that is what somebody accepted.
    """
    if not (found.metrics or found.problems):
        return config
    named = {name for name, _ in found.metrics} | {m.id for _, own in found.metrics for m in own}
    absent = {no_judge_words(name) for name in named}
    problems = [one for one in config.problems if one.message not in absent]
    problems += found.problems
    graders = [judge.grader for judge in config.judges if judge.grader is not None]
    declared = {metric.id for grader in graders for metric in grader.metrics}
    truth = {m.id for g in graders for m in g.metrics if m.authority == "ground_truth"}
    known = {judge.name: judge for judge in config.judges}
    own: dict[str, Judge] = {}
    for name, said in found.metrics:
        new = Judge(name, "grader", grader=Grader("", foreign=tuple(declared)))
        judge = known.get(name, new)
        if judge.grader is not None and judge.problem is None:
            metrics = _together(judge.grader.metrics, said, truth)
            own[name] = replace(judge, grader=replace(judge.grader, metrics=metrics, per_case=True))
            problems += _told_apart(name, metrics)
        elif judge.grader is None:
            message = f"cases declare a grader `{name}`, which is the name of a judge"
            hint = "give the grader another name: `id` in its `config`"
            problems.append(Problem("error", "duplicate-grader", message, judge=name, hint=hint))
    columns = [own.pop(judge.name, judge) for judge in config.judges]
    judges = _with_owners((*columns, *own.values()))
    return replace(config, judges=judges, problems=tuple(problems))


def _with_owners(columns: tuple[Judge, ...]) -> tuple[Judge, ...]:
    """The columns, none of which may emit what cases declare for another one."""
    declared = {
        metric.id
        for judge in columns
        for metric in (judge.grader.metrics if judge.grader else ())
        if metric.of_cases and metric.id not in RESERVED
    }
    return tuple(
        replace(judge, grader=_without(judge.grader, declared)) if judge.grader else judge
        for judge in columns
    )


def _without(grader: Grader, others: Collection[str]) -> Grader:
    """The grader, which may emit none of these metrics that it does not declare itself."""
    foreign = {*grader.foreign, *others} - {metric.id for metric in grader.metrics}
    return replace(grader, foreign=tuple(sorted(foreign)))


def _of_cases(metric: Metric) -> Metric:
    """A case's declaration in the column; its pass mark counts for the case alone."""
    return replace(metric, of_cases=True, pass_if="")


def _together(
    own: tuple[Metric, ...], of_cases: Iterable[Metric], truth: Collection[str]
) -> tuple[Metric, ...]:
    """The config's declarations and what those of cases add, or say otherwise.

    A case that only names a metric says nothing against who declares it.
    """
    found = {(metric.id, metric.authority, metric.direction): metric for metric in own}
    others = [metric for metric in of_cases if metric.id not in truth]
    for metric in sorted(others, key=lambda one: (one.authority, one.direction) == (None, None)):
        bare = (metric.authority, metric.direction) == (None, None)
        if not (bare and any(metric.id == name for name, *_ in found)):
            found.setdefault((metric.id, metric.authority, metric.direction), metric)
    return tuple(found.values())


def _told_apart(name: str, metrics: Iterable[Metric]) -> Iterator[Problem]:
    """Metrics that one column has in several ways: none of them decides (D38)."""
    for metric, times in Counter(one.id for one in metrics).items():
        if times > 1:
            message = f"cases declare the metric `{metric}` differently, so it decides nothing"
            hint = "give it the same `authority` and `direction` wherever it is declared"
            yield Problem("error", "metric-declared-twice", message, judge=name, hint=hint)


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
    for spec in specs:
        _tell_truth(spec, top)
    return tuple(spec for spec in specs if spec.name), tuple(report.problems)


def _tell_truth(spec: Spec, top: Section) -> None:
    """A case's own files cannot say what is ground truth: there nobody would review it (D42)."""
    for metric in spec.grader.metrics:
        if metric.authority == "ground_truth":
            message = (
                f"`{spec.name}` declares the ground truth `{metric.id}` for a single case, where"
                " nobody can accept it: the case is not evaluated"
            )
            top.warn("graders", "case-ground-truth", message, "declare the grader in the config")
