"""The columns of a document: graders, then judges with their criteria folded (7.4)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from eval_tui.config.schema import Criterion, Grader, Judge, Metric
from eval_tui.imports.scores import Address, Entry, as_boolean
from eval_tui.judges.graders.contract import column_score
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from eval_tui.verdicts.producers import Producer

NO_OVERALL = Unmeasured(
    Reason.MISSING_EVIDENCE, "the document has criteria of this judge and no overall score"
)


@dataclass
class Column:
    """One grader or judge over all cases."""

    address: Address
    parts: dict[str, bool] = field(default_factory=dict[str, bool])
    """Its metrics or criteria, in the order of their first scores, and whether each is pass or fail."""
    metrics: dict[str, None] = field(default_factory=dict[str, None])
    """The full names of its metrics."""

    measured: set[str] = field(default_factory=set[str])
    """Those of `parts` that were measured in any case."""

    def add(self, entry: Entry) -> None:
        if isinstance(entry.score, Measured):
            self.measured.add(entry.part)
        yes_or_no = as_boolean(entry.score) is not None
        self.parts[entry.part] = self.parts.get(entry.part, True) and yes_or_no
        self.metrics[entry.row.metric] = None

    @cached_property
    def own(self) -> tuple[str, ...]:
        """What the column unfolds to; a failure of the whole grader is no metric of it.

        Asked for when all rows were added.
        """
        failure = {self.address.name} - self.measured if len(self.parts) > 1 else set[str]()
        return tuple(part for part in self.parts if part and part not in failure)

    @cached_property
    def _leading(self) -> Grader:
        """A spec whose first metric is the one that stands for the column."""
        first = "" if self.address.judge else self.own[0] if self.own else ""
        return Grader("", metrics=(Metric(first),))

    def judge(self, name: str) -> Judge:
        """As the screens know columns."""
        if self.address.judge:
            criteria = tuple(Criterion(part) for part in self.own)
            return Judge(name, "code", score_range=(0.0, 1.0), criteria=criteria)
        metrics = tuple(Metric(part) for part in self.own)
        return Judge(name, "grader", grader=Grader(self.address.name, metrics=metrics))

    def producer(self, name: str) -> Producer:
        return Producer(name, tuple(self.metrics), None)

    def score(self, entries: Sequence[Entry]) -> Score:
        """The score of a case's cell from its rows; several of one metric must all pass."""
        rows = [(entry.part, self._read(entry)) for entry in entries]
        shown = self.own if self.address.judge or len(self.own) > 1 else ()
        if len(rows) == 1 and rows[0][0] not in shown:
            return rows[0][1]
        if self.address.judge and all(part for part, _ in rows):
            rows.insert(0, ("", NO_OVERALL))
        found = column_score(rows, self._leading)
        parts = {part: found.parts[part] for part in shown if part in found.parts}
        return dataclasses.replace(found, parts=parts)

    def _read(self, entry: Entry) -> Score:
        score = entry.score
        if self.parts[entry.part] and isinstance(score, Measured):
            return as_boolean(score) or score
        return score


def columns_of(cases: Iterable[Sequence[Entry]]) -> Mapping[Address, Column]:
    """The columns in their order: graders, then judges, each as they come."""
    found: dict[Address, Column] = {}
    for entries in cases:
        for entry in entries:
            found.setdefault(entry.address, Column(entry.address)).add(entry)
    return dict(sorted(found.items(), key=lambda pair: pair[0].judge))


def column_names(addresses: Iterable[Address]) -> dict[Address, str]:
    """A name for each column; a judge that has the name of a grader keeps its family's."""
    chosen = list(addresses)
    graders = {one.name for one in chosen if not one.judge}
    return {
        one: f"judge:{one.name}" if one.judge and one.name in graders else one.name
        for one in chosen
    }
