"""Themes: YAML files that name colours, checked before the app sees any of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import platformdirs
import yaml
from textual.color import Color, ColorParseError
from textual.theme import Theme

import eval_tui

DEFAULT_THEME: Final = "dark"

BASE_COLOURS: Final = frozenset(
    {
        "primary",
        "secondary",
        "accent",
        "foreground",
        "background",
        "surface",
        "panel",
        "success",
        "warning",
        "error",
    }
)
"""Colours of the app in general. `primary`, `foreground` and `background` are needed."""

MARK_COLOURS: Final = {
    "pass": "#86b58a",
    "fail": "#f0827c",
    "unmeasured": "#d1a75f",
    "stale": "#99a1ae",
    "skip": "#8b93a0",
    "running": "#7aa2c8",
    "recorded": "#a9a3c9",
    "number": "#7aa2c8",
}
"""Colours of the marks, with what stands in for one that a theme does not name."""

_NEEDED: Final = ("primary", "foreground", "background")
_OTHER_KEYS: Final = frozenset({"name", "description", "dark"})
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_BYTES: Final = 64_000
"""A theme is a page of text; anything larger is some other file."""


@dataclass(frozen=True, slots=True)
class ThemeFiles:
    """What the theme folders hold: usable themes by name, and what was wrong with the others."""

    themes: Mapping[str, Theme]
    problems: tuple[str, ...] = ()


Signature = tuple[tuple[str, int, int], ...]


def packaged_folder() -> Path:
    """Where the themes that come with the app are: in the package, or beside it in a checkout."""
    package = Path(eval_tui.__file__).parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"


def theme_folders() -> tuple[Path, ...]:
    """The folders with themes; a later one may replace themes of an earlier one by name."""
    return packaged_folder(), platformdirs.user_config_path("eval-tui") / "themes"


def signature(folders: Sequence[Path]) -> Signature:
    """Something that differs whenever a theme file was added, removed or written."""
    found: list[tuple[str, int, int]] = []
    for path in _files(folders):
        try:
            stat = path.stat()
        except OSError:
            continue
        found.append((str(path), stat.st_mtime_ns, stat.st_size))
    return tuple(found)


def load_themes(folders: Sequence[Path]) -> ThemeFiles:
    """Read every `*.yaml` in the folders. A theme with a mistake is reported and left out."""
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for path in _files(folders):
        read = read_theme(path)
        if isinstance(read, Theme):
            themes[read.name] = read
        else:
            problems.extend(f"theme {path.name}: {problem}" for problem in read)
    return ThemeFiles(themes, tuple(problems))


def _files(folders: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for folder in folders:
        try:
            found.extend(sorted(path for path in folder.iterdir() if path.suffix == ".yaml"))
        except OSError:
            continue
    return found


def read_theme(path: Path) -> Theme | tuple[str, ...]:
    """The theme in a file, or what is wrong with it."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return ("not a theme file",)
        document: object = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        return (f"cannot be read: {error}",)
    if not isinstance(document, dict):
        return ("must be a mapping of names to colours",)
    plain = {str(key): value for key, value in cast("dict[object, object]", document).items()}
    problems = _problems(path.stem, plain)
    return tuple(problems) if problems else _theme(path.stem, plain)


def _problems(stem: str, plain: Mapping[str, object]) -> list[str]:
    problems = [f"`{key}` is missing" for key in _NEEDED if key not in plain]
    for key, value in plain.items():
        if key in BASE_COLOURS or key in MARK_COLOURS:
            if not _is_colour(value):
                problems.append(f"`{key}` is no colour: {value!r}")
        elif key not in _OTHER_KEYS:
            problems.append(f"unknown key `{key}`")
    if not isinstance(plain.get("dark", True), bool):
        problems.append("`dark` must be true or false")
    name = plain.get("name", stem)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        problems.append("`name` must be a word of letters, digits and hyphens")
    return problems


def _is_colour(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        # Only a colour of its own: `auto`, variables and transparent ones depend on what is below.
        colour = Color.parse(value)
    except ColorParseError:
        return False
    return colour.a == 1 and colour.auto is False and colour.ansi is None


def _theme(stem: str, plain: Mapping[str, object]) -> Theme:
    colours = {key: str(value) for key, value in plain.items() if key in BASE_COLOURS}
    return Theme(
        name=str(plain.get("name", stem)),
        primary=colours["primary"],
        secondary=colours.get("secondary"),
        warning=colours.get("warning"),
        error=colours.get("error"),
        success=colours.get("success"),
        accent=colours.get("accent"),
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours.get("surface"),
        panel=colours.get("panel"),
        dark=plain.get("dark", True) is True,
        variables={key: str(plain.get(key, default)) for key, default in MARK_COLOURS.items()},
    )
