"""One declaration of ground truth: read all of it, and accept it by typing the metric's name (D42)."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widgets import Input, Static

from eval_tui.engine.authority import person
from eval_tui.engine.grid import Dirty
from eval_tui.results.verdicts import Effect, effect
from eval_tui.tui.actions import Context, bindings
from eval_tui.tui.document import plain
from eval_tui.tui.face import Driver
from eval_tui.tui.host import app_of, say
from eval_tui.tui.review_page import review_page
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.text import content, one_line
from eval_tui.tui.widgets.bars import Bar, Query
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.verdicts.lock import Review, UnreadableLock


class ReviewScreen(LiveScreen):
    """What is declared, the files behind it, and what accepting it would change."""

    CSS_PATH = "review.tcss"
    CONTEXT: ClassVar[Context] = "review"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("review")]

    def __init__(self, driver: Driver, address: str) -> None:
        """`address` is `GRADER/METRIC`."""
        super().__init__(driver)
        self._address = address

    @property
    def review(self) -> Review | None:
        """The declaration as it is now; None when it is gone."""
        return next(iter(self.driver.authority.find(self._address)), None)

    def compose(self) -> ComposeResult:
        yield Bar(id="review-title")
        yield LineView(id="review-page")
        with Container(id="review-ask"):
            yield Static(id="review-question", markup=False)
            yield Query(id="review-name", compact=True)
        yield Bar(id="hints")

    def on_mount(self) -> None:
        title = content(one_line(self._address), "bold $primary")
        self.query_one("#review-title", Bar).show(lambda _: title)
        self._fill(keep=False)
        self.query_one(LineView).focus()

    def take(self, dirty: Dirty) -> None:
        if dirty.structure or dirty.problems:
            self._fill(keep=True)

    def _fill(self, keep: bool) -> None:
        one, authority = self.review, self.driver.authority
        self.say_hints()
        if one is None:
            text = "This is no longer declared, and nobody has accepted it."
            self.query_one(LineView).show(plain(text), keep)
            return
        now, then = authority.rulebook, authority.book([one])
        change = effect(self.driver.grid, now, then) if now and then else Effect()
        page = review_page(one, authority.texts(one), change)
        self.query_one(LineView).show(page, keep)

    # Accepting

    @property
    def idle(self) -> frozenset[str]:
        one = self.review
        return frozenset({"review-accept"} if one is None or one.settled else ())

    def action_accept(self) -> None:
        one = self.review
        if one is None or one.settled:
            say(self, "There is nothing to accept here.")
            return
        act = "accept it" if one.declaration is not None else "agree that it is gone"
        question = one_line(f"Type the metric's name to {act} as {person()}. Esc leaves it.")
        self.query_one("#review-question", Static).update(content(question, "bold"))
        self.query_one("#review-ask").add_class("-shown")
        self.set_focus(self.query_one(Query))

    @on(Input.Submitted, "#review-name")
    def _typed(self, event: Input.Submitted) -> None:
        one = self.review
        if one is None or event.value.strip() != one.metric:
            say(self, "That is not the metric's name: nothing was accepted.")
            return
        try:
            self.driver.authority.accept(one, person())
        except (OSError, UnreadableLock) as error:
            say(self, f"The lock cannot be written: {error}", "error")
            return
        self.driver.authority_changed()
        self._leave_question()
        say(self, "Written to eval-tui.lock: commit it with the config.")
        self._fill(keep=False)

    def _leave_question(self) -> None:
        self.query_one(Query).value = ""
        self.query_one("#review-ask").remove_class("-shown")
        self.query_one(LineView).focus()

    def action_back(self) -> None:
        if self.query_one("#review-ask").has_class("-shown"):
            self._leave_question()
        else:
            self.dismiss()

    def action_copy(self) -> None:
        app_of(self).copy_to_clipboard(self.query_one(LineView).copy_text)
        say(self, "Copied.")
