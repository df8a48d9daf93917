"""What writing the scores of a run would do to the `summary.yaml` that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from eval_tui.record.recorded_cell import recorded_score
from eval_tui.results.summary_file import Scoring
from eval_tui.results.words import count
from eval_tui.scores import same_value

_OURS: Final = frozenset({"run_id", "judges", "per_case", "run_metrics", "pairwise"})
"""Parts of the document that are written."""


@dataclass(frozen=True, slots=True)
class SummaryChange:
    """Cells of the document, by what becomes of them."""

    other: int
    """Get another value."""
    same: int
    """Keep their value, with the reason that is known here."""
    added: int
    kept: int
    """Are not touched: nobody judged them here."""
    names: tuple[str, ...]
    """Other parts of the document, which stay."""

    @property
    def words(self) -> str:
        """Two sentences: what is replaced or added, and what stays. Names are raw."""
        written = [
            f"{self.other:,} get another value" if self.other else "",
            f"{self.same:,} keep theirs" if self.same else "",
            f"{self.added:,} are new" if self.added else "",
        ]
        stays = [f"{count(self.kept, 'cell')} not judged here"] if self.kept else []
        stays += [f"`{name}`" for name in self.names]
        told = f"{count(self.other + self.same + self.added, 'cell')} would be written"
        told += f": {', '.join(filter(None, written))}."
        return f"{told}\nWhat stays: {', '.join(stays)}." if stays else told


def summary_change(document: Mapping[str, Any], scoring: Scoring) -> SummaryChange:
    """Compare the document with what is to be written; both are left alone."""
    there, new = _cells(document.get("per_case") or {}), _cells(scoring.cells)
    both = there.keys() & new.keys()
    same = sum(same_value(recorded_score(there[cell]), recorded_score(new[cell])) for cell in both)
    return SummaryChange(
        other=len(both) - same,
        same=same,
        added=len(new) - len(both),
        kept=len(there) - len(both),
        names=tuple(str(name) for name in document if name not in _OURS),
    )


def _cells(per_case: Mapping[str, Mapping[str, Any] | None]) -> dict[tuple[str, str], Any]:
    return {
        (case, judge): entry
        for case, row in per_case.items()
        for judge, entry in (row or {}).items()
    }
