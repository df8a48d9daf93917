"""How many cases have which verdict. States are never mixed, and a rate says what it is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from eval_tui.verdicts.evaluate import Cause, Verdict


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Cases by their verdict."""

    passed: int
    failed: int
    not_evaluated: int
    causes: tuple[tuple[Cause, int], ...]
    """Why cases were not evaluated, the most frequent cause first."""
    provisional: int = 0

    @property
    def evaluated(self) -> int:
        return self.passed + self.failed

    @property
    def rate(self) -> float | None:
        """Passes of the evaluated cases; None over nothing."""
        return self.passed / self.evaluated if self.evaluated else None


def count_verdicts(verdicts: Iterable[Verdict]) -> VerdictCounts:
    """The counts of these cases."""
    values: Counter[bool | None] = Counter()
    causes: Counter[Cause] = Counter()
    provisional = 0
    for verdict in verdicts:
        values[verdict.value] += 1
        provisional += verdict.provisional
        if verdict.cause is not None:
            causes[verdict.cause] += 1
    return VerdictCounts(
        values[True], values[False], values[None], tuple(causes.most_common()), provisional
    )
