"""The terminal app: it owns the driver's changes, the themes, and what works on every screen."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, runtime_checkable

from rich.console import RenderableType
from rich.text import Text
from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.command import CommandPalette, Provider
from textual.driver import Driver as Terminal
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.worker import WorkerFailed

from eval_tui.config.problems import Problem
from eval_tui.engine.grid import Dirty
from eval_tui.tui.actions import bindings
from eval_tui.tui.crash import crash_report
from eval_tui.tui.face import NO_CHANGE, Driver, merged
from eval_tui.tui.host import TrialsMarked, say
from eval_tui.tui.marks import ASCII, UNICODE
from eval_tui.tui.resume import Resume
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.themes import (
    DEFAULT_THEME,
    MARK_COLOURS,
    ThemeFiles,
    load_themes,
    signature,
    theme_folders,
)
from eval_tui.tui.words import place_of, plural, window_title

if TYPE_CHECKING:
    from eval_tui.tui.ending import LongWork
    from eval_tui.tui.opinions import Opinions
    from eval_tui.tui.trials import Trials

DRAIN_SECONDS: Final = 1 / 30
"""How often changes are taken from the driver: a thousand of them are one repaint."""
FILES_SECONDS: Final = 2.0
"""How often the theme files and `review.yaml` are looked at."""
QUIT_SECONDS: Final = 2.0
"""ctrl+c twice within this long quits."""


def _long_work() -> LongWork:
    from eval_tui.tui.ending import LongWork

    return LongWork()


@runtime_checkable
class TitledTerminal(Protocol):
    """A terminal whose window can be given a title."""

    def set_title(self, title: str) -> None: ...


class BlankBars(ScrollBarRender):
    """Scroll bars that are drawn with colours alone."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def _provider(name: str) -> Callable[[], type[Provider]]:
    """A provider of the palette, imported when the palette is first opened."""

    def load() -> type[Provider]:
        from eval_tui.tui import palette

        provider: type[Provider] = getattr(palette, name)
        return provider

    return load


class EvalApp(App[int], inherit_bindings=False):
    """The app around a driver. Nothing waits for the driver: it starts after the first paint."""

    # Textual does not load the style of a default screen by itself.
    CSS_PATH = ["app.tcss", "screens/grid.tcss"]  # noqa: RUF012
    TITLE = "eval-tui"
    PAUSE_GC_ON_SCROLL = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    COMMANDS = {_provider("ActionProvider"), _provider("NameProvider")}  # noqa: RUF012

    def __init__(
        self,
        driver: Driver,
        theme: str | None = None,
        ascii: bool = False,
        mouse: bool = True,
        clock: Callable[[], float] = time.monotonic,
        state: str = "",
        bell: bool = False,
        key_problems: Sequence[Problem] = (),
    ) -> None:
        """`state` is the file that keeps where the person was, empty for none; `bell` rings when
        long work ends; `key_problems` are those of the person's own keys.
        """
        super().__init__()
        self.engine = driver
        self.resume = Resume(driver, state)
        self.key_problems = tuple(key_problems)
        self._work = _long_work() if bell else None
        self._window = ""
        self.glyphs = ASCII if ascii else UNICODE
        ScrollBar.renderer = BlankBars if ascii else ScrollBarRender
        if ascii:
            self.add_class("-ascii")
        self.mouse = mouse
        self.frozen = False
        self.opinions: Opinions | None = None
        """What the person thinks of the cases; looked at once there is a run."""
        self.trials: Trials | None = None
        """The runs that repeat the one in view, from when a config names any or any are marked."""
        self._behind = NO_CHANGE
        self._clock = clock
        self._interrupted = float("-inf")
        self._put_together = False
        self._ends_with: int | None = None
        self._folders = theme_folders()
        self._signature = signature(self._folders)
        self.theme_names: frozenset[str] = frozenset()
        files = load_themes(self._folders)
        self._use_themes(files)
        self._theme_problems = list(files.problems)
        wanted = theme or self.resume.state.theme or DEFAULT_THEME
        if wanted in self.theme_names:
            self.theme = wanted
        elif DEFAULT_THEME in self.theme_names:
            self.theme = DEFAULT_THEME
        if theme and theme not in self.theme_names:
            known = ", ".join(sorted(self.theme_names))
            self._theme_problems.append(f"there is no theme {theme}; there are {known}")

    def get_driver_class(self) -> type[Terminal]:
        from eval_tui.tui.terminal import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        screen, state = GridScreen(self.engine, self.glyphs), self.resume.state
        screen.spoken = state.spoken
        screen.welcome = self.resume.kept and not state.welcomed
        return screen

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(MARK_COLOURS)

    def on_mount(self) -> None:
        for problem in self._theme_problems:
            say(self, problem, "warning")
        if self.key_problems:
            told = "\n".join(f"{place_of(one)} {one.message}" for one in self.key_problems)
            say(self, f"Some of your own keys are not used:\n{told}", "warning")
        self.run_worker(self.engine.start(), group="engine", exit_on_error=True)
        self.set_interval(DRAIN_SECONDS, self._drain)
        self.set_interval(FILES_SECONDS, self._look_at_files)

    def on_ready(self) -> None:
        self._put_together = True
        if self._ends_with is not None:
            self.end(self._ends_with)

    def end(self, code: int) -> None:
        """Leave with this exit code. While the app is still being put together: right after it is.

        Asked for a second time, it is left as it stands.
        """
        if self._put_together or self._ends_with is not None:
            self.exit(code, code)
        self._ends_with = code

    # What changed

    def _drain(self) -> None:
        if not (self.is_running and self._put_together):
            return  # the timer also ticks while the screens are being put up or taken down
        dirty = self.engine.take_dirty()
        if not dirty:
            return
        if dirty.structure:
            self._look_at_review()
            self._follow_trials()
            self.resume.before(self._live_screens())
        self._tell_terminal()
        if self.frozen:
            self._behind = merged(self._behind, dirty)
            dirty = Dirty(status=dirty.status)
            for screen in self._live_screens():
                if isinstance(screen, GridScreen):
                    screen.behind(len(self._behind.cells))
        for screen in self._live_screens():
            screen.deliver(dirty)
        if dirty.structure:
            self.resume.after(self._live_screens())

    def _tell_terminal(self) -> None:
        """The window's title says whether anything is being done; a bell that it has ended."""
        status = self.engine.status
        title = window_title(self.engine.config, status)
        if title != self._window and isinstance(self._driver, TitledTerminal):
            self._driver.set_title(title)
        self._window = title
        busy = bool(status.running or status.queued)
        if self._work is not None and self._work.ended(busy, self._clock()):
            self.bell()

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave; where the person is now is written down before."""
        self.resume.save(self._live_screens(), self.theme)
        super().exit(result, return_code, message)

    def _live_screens(self) -> list[LiveScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, LiveScreen)]

    # Actions

    def action_help(self) -> None:
        from eval_tui.tui.screens.help import HelpScreen

        screen = self.screen
        context = screen.CONTEXT if isinstance(screen, LiveScreen) else "app"
        self.push_screen(HelpScreen(context, self.glyphs))

    def action_command_palette(self) -> None:
        if not CommandPalette.is_open(self):  # pyright: ignore[reportArgumentType]
            prompt = "an action, a case or a judge"
            self.push_screen(CommandPalette(placeholder=prompt, id="--command-palette"))

    def action_interrupt(self) -> None:
        """Cancel everything; a second time within QUIT_SECONDS: quit."""
        now = self._clock()
        if now - self._interrupted <= QUIT_SECONDS:
            self.exit()
            return
        self._interrupted = now
        stopped = self.engine.cancel(None)
        done = f"{plural(stopped, 'cell')} cancelled. " if stopped else "Nothing runs. "
        say(self, f"{done}ctrl+c again quits.")

    def action_pause(self) -> None:
        self.engine.pause(not self.engine.status.paused)

    def action_freeze(self) -> None:
        self.frozen = not self.frozen
        behind, self._behind = self._behind, NO_CHANGE
        for screen in self._live_screens():
            screen.hold(self.frozen)
            screen.deliver(behind)

    def action_leave(self) -> None:
        self.exit()

    # The person's own verdicts

    def action_opinion(self) -> None:
        screen = self.screen
        key = screen.cell if isinstance(screen, LiveScreen) else None
        if key is None:
            return
        if all(row.case != key.case for row in self.engine.grid.rows):
            run = self.engine.status.run_id
            say(
                self, f"There is no case {key.case} in {run}, the run in view: nothing to say here."
            )
            return
        opinions = self._look_at_review()
        if not opinions.path:
            say(self, "There is no run here whose folder could keep it.")
            return
        if opinions.problem:
            say(self, f"Repair the run's review.yaml first. {opinions.problem}", "error")
            return
        from eval_tui.tui.screens.opinion import OpinionScreen

        case, glyphs = key.case, self.glyphs
        self.push_screen(OpinionScreen(self.engine, opinions, case, glyphs, self._look_at_review))

    def action_disagreements(self) -> None:
        from eval_tui.tui.screens.disagreements import DisagreementsScreen

        grid, opinions = self.screen, self._look_at_review()
        if isinstance(grid, GridScreen):
            go = grid.cases.select
            self.push_screen(DisagreementsScreen(self.engine, opinions, self.glyphs, go))

    def _look_at_review(self) -> Opinions:
        """Read `review.yaml` if it is another one, and tell the screens whose cells concerns it."""
        if self.opinions is None:
            from eval_tui.tui.opinions import Opinions

            self.opinions = Opinions(self.engine)
        if cells := self.opinions.look():
            for screen in self._live_screens():
                screen.deliver(Dirty(cells))
        return self.opinions

    # Runs that repeat the one in view

    def _follow_trials(self) -> None:
        """Read those that are not in view, whenever they or the judges are others."""
        config = self.engine.config
        if self.trials is None and config is not None and config.verdict and config.verdict.trials:
            self.trials = self._new_trials()
        if self.trials is not None and self.trials.follow():
            self.run_worker(self._read_trials(self.trials), exclusive=True, group="trials")

    def _new_trials(self) -> Trials:
        from eval_tui.tui.trials import Trials

        return Trials(self.engine)

    @on(TrialsMarked)
    def _mark_trials(self, message: TrialsMarked) -> None:
        self.trials = self.trials or self._new_trials()
        self.trials.mark(message.runs)
        self._follow_trials()
        self._show_trials()

    async def _read_trials(self, trials: Trials) -> None:
        await trials.read()
        self._show_trials()

    def _show_trials(self) -> None:
        news = Dirty(structure=True)
        if self.frozen:
            self._behind = merged(self._behind, news)
            return
        for screen in self._live_screens():
            screen.deliver(news)

    # Themes

    def _look_at_files(self) -> None:
        self._look_at_themes()
        self._look_at_review()

    def _use_themes(self, files: ThemeFiles) -> None:
        for theme in files.themes.values():
            self.register_theme(theme)
        self.theme_names = frozenset(files.themes)

    def _look_at_themes(self) -> None:
        """Read the themes anew when one of their files changed."""
        now = signature(self._folders)
        if now == self._signature:
            return
        self._signature = now
        files = load_themes(self._folders)
        self._use_themes(files)
        for problem in files.problems:
            say(self, problem, "warning")
        self.mutate_reactive(EvalApp.theme)

    # The end

    def _fatal_error(self) -> None:
        """Report an error of our own without the values of variables, which may hold secrets."""
        error = self._exception
        if isinstance(error, WorkerFailed):
            error = error.error
        trace = "".join(traceback.format_exception(error)) if error else traceback.format_exc()
        self._exit_renderables.append(Text(crash_report(trace)))
        self._close_messages_no_wait()
