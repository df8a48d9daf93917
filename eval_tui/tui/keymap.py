"""The person's own keys: `keys.yaml` in the folder of the settings, action ids with their keys.

    rerun: ctrl+e
    failures: [f, F2]

What conflicts is told with its place in the file, and the usual keys stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, cast, get_args

import platformdirs

from eval_tui.config.problems import Problem
from eval_tui.config.yaml_nodes import read_yaml
from eval_tui.tui.action import Action, Context, layers
from eval_tui.tui.actions import ACTIONS, use_keys
from eval_tui.tui.keys import MOVE_KEYS, key_from_name, key_name

_ACTIONS: Final = {action.id: action for action in ACTIONS}


@dataclass(frozen=True, slots=True)
class KeyMap:
    """Keys in place of the usual ones, by action id, and what was wrong with the others."""

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    problems: tuple[Problem, ...] = ()


class _Wanted(NamedTuple):
    keys: tuple[str, ...]
    line: int


def take_keys() -> tuple[Problem, ...]:
    """Put the person's own keys in force, before any screen is imported; what is wrong with them."""
    found = load_keys(platformdirs.user_config_path("eval-tui") / "keys.yaml")
    use_keys(found.keys)
    return found.problems


def load_keys(path: Path) -> KeyMap:
    """What a file says; without one nothing is changed. Never raises."""
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        return KeyMap()
    except OSError as error:
        return KeyMap(problems=(_problem(path, 0, f"cannot be read: {error.strerror or error}"),))
    read = read_yaml(source, str(path))
    if read.problems:
        return KeyMap(problems=read.problems)
    value = read.value
    if value is None:
        return KeyMap()
    if not isinstance(value, dict):
        return KeyMap(problems=(_problem(path, 1, "must be a mapping of actions to keys"),))
    wanted: dict[str, _Wanted] = {}
    problems: list[Problem] = []
    for name, keys in cast("dict[str, object]", value).items():
        line = read.positions.key((name,)).line
        try:
            wanted[_known(name)] = _Wanted(_keys(keys), line)
        except ValueError as error:
            problems.append(_problem(path, line, str(error)))
    while clash := _first_clash(wanted):
        name, words = clash
        problems.append(_problem(path, wanted.pop(name).line, words))
    return KeyMap({name: one.keys for name, one in wanted.items()}, tuple(problems))


def _known(name: str) -> str:
    """The id of an action. Raises ValueError."""
    if name in _ACTIONS:
        return name
    from difflib import get_close_matches

    near = get_close_matches(name, _ACTIONS, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise ValueError(f"there is no action {name!r}{hint}")


def _keys(value: object) -> tuple[str, ...]:
    """Keys as Textual names them. Raises ValueError."""
    some = cast("list[object]", value) if isinstance(value, list) else [value]
    if not some or not all(
        isinstance(key, str | int) and not isinstance(key, bool) for key in some
    ):
        raise ValueError("a key or a list of keys is expected, each in quotes where YAML needs it")
    keys = tuple(key_from_name(str(key)) for key in some)
    for key in keys:
        if key in MOVE_KEYS:
            raise ValueError(f"{key_name(key)} moves everywhere and cannot be another action's")
    return keys


def _first_clash(wanted: Mapping[str, _Wanted]) -> tuple[str, str] | None:
    """The first entry whose key another action has, and why in words; the later of two entries."""
    for context in get_args(Context):
        owner: dict[str, Action] = {}
        # The usual keys come first, then those of the file: the last one is the one to leave out.
        here = [action for action in ACTIONS if action.context in (*layers(context), "app")]
        for action in sorted(here, key=lambda action: _place(action, wanted)):
            for key in dict.fromkeys(_keys_of(action, wanted)):
                other = owner.setdefault(key, action)
                if other is not action:
                    words = f"{key_name(key)} for {action.id} is the key of {other.id} already"
                    return action.id, words
    return None


def _place(action: Action, wanted: Mapping[str, _Wanted]) -> int:
    return wanted[action.id].line if action.id in wanted else 0


def _keys_of(action: Action, wanted: Mapping[str, _Wanted]) -> Iterator[str]:
    yield from wanted[action.id].keys if action.id in wanted else action.keys


def _problem(path: Path, line: int, message: str) -> Problem:
    hint = "the usual keys stay; docs/keys.md names every action"
    return Problem("warning", "keys", message, str(path), line, hint=hint)
