"""The evals of the project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, fit, one_line
from eval_tui.tui.words import plural


class EvalsScreen(ListScreen):
    """Choose an eval."""

    HEADLINE: ClassVar[str] = "Evals of this project"
    NOTHING: ClassVar[str] = (
        "No eval config was found. An eval is a YAML file with `judges:` and a `dataset:`."
    )

    def entries(self) -> Sequence[Entry]:
        evals = self.driver.evals()
        config = self.driver.config
        current, root = (config.path, config.root) if config else ("", "")
        width = min(40, max((len(one_line(info.name)) for info in evals), default=0))
        return [
            Entry(
                info.path,
                Content.assemble(
                    Content.styled("* " if info.path == current else "  ", "bold $primary"),
                    content(fit(one_line(info.name), width)),
                    "  ",
                    content(one_line(_relative(info.path, root)), "$skip"),
                    Content.styled(f"  {plural(info.problems, 'problem')}", "$unmeasured")
                    if info.problems
                    else "",
                ),
                info.path,
                info.path,
            )
            for info in evals
        ]

    def initial(self) -> str:
        return self.driver.config.path if self.driver.config else ""

    def open_entry(self, entry: Entry) -> None:
        self.dismiss()
        self.app.run_worker(  # pyright: ignore[reportUnknownMemberType]
            self.driver.open_eval(entry.key), exclusive=True, group="open"
        )


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root) if root and path.startswith(root + os.sep) else path
