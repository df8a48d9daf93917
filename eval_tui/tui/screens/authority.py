"""What the graders declare as ground truth, and whether somebody has accepted it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.content import Content

from eval_tui.engine.authority import STATE_WORDS
from eval_tui.tui.host import app_of
from eval_tui.tui.screens.lists import Entry, ListScreen
from eval_tui.tui.text import content, one_line
from eval_tui.verdicts.lock import Review, State

INDENT: Final = 11
"""Cells that the state takes."""
_STYLES: Final[dict[State, str]] = {
    "accepted": "$pass",
    "unreviewed": "$unmeasured",
    "drifted": "bold $unmeasured",
    "orphaned": "$unmeasured",
}


class AuthorityScreen(ListScreen):
    """Every declaration; opening one shows all of it, and there it can be accepted."""

    HEADLINE: ClassVar[str] = "Ground truth"
    NOTHING: ClassVar[str] = (
        "No grader of this config declares ground truth. A metric is declared with\n"
        "  metrics: [{id: quality, authority: ground_truth}]\n"
        "and counts once somebody has accepted it here."
    )

    def entries(self) -> Sequence[Entry]:
        return [_entry(one) for one in self.driver.authority.reviews]

    def open_entry(self, entry: Entry) -> None:
        from eval_tui.tui.screens.review import ReviewScreen

        app_of(self).push_screen(ReviewScreen(self.driver, entry.key))


def _entry(one: Review) -> Entry:
    about = f"by grader {one.grader}: {STATE_WORDS[one.state]}"
    if one.changed:
        about += f" ({', '.join(one.changed)})"
    shown = Content.assemble(
        content(f"{one.state:<{INDENT}}", _STYLES[one.state]),
        content(one_line(one.metric), "bold"),
        "  ",
        content(one_line(about), "$skip"),
    )
    file, line = (one.declaration.file, one.declaration.line) if one.declaration else ("", 0)
    copied = f"{one.state}: {one.metric} {about}"
    return Entry(address(one), shown, copied, file, line, INDENT)


def address(one: Review) -> str:
    """What a declaration is found by."""
    return f"{one.grader}/{one.metric}"
