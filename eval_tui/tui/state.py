"""Where the person was, kept in `.eval-tui/state.json`: read at the start, written at the end.

Only what is as expected is taken; whatever else the file holds, or its absence, means the beginning.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, cast

from eval_tui.atomic import write_whole
from eval_tui.engine.project import Options
from eval_tui.engine.storage import prepare

FOLDER: Final = ".eval-tui"
NAME: Final = "state.json"
VERSION: Final = 1
MOST_BYTES: Final = 1_000_000
"""A larger file is none of ours."""
MOST_PLACES: Final = 50
"""Evals whose places are kept, the ones seen last."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the person was in one eval."""

    run: str = ""
    """Absolute path of the run's folder; empty while the newest is followed."""
    case: str = ""
    judge: str = ""
    filter: str = ""
    failures: bool = False
    """Only cases with a failure are shown."""
    sort: str = ""
    """The judge that the cases are sorted by, or empty."""
    way: str = ""
    """`worst` or `best` first."""
    part: str = ""
    """The part of the judge that they are sorted by."""
    unfolded: tuple[str, ...] = ()
    """Judges whose parts have columns."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is kept of a project between two starts."""

    eval: str = ""
    """The config on screen, relative to the root."""
    theme: str = ""
    spoken: bool = False
    """The preview is in whole sentences."""
    welcomed: bool = False
    """The hint for the first time has been seen."""
    places: Mapping[str, Place] = field(default_factory=dict[str, Place])
    """By config, relative to the root; seen last is last."""

    def with_place(self, config: str, place: Place) -> State:
        """The state with a place in one eval, which is the one on screen."""
        others = {name: one for name, one in self.places.items() if name != config}
        kept = dict([*others.items(), (config, place)][-MOST_PLACES:])
        return replace(self, eval=config, places=kept)


def state_path(root: str) -> str:
    """The file of a project."""
    return os.path.join(root, FOLDER, NAME)


def load_state(path: str) -> State:
    """What the file says, as far as it is as expected. Never raises."""
    try:
        with open(path, "rb") as file:
            plain = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return State()
    told = _fields(plain)
    if told.get("version") != VERSION:
        return State()
    places = {
        name: Place(**_fitting(_fields(one), Place()))
        for name, one in _fields(told.get("places")).items()
    }
    return replace(State(**_fitting(told, State())), places=places)


def save_state(path: str, state: State) -> None:
    """Write the file whole, or not at all where it cannot be written: it is a convenience."""
    with contextlib.suppress(OSError):
        prepare(os.path.dirname(path))
        write_whole(path, json.dumps({"version": VERSION, **asdict(state)}, indent=1) + "\n")


def resumed(options: Options, state: State) -> Options:
    """The options with the eval and the run that were on screen, where nothing else is asked for.

    What is not there any more is forgotten: the first eval, and its newest run.
    """
    config = options.config
    if not (config or options.eval_name or not state.eval):
        path = os.path.join(options.root, state.eval)
        config = path if os.path.isfile(path) else ""
    place = state.places.get(os.path.relpath(config, options.root)) if config else None
    run = options.run
    if place is not None and place.run and not (run or options.runs) and os.path.isdir(place.run):
        run = os.path.basename(place.run)
    return replace(options, config=config, run=run)


def _fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _fitting(told: Mapping[str, Any], like: Place | State) -> dict[str, Any]:
    """The fields of the kinds that they should have."""
    found: dict[str, Any] = {}
    for name, usual in asdict(like).items():
        value = told.get(name)
        if isinstance(usual, tuple) and isinstance(value, list):
            items = cast("list[object]", value)
            found[name] = tuple(item for item in items if isinstance(item, str))
        elif isinstance(usual, str | bool) and type(value) is type(usual):
            found[name] = value
    return found
