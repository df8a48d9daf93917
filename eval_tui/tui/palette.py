"""The command palette: every action of the screen, the themes, and cases and runs by name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.types import IgnoreReturnCallbackType

from eval_tui.engine.grid import CellKey
from eval_tui.tui.actions import Action, actions_here
from eval_tui.tui.host import app_of
from eval_tui.tui.keys import key_names
from eval_tui.tui.opening import open_run
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.text import content, one_line

MOST_NAMES: Final = 20
"""Cases or runs that one search lists at most; more letters find the others."""


class ActionProvider(Provider):
    """The actions that are available on the screen below, and the themes."""

    async def discover(self) -> Hits:
        for title, help_text, run in self._commands():
            yield DiscoveryHit(Content(title), run, text=title, help=help_text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, help_text, run in self._commands():
            score = matcher.match(title)
            if score > 0:
                yield Hit(score, matcher.highlight(title), run, text=title, help=help_text)

    def _commands(self) -> Iterable[tuple[str, str, IgnoreReturnCallbackType]]:
        screen = self.screen
        context = screen.CONTEXT if isinstance(screen, LiveScreen) else "app"
        for action in actions_here(context):
            if action.id != "palette":
                title = f"{action.title} ({key_names(action.keys)})"
                yield title, action.help, partial(self._run, action)
        app = app_of(screen)
        for name in sorted(name for name in app.available_themes if name in own_themes(app)):
            yield f"Theme: {name}", "Use these colours.", partial(setattr, app, "theme", name)

    async def _run(self, action: Action) -> None:
        await app_of(self.screen).run_action(action.method, self.screen)


class NameProvider(Provider):
    """Cases and runs by name; outside text, so shown as it is and never parsed."""

    async def search(self, query: str) -> Hits:
        screen = self.screen
        if not isinstance(screen, GridScreen):
            return
        wanted = query.casefold().strip()
        for case in _some(wanted, (row.case for row in screen.driver.grid.rows)):
            shown = content(f"Case: {one_line(case)}")
            yield Hit(_nearness(wanted, case), shown, partial(self._go, screen, case))
        for run in _some(wanted, (run.id for run in screen.driver.runs())):
            shown = content(f"Run: {one_line(run)}")
            yield Hit(
                _nearness(wanted, run) * 0.8, shown, partial(open_run, screen, screen.driver, run)
            )

    def _go(self, screen: GridScreen, case: str) -> None:
        key = screen.cases.cursor
        screen.cases.select(CellKey(case, key.judge if key else ""))


def own_themes(app: object) -> frozenset[str]:
    """The names of the themes that were read from files."""
    return getattr(app, "theme_names", frozenset[str]())


def _nearness(wanted: str, name: str) -> float:
    """How well a name that holds the typed text fits: the whole name stands before all actions."""
    return 1_000.0 if wanted == name.casefold() else 0.5


def _some(wanted: str, names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        if wanted in name.casefold():
            found.append(name)
            if len(found) == MOST_NAMES:
                break
    return found
