"""The evals of the project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final

from textual.content import Content

from eval_tui.engine.grid import Dirty, EvalInfo
from eval_tui.engine.threads import in_thread
from eval_tui.results.evals import stored_summary
from eval_tui.tui.face import Driver
from eval_tui.tui.opening import open_eval
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, fit, one_line, widest
from eval_tui.tui.words import plural

NAME_MOST: Final = 40
"""Cells that a name takes at most."""


class EvalsScreen(ListScreen):
    """Choose an eval."""

    HEADLINE: ClassVar[str] = "Evals of this project"
    NOTHING: ClassVar[str] = (
        "No eval config was found. An eval is a YAML file with `judges:` and a `dataset:`."
    )

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._told: dict[str, str] = {}
        """What is known of each eval, in words, by its config."""

    def on_mount(self) -> None:
        super().on_mount()
        self.run_worker(self._learn(), exclusive=True, group="evals")

    async def _learn(self) -> None:
        """See how each eval's newest run stood when it was last scored."""
        for info in self.driver.evals():
            try:
                stored = await self.driver.stored_eval(info.path)
                summary = await in_thread(partial(stored_summary, stored))
            except OSError as error:
                self._told[info.path] = str(error)
            else:
                self._told[info.path] = summary.words.replace(" · ", "; ")
            self.take(Dirty(structure=True))

    def entries(self) -> Sequence[Entry]:
        evals = self.driver.evals()
        config = self.driver.config
        current, root = (config.path, config.root) if config else ("", "")
        width = widest((info.name for info in evals), NAME_MOST)
        return [
            Entry(
                info.path,
                _shown(info, info.path == current, width, root, self._told.get(info.path, "")),
                info.path,
                info.path,
            )
            for info in evals
        ]

    def initial(self) -> str:
        return self.driver.config.path if self.driver.config else ""

    def open_entry(self, entry: Entry) -> None:
        self.dismiss()
        open_eval(self, self.driver, entry.key)


def _shown(info: EvalInfo, current: bool, width: int, root: str, told: str) -> Content:
    """Name and file; below them how its newest run stands, once that is known."""
    problems = f"  {plural(info.problems, 'problem')}" if info.problems else ""
    first = Content.assemble(
        Content.styled("* " if current else "  ", "bold $primary"),
        content(fit(one_line(info.name), width), "bold" if current else ""),
        "  ",
        content(one_line(_relative(info.path, root)), "$skip"),
        Content.styled(problems, "$unmeasured"),
    )
    return Content("\n").join([first, content(f"    {one_line(told)}", "$skip")])


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root) if root and path.startswith(root + os.sep) else path
