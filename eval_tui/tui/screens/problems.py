"""What is wrong with the project's files, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.content import Content

from eval_tui.config.problems import Problem, Severity
from eval_tui.tui.editor import edit
from eval_tui.tui.host import app_of
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, one_line
from eval_tui.tui.words import place_of

_STYLES: Final[dict[Severity, str]] = {
    "error": "bold $fail",
    "warning": "$unmeasured",
    "note": "$skip",
}
INDENT: Final = 8
"""Cells that the severity takes."""
_ORDER: Final[dict[Severity, int]] = {"error": 0, "warning": 1, "note": 2}


class ProblemsScreen(ListScreen):
    """Errors first, then warnings, then notes."""

    HEADLINE: ClassVar[str] = "Problems"
    NOTHING: ClassVar[str] = "Nothing is wrong with the files of this project."

    def entries(self) -> Sequence[Entry]:
        root = self.driver.config.root if self.driver.config else ""
        own: tuple[Problem, ...] = getattr(app_of(self), "key_problems", ())
        problems = sorted(
            (*self.driver.problems, *own), key=lambda problem: _ORDER[problem.severity]
        )
        return [_entry(problem, root) for problem in problems]

    def open_entry(self, entry: Entry) -> None:
        edit(self, entry.path, entry.line)


def _entry(problem: Problem, root: str) -> Entry:
    place = place_of(problem, root)
    about = f"judge {problem.judge}: " if problem.judge else ""
    shown = [
        Content.assemble(
            Content.styled(f"{problem.severity:<{INDENT}}", _STYLES[problem.severity]),
            content(one_line(about + problem.message)),
        )
    ]
    if place:
        shown.append(content(" " * INDENT + one_line(place), "$primary"))
    if problem.hint:
        shown.append(content(" " * INDENT + one_line(problem.hint), "$skip"))
    told = f"{problem.severity}: {about}{problem.message}"
    copied = "\n".join(part for part in (told, place, problem.hint) if part)
    text, file = Content("\n").join(shown), problem.file
    return Entry(copied, text, copied, file, problem.line, INDENT, opens=bool(file))
