"""The person's own verdict of one case, with a comment, beside what the judges say (D53)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import TextArea

from eval_tui.engine.grid import Dirty
from eval_tui.results.review import Opinion, UnreadableReview
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say
from eval_tui.tui.marks import Glyphs
from eval_tui.tui.opinion_words import judges_page, theirs_words
from eval_tui.tui.opinions import Opinions, Overtaken
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.screens.confirm import ConfirmScreen
from eval_tui.tui.text import clean, content, one_line
from eval_tui.tui.widgets.bars import Bar
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.tab_strip import Tab, TabStrip
from eval_tui.tui.words import plural

Choice = Literal["pass", "fail", "none"]

_CHOICES: Final[dict[Choice, bool | None]] = {"pass": True, "fail": False, "none": None}
_TABS: Final = (Tab("pass", "passed", "1"), Tab("fail", "failed", "2"), Tab("none", "none", "3"))


class OpinionScreen(LiveScreen):
    """Choose a verdict, write a comment, save. Nothing is kept before that."""

    CSS_PATH = "opinion.tcss"
    CONTEXT: ClassVar[Context] = "opinion"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("opinion")]

    def __init__(
        self,
        driver: Driver,
        opinions: Opinions,
        case: str,
        glyphs: Glyphs,
        saved: Callable[[], object],
    ) -> None:
        """`saved` is called when something was kept."""
        super().__init__(driver)
        self._opinions, self._case, self._glyphs, self._saved = opinions, case, glyphs, saved
        self._known = opinions.book.of(case)
        self._run, self._passed = driver.status.run_id, self._known.passed

    def compose(self) -> ComposeResult:
        yield Bar(id="opinion-title")
        yield TabStrip(_TABS, self._choice, id="opinion-choice")
        area = TextArea(
            clean(self._known.comment),
            id="opinion-comment",
            placeholder="c: a comment, for whoever reads the run next",
            show_line_numbers=False,
            compact=True,
        )
        area.cursor_blink = False
        yield area
        yield LineView(id="opinion-judges")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        self.say_hints()
        self._show()
        self.query_one(LineView).focus()

    def take(self, dirty: Dirty) -> None:
        if dirty.cells or dirty.structure:
            self._show()

    def _show(self) -> None:
        count = len(self._opinions.book.opinions)
        title = Content.assemble(
            Content.styled("Your verdict of ", "$skip"),
            content(one_line(self._case), "bold $primary"),
            Content.styled(f"  {plural(count, 'case')} reviewed in this run", "$skip"),
        )
        self.query_one("#opinion-title", Bar).show(lambda _: title)
        page = judges_page(self.driver.grid, self._case, self._opinions.book, self._glyphs)
        self.query_one(LineView).show(page, True)

    # What the person says

    @property
    def _choice(self) -> Choice:
        return next(choice for choice, passed in _CHOICES.items() if passed is self._passed)

    @property
    def _opinion(self) -> Opinion:
        """What the person says by now; a comment that was left alone is kept byte for byte."""
        text = self.query_one(TextArea).text
        kept = text == clean(self._known.comment)
        return Opinion(self._passed, self._known.comment if kept else text.strip())

    def action_verdict(self, choice: Choice) -> None:
        """Choose a verdict."""
        self._passed = _CHOICES[choice]
        self.query_one(TabStrip).show(_TABS, self._choice)

    def on_tab_strip_chosen(self, event: TabStrip.Chosen) -> None:
        for choice in _CHOICES:
            if choice == event.tab:
                self.action_verdict(choice)

    def action_comment(self) -> None:
        """Go to the comment."""
        self.set_focus(self.query_one(TextArea))  # at once: the next key is its own

    def action_back(self) -> None:
        """Leave the comment, then the screen; asks first when something would be lost."""
        if self.focused is self.query_one(TextArea):
            self.query_one(LineView).focus()
        elif self._opinion.same(self._known):
            self.dismiss()
        else:
            question = "What you have said is not saved. Leave it?"
            app_of(self).push_screen(ConfirmScreen(question), self._leave_if)

    def _leave_if(self, yes: bool | None) -> None:
        if yes:
            self.dismiss()

    # Keeping it

    def action_save(self) -> None:
        """Write it into `review.yaml`; asks first when somebody else's words would be lost."""
        if self.driver.status.run_id != self._run:
            say(self, f"Another run is in view by now: this is about {self._run}.", "warning")
            return
        self._begin_saving(overwrite=False)

    def _begin_saving(self, overwrite: bool) -> None:
        self.run_worker(self._save(overwrite), exclusive=True, group="save")

    async def _save(self, overwrite: bool) -> None:
        try:
            await self._opinions.put(self._case, self._opinion, self._known, overwrite)
        except Overtaken as error:
            question = (
                "review.yaml was changed meanwhile. Of this case it now says:"
                f"\n\n{theirs_words(error.theirs)}\n\nPut yours in its place?"
            )
            app_of(self).push_screen(ConfirmScreen(question), self._overwrite_if)
        except (OSError, UnreadableReview) as error:
            say(self, f"Not saved: {error}", "error")
        else:
            self._saved()
            self.dismiss()
            say(self, f"Kept in {os.path.basename(self._opinions.path)} beside the run.")

    def _overwrite_if(self, yes: bool | None) -> None:
        if yes:
            self._begin_saving(overwrite=True)
