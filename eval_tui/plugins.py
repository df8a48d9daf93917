"""What installed packages add by entry points: judges, graders, transcript parsers, formats.

Those of judges, graders and transcripts are found and loaded under the judges' interpreter, those
of formats under the app's. Standard library only, Python 3.10.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["judges", "graders", "transcripts", "formats"]

KINDS: tuple[Kind, ...] = get_args(Kind)

PREFIX = "plugin/"
"""What a config writes in front of the name: `builtin: plugin/brevity`, `id: plugin/brevity`."""


@dataclass(frozen=True)
class Plugin:
    """One entry point, as `eval-tui plugins` lists it."""

    kind: Kind
    name: str
    target: str
    """Where it is: `package.module:function`."""
    package: str
    """The distribution that declares it, with its version; empty if unknown."""
    problem: str = ""
    """Why it cannot be used; empty when it can."""


class PluginUnusable(Exception):
    """There is no such plugin, or it cannot be loaded; the text says why and for whom."""


def plugin_name(text: str) -> str:
    """The name behind the prefix, or empty when `text` names no plugin."""
    return text[len(PREFIX) :] if text.startswith(PREFIX) else ""


def load_plugin(kind: Kind, name: str) -> Callable[..., object]:
    """The callable that a package offers under a name. Raises PluginUnusable.

    When two packages offer one name nobody can tell which is meant, so neither is taken.
    """
    found = [point for point in _points(kind) if point.name == name]
    if not found:
        known = ", ".join(names(kind)) or "none"
        raise PluginUnusable(
            f"no package installed for {sys.executable} offers `{name}` in the entry points"
            f" `eval_tui.{kind}`; there are: {known}"
        )
    if len({point.value for point in found}) > 1:
        packages = " and ".join(sorted(_package(point) or point.value for point in found))
        raise PluginUnusable(f"{packages} both offer `{name}` in `eval_tui.{kind}`")
    return _load(found[0])


def names(kind: Kind) -> tuple[str, ...]:
    """The names of a kind, sorted."""
    return tuple(sorted({point.name for point in _points(kind)}))


def plugins(kind: Kind) -> tuple[Plugin, ...]:
    """All of a kind by name, each tried: a broken one is listed with its problem."""
    found: list[Plugin] = []
    for point in sorted(_points(kind), key=lambda point: (point.name, point.value)):
        problem = ""
        try:
            load_plugin(kind, point.name)
        except PluginUnusable as exc:
            problem = str(exc)
        found.append(Plugin(kind, point.name, point.value, _package(point), problem))
    return tuple(found)


@cache
def _points(kind: Kind) -> tuple[EntryPoint, ...]:
    """The entry points of a kind; a package that is there twice declares them once."""
    from importlib.metadata import entry_points  # takes as long as all the rest of a start

    points = entry_points(group=f"eval_tui.{kind}")
    return tuple({(point.name, point.value): point for point in points}.values())


def _load(point: EntryPoint) -> Callable[..., object]:
    try:
        loaded: object = importlib.import_module(point.module)
        for name in point.attr.split(".") if point.attr else ():
            loaded = getattr(loaded, name)
    except BaseException as exc:  # whatever a package does while it is imported costs it alone
        words = f"{type(exc).__name__}: {exc}".rstrip(": ")
        where = _package(point) or point.value
        raise PluginUnusable(f"`{point.name}` of {where} cannot be loaded: {words}") from exc
    if not callable(loaded):
        what = type(loaded).__name__
        raise PluginUnusable(f"`{point.name}`: {point.value} is no function but {what}")
    return loaded


def _package(point: EntryPoint) -> str:
    dist = point.dist
    return f"{dist.name} {dist.version}" if dist is not None else ""


def main() -> None:
    """Print the plugins of the judges' interpreter as JSON, for the app to read.

    Run as a script: its own folder gives way to the project's, which is its argument.
    """
    sys.path[:1] = [sys.argv[1]]
    out, sys.stdout = sys.stdout, sys.stderr  # what packages print while they load is no answer
    kinds: tuple[Kind, ...] = ("judges", "graders", "transcripts")
    json.dump([asdict(one) for kind in kinds for one in plugins(kind)], out)


if __name__ == "__main__":
    main()
