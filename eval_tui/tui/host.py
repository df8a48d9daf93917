"""What screens and widgets ask of the app they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from textual._styles_cache import StylesCache
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump

from eval_tui.tui.text import clean

if TYPE_CHECKING:
    from eval_tui.config.schema import EvalConfig
    from eval_tui.results.review import ReviewBook
    from eval_tui.tui.opinions import Opinions
    from eval_tui.tui.trials import Trials

SAY_SECONDS = 5.0
"""How long a notice stays."""


def app_of(node: MessagePump) -> App[int]:
    """The app of a node, with a type."""
    return cast("App[int]", node.app)  # pyright: ignore[reportUnknownMemberType]


def book_of(node: MessagePump) -> ReviewBook | None:
    """What the person thinks of the cases of the run in view; None where they said nothing."""
    opinions: Opinions | None = getattr(app_of(node), "opinions", None)
    return opinions.book if opinions is not None and opinions.book.opinions else None


def trials_of(node: MessagePump) -> Trials | None:
    """The runs that repeat the one in view; None where nobody has named any."""
    return getattr(app_of(node), "trials", None)


def shows_verdicts(node: MessagePump, config: EvalConfig) -> bool:
    """Whether verdicts are shown: the config says what passing means, or runs are compared by it."""
    trials = trials_of(node)
    return config.has_verdicts or (trials is not None and bool(trials.marked and trials.listed))


@dataclass
class TrialsMarked(Message):
    """The person wants to see these runs as trials of one configuration; for the app."""

    runs: tuple[str, ...]
    """Their ids; none: those that the config names."""


def say(
    node: MessagePump,
    text: str,
    severity: Literal["information", "warning", "error"] = "information",
) -> None:
    """Show a short notice in place of the one before; the text may come from outside."""
    app = app_of(node)
    # Of a notice that is cleared Textual keeps two things: the widget around it, for good, and what
    # was drawn, in a cache whose keys are the last thousand drawings.
    for screen in app.screen_stack:
        screen.query("ToastHolder").remove()
    StylesCache.get_inner_outer.cache_clear()
    app.clear_notifications()
    app.notify(clean(text), severity=severity, timeout=SAY_SECONDS, markup=False)
