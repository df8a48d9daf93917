"""What it takes to find cells and to compare them, behind the grid: the screens' second face.

Everything here is asked for while keys are pressed: what takes time is awaited, in a worker or in
a thread.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.facts import FactsOfCases, ReadFacts
from eval_tui.engine.grid import CellKey, Grid, RunInfo
from eval_tui.engine.lenses import Lenses
from eval_tui.engine.threads import in_thread
from eval_tui.scores import Score

if TYPE_CHECKING:
    from eval_tui.engine.baseline import Baseline
    from eval_tui.engine.stored import StoredGrid


BASELINES: Final = "baselines"
"""The folder beside the store that holds them."""


async def _nothing(_: RunInfo, __: CellKey) -> None:
    """There are no other runs."""


class Finding:
    """What cases are about, what was blessed, which filters were saved."""

    def __init__(
        self,
        folder: str | None,
        read: ReadFacts,
        score: Callable[[CellKey], Score | None],
        column: Callable[[RunInfo, Judge], Awaitable[Mapping[str, Score]]],
        stored: Callable[[Sequence[RunInfo]], Awaitable[Mapping[str, StoredGrid]]],
        said: Callable[[RunInfo, CellKey], Awaitable[Score | None]] = _nothing,
    ) -> None:
        """`folder`: where the store is; without one nothing outlives the session."""
        self.facts = FactsOfCases(read)
        self.score = score
        """The score in view with its whole rationale."""
        self.column = column
        """What a judge, as it is now, said in another run, by case."""
        self.stored = stored
        """Whole runs in the same way, by their ids: nothing is judged."""
        self.said = said
        """One score of another run, with its whole rationale."""
        self._folder = folder
        self._lenses = Lenses(folder)
        self._unkept: dict[str, Baseline] = {}
        """Baselines where there is no folder to keep them in."""

    def lenses(self, config: EvalConfig) -> tuple[str, ...]:
        """The saved filters, in the order in which they were saved."""
        return self._lenses.of(_name(config))

    def keep_lens(self, config: EvalConfig, text: str, on: bool) -> None:
        """Save a filter, or forget it. Raises OSError when it cannot be written."""
        self._lenses.keep(_name(config), text, on)

    async def bless(self, config: EvalConfig, grid: Grid, run: str) -> Baseline:
        """Make what the grid holds now the eval's baseline. Raises OSError."""
        from eval_tui.engine.baseline import baseline_of, write_baseline

        name, folder = _name(config), self._folder

        def work() -> Baseline:
            made = baseline_of(grid, run)
            if folder is not None:
                write_baseline(folder, name, made)
            return made

        made = await in_thread(work)
        if folder is None:
            self._unkept[name] = made
        return made

    def drop(self, config: EvalConfig) -> None:
        """Have no baseline any more. Raises OSError."""
        from eval_tui.engine.baseline import drop_baseline

        self._unkept.pop(_name(config), None)
        if self._folder is not None:
            drop_baseline(self._folder, _name(config))

    async def baseline(self, config: EvalConfig, columns: tuple[Judge, ...]) -> Baseline | None:
        """The eval's baseline, if one was blessed and can be read."""
        name, folder = _name(config), self._folder
        if folder is None:
            return self._unkept.get(name)
        if not os.path.isdir(os.path.join(folder, BASELINES)):
            return None
        from eval_tui.engine.baseline import read_baseline

        return await in_thread(lambda: read_baseline(folder, name, columns))


def _name(config: EvalConfig) -> str:
    """What an eval is filed under: a project may be moved."""
    prefix = config.root.rstrip("/") + "/"
    return config.path.removeprefix(prefix)
