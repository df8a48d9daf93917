"""A worker's half of the comparison with a baseline run: rendering both orders for a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.record.case import CaseParts, load_case
from eval_tui.record.record import make_record
from eval_tui.record.spec import RecordSpec

if TYPE_CHECKING:
    from eval_tui.judges.model.pairwise import PairwiseJudge
    from eval_tui.judges.model.request import Request


class Comparing:
    """The baseline's side of a comparison, for the life of a worker's generation."""

    def __init__(self, baseline: RecordSpec) -> None:
        self._baseline = baseline
        self._loaded: PairwiseJudge | JudgeUnusable | None = None
        self._case: CaseParts | None = None

    def requests(
        self, judge: Judge, env: JudgeEnv, record: Mapping[str, Any], case: str
    ) -> tuple[Request, ...]:
        """What is asked about a case, whose record is given: two orders, or one of equal sides.

        Raises JudgeUnusable, and what `build_comparison` raises.
        """
        from eval_tui.judges.model.pairwise import build_comparison  # brings Jinja2 along

        loaded = self._load(judge, env)
        self._case = load_case(self._baseline, case)
        parts = self._case.scoped(judge.step) if judge.step else self._case
        first, swapped = build_comparison(loaded, record, make_record(parts, _unobserved))
        return (first,) if first.digest == swapped.digest else (first, swapped)

    def sources(self, case: str) -> set[str]:
        """The baseline's files and folders that were looked at for a case; empty before that."""
        seen = self._case
        return set(seen.disk.looked_at) if seen is not None and seen.case_id == case else set()

    def _load(self, judge: Judge, env: JudgeEnv) -> PairwiseJudge:
        from eval_tui.judges.model.pairwise import load_pairwise

        if self._loaded is None:
            try:
                self._loaded = load_pairwise(judge, env)
            except JudgeUnusable as error:
                self._loaded = error
        if isinstance(self._loaded, JudgeUnusable):
            raise self._loaded
        return self._loaded


def _unobserved(kind: str, key: str, version: str) -> None:
    """What is read of the baseline counts by its files (`sources`), not by its parts."""
