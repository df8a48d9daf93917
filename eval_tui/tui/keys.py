"""Keys: how they are written for people, and those that move, which are never actions."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType
from textual.keys import Keys, _character_to_key

MOVES: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("up", "down", "left", "right", "h", "j", "k", "l"), "Move; scroll where there is no cursor."),
    (("g", "G", "home", "end"), "Go to the beginning or the end."),
    (("pageup", "pagedown", "ctrl+u", "ctrl+d"), "A page or half a page up or down."),
    (("tab", "shift+tab"), "Next or previous pane."),
)
"""Keys that move, with what they do; they are never actions."""

MOVE_KEYS: Final = frozenset(key for keys, _ in MOVES for key in keys)

_NAMES: Final = {
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "dollar_sign": "$",
    "equals_sign": "=",
    "plus": "+",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "full_stop": ".",
    "comma": ",",
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "tab": "Tab",
    "shift+tab": "shift+Tab",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


_KEYS: Final = {shown: key for key, shown in _NAMES.items()}
_NAMED: Final = frozenset({*_NAMES, *(key.value for key in Keys)})
_MODIFIERS: Final = frozenset({"ctrl", "shift", "alt", "super"})
_ARROWS: Final = frozenset({"up", "down", "left", "right"})


def key_name(key: str) -> str:
    """A key as it is written for people: `?`, `Esc`, `ctrl+r`."""
    return _NAMES.get(key, key)


def key_from_name(name: str) -> str:
    """The key that a person means: `?`, `Esc`, `ctrl+r`, `question_mark`. Raises ValueError."""
    if name in _KEYS:
        return _KEYS[name]
    if len(name) == 1:
        return _character_to_key(name)
    *modifiers, last = name.lower().split("+")
    if set(modifiers) <= _MODIFIERS and (len(last) == 1 or last in _NAMED):
        return "+".join([*modifiers, last])
    raise ValueError(f"there is no key {name!r}; keys are written x, ctrl+x, f2, escape")


def key_names(keys: tuple[str, ...], ascii: bool = False) -> str:
    """Several keys as they are written for people: `[ <`; in `ascii` arrows have names."""
    named = (key if ascii and key in _ARROWS else key_name(key) for key in keys)
    return " ".join(named)


def moves(actions: dict[str, tuple[str, ...]]) -> list[BindingType]:
    """Bindings of movement keys: a Textual action with the keys that do it."""
    return [Binding(key, action, show=False) for action, keys in actions.items() for key in keys]
