"""Every key of the screen that help was asked from, out of the registry."""

from __future__ import annotations

from typing import ClassVar

from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from eval_tui.tui.actions import Context, actions_in, bindings
from eval_tui.tui.heads import UNSURE
from eval_tui.tui.host import app_of
from eval_tui.tui.keys import MOVES, key_names
from eval_tui.tui.marks import ASCII, UNICODE, Glyphs
from eval_tui.tui.verdict_words import OPEN
from eval_tui.tui.widgets.preview import SCROLLING

KEYS_WIDTH = 16
"""Cells for the keys of an entry; more of them wrap."""

_TITLES: dict[Context, str] = {
    "grid": "The grid",
    "case": "The case screen",
    "list": "This list",
    "runs": "The runs",
    "review": "This declaration",
    "opinion": "Your verdict",
    "help": "Help",
    "confirm": "This question",
    "app": "Everywhere",
}


def marks(glyphs: Glyphs) -> list[tuple[str, str]]:
    """What the marks of the grid mean."""
    return [
        (f"{glyphs.passed} {glyphs.failed}", "passed, failed"),
        ("4 3.5", "a number, shaded by its place on the scale"),
        (
            f"{glyphs.unmeasured} error",
            "not measured, and why: secret, evidence, error, unsupported",
        ),
        (glyphs.skipped, "skipped on purpose"),
        (glyphs.violation, "the judge returned something that is no score"),
        (f"{glyphs.queued} {glyphs.running[0]}", "queued, running"),
        (glyphs.stale, "after a value: an input changed since, the value is old"),
        (glyphs.recorded, "after a value: recorded, not recomputed"),
        (glyphs.unstable, "after a value: its samples disagree"),
        (
            f"{glyphs.better} {glyphs.worse}",
            "after a value: better, worse than in the run that it is compared with",
        ),
        (
            f"{glyphs.failed}{glyphs.arrow}{glyphs.passed}",
            "two runs side by side: the value then, and what it became",
        ),
        (
            f"5/6 {glyphs.unmeasured}2",
            "two runs side by side: a figure, and how many cells were not measured",
        ),
        (glyphs.waiting, "waits, an old value stays in view; the preview says for what"),
        (glyphs.money, "waits for a go-ahead, as it costs money"),
        (
            f"{glyphs.passed} {glyphs.failed} {OPEN}",
            "beside a case's name, its verdict: passed, failed, not evaluated",
        ),
        (f"3/5{glyphs.unstable}", "passed of evaluated trials; the mark: it is flaky"),
        (
            f"{glyphs.passed} {glyphs.failed} {UNSURE}",
            "before a limit: met, missed, cannot be told",
        ),
    ]


def help_groups(
    context: Context, glyphs: Glyphs = UNICODE
) -> list[tuple[str, list[tuple[str, str]]]]:
    """The keys that work in a context, then what the marks mean: titles with their entries."""
    groups = [(_TITLES[context], [(key_names(a.keys), a.help) for a in actions_in(context)])]
    if context not in ("app", "confirm"):
        groups.append(("Everywhere", [(key_names(a.keys), a.help) for a in actions_in("app")]))
        groups.append(
            ("Moving", [(key_names(keys, glyphs is ASCII), text) for keys, text in MOVES])
        )
    if context == "grid":
        groups.append(("Marks", marks(glyphs)))
    return groups


def help_table(context: Context, accent: str, glyphs: Glyphs = UNICODE) -> Table:
    """The help as two columns, so that long sentences keep their indent; `accent` is a colour."""
    table = Table.grid(padding=(0, 2))
    table.add_column(width=KEYS_WIDTH)
    table.add_column(ratio=1)
    for title, entries in help_groups(context, glyphs):
        if table.row_count:
            table.add_row()
        table.add_row(Text(title, f"bold {accent}"))
        for keys, text in entries:
            table.add_row(Padding(Text(keys, "bold"), (0, 0, 0, 2)), Text(text))
    return table


class HelpScreen(ModalScreen[None]):
    """Help for one context."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("help"), *SCROLLING]

    def __init__(self, context: Context, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._asked: Context = context

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box"):
            yield Static(markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self._write()
        app_of(self).theme_changed_signal.subscribe(self, lambda _: self._write())

    def _write(self) -> None:
        accent = app_of(self).theme_variables["primary"]
        self.query_one(Static).update(help_table(self._asked, accent, self._glyphs))

    def action_back(self) -> None:
        self.dismiss()

    def action_scroll_down(self) -> None:
        self.query_one(VerticalScroll).scroll_down(animate=False)

    def action_scroll_up(self) -> None:
        self.query_one(VerticalScroll).scroll_up(animate=False)

    def action_scroll_home(self) -> None:
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_scroll_end(self) -> None:
        self.query_one(VerticalScroll).scroll_end(animate=False)

    def action_page_up(self) -> None:
        self.query_one(VerticalScroll).scroll_page_up(animate=False)

    def action_page_down(self) -> None:
        self.query_one(VerticalScroll).scroll_page_down(animate=False)
