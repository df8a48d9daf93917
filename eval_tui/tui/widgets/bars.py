"""Lines of one row, a message, a text input, and lists: the small parts of the screens."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, OptionList

from eval_tui.tui.action import Action, Context
from eval_tui.tui.actions import actions_here, actions_in
from eval_tui.tui.host import app_of
from eval_tui.tui.keys import key_name, moves
from eval_tui.tui.words import beside

_NOTHING: Final = Content("")
_PASSING: Final = frozenset({"escape", "enter", "ctrl+c", "ctrl+p"})
"""Keys that act beyond a text input that has the focus."""


class Bar(Widget):
    """One row whose content is made for its width."""

    DEFAULT_CSS = """
    Bar { height: 1; width: 1fr; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._make: Callable[[int], Content] = lambda _: Content("")

    def show(self, make: Callable[[int], Content]) -> None:
        """Draw with `make(width)` from now on."""
        self._make = make
        self.refresh()

    def render(self) -> Content:
        return self._make(self.size.width)


class Query(Input):
    """A text input that keeps every key to itself but Esc, Enter, ctrl+c and ctrl+p.

    Its own keys act at once. Left to rise to the app, a backspace would act after the letters
    that were typed behind it in one go, as they arrive over a slow line.
    """

    def check_consume_key(self, key: str, character: str | None) -> bool:
        # Textual knows no character of that name.
        return key == "slash" or super().check_consume_key(key, character)

    async def on_key(self, event: events.Key) -> None:
        own = self._bindings.key_to_bindings.get(event.key)
        if own:
            event.stop()
            event.prevent_default()
            await app_of(self).run_action(own[0].action, self)
        elif event.key not in _PASSING and not event.is_printable:
            event.stop()
            event.prevent_default()


class PickList(OptionList):
    """A list that moves with the keys that move everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = moves(
        {
            "cursor_down": ("j",),
            "cursor_up": ("k",),
            "first": ("g",),
            "last": ("G",),
            "page_up": ("ctrl+u",),
            "page_down": ("ctrl+d",),
        }
    )


def hints(
    context: Context, width: int, right: Content = _NOTHING, idle: Collection[str] = ()
) -> Content:
    """The line of hints: the keys a newcomer needs first, as many as fit beside `right`.

    Help is always among them; `idle` are actions that would do nothing now.
    """
    first = [_hint(one) for one in actions_in(context) if one.hint and one.id not in idle]
    last = Content("").join([_hint(one) for one in actions_in("app") if one.hint])
    room = width - 1 - right.cell_length - last.cell_length
    shown: list[Content] = []
    for piece in first:
        if piece.cell_length > room:
            break
        room -= piece.cell_length
        shown.append(piece)
    line = Content("").join([*shown, last])
    return beside(line, right, width) if right else line


def _hint(action: Action) -> Content:
    return Content.assemble(
        " ",
        Content.styled(key_name(action.keys[0]), "bold $primary"),
        " ",
        Content.styled(action.title.lower(), "$skip"),
        " ",
    )


def first_keys() -> list[tuple[str, str]]:
    """The keys to begin with, as they are written, and what they do."""
    actions = {action.id: action for action in actions_here("grid")}
    begin = (
        ("next-failure", "goes to a failure"),
        ("open", "reads a case"),
        ("help", "lists every key"),
        ("palette", "finds any action"),
    )
    return [(key_name(actions[name].keys[0]), text) for name, text in begin]
