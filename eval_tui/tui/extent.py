"""How wide the values of a column are, of one run or of two side by side: pure functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.cells import cell_len

from eval_tui.tui.marks import Mark


@dataclass(frozen=True, slots=True)
class Extent:
    """The room that the values of a column need, in cells."""

    field: int = 1
    """Of what is measured, aligned at its right end."""
    suffix: int = 0
    """What follows it."""
    other: int = 1
    """Of what is not measured."""

    def with_(self, shown: Mark, measured: bool) -> Extent:
        """Wide enough for this mark too."""
        size = cell_len(shown.field)
        if not measured:
            return replace(self, other=max(self.other, size))
        suffix = max(self.suffix, cell_len(shown.suffix))
        return replace(self, field=max(self.field, size), suffix=suffix)

    @property
    def width(self) -> int:
        return max(self.field + self.suffix, self.other)


class Then(NamedTuple):
    """The room of the values of another run, in front of those of the run in view, in cells."""

    width: int
    field: int
    """Width to whose right end they are aligned."""
