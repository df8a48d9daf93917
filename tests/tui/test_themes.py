"""Themes are files; a mistake in one is reported and costs only that theme."""

from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from textual.color import Color
from textual.theme import Theme

from eval_tui.tui.marks import SHADES, Look, Mark
from eval_tui.tui.themes import (
    MARK_COLOURS,
    load_themes,
    packaged_folder,
    read_theme,
    signature,
)
from eval_tui.tui.widgets.palette import Ground, Palette

PACKAGED = load_themes([packaged_folder()])
GOOD = "primary: '#123456'\nforeground: white\nbackground: black\n"


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_packaged_themes_are_whole():
    assert not PACKAGED.problems
    assert {"dark", "light", "high-contrast", "colour-blind"} <= set(PACKAGED.themes)


GROUNDS = [Ground(row, cursor, focus) for row, cursor, focus in product((False, True), repeat=3)]
"""What lies behind a cell, in every combination."""


def least(name: str) -> float:
    """What WCAG asks of text: AA, and AAA of the theme that says so."""
    return 7.0 if name == "high-contrast" else 4.5


@pytest.mark.parametrize("name", sorted(PACKAGED.themes))
def test_every_text_colour_can_be_read_on_every_ground(name: str):
    theme = PACKAGED.themes[name]
    colours = {**theme.to_color_system().generate(), **theme.variables}
    for behind in ("background", "surface", "panel"):
        for text in (*MARK_COLOURS, "foreground", "primary", "accent", "error", "warning"):
            ratio = contrast(Color.parse(colours[text]), Color.parse(colours[behind]))
            assert ratio >= least(name), f"{text} on {behind}: {ratio:.2f}"


@pytest.mark.parametrize("name", sorted(PACKAGED.themes))
def test_every_cell_can_be_read_whatever_lies_behind_it(name: str):
    theme = PACKAGED.themes[name]
    palette = Palette.of({**theme.to_color_system().generate(), **theme.variables})
    for look, old, shade, ground in product(
        get_args(Look), (False, True), (None, *range(SHADES)), GROUNDS
    ):
        if shade is None or look == "number":
            style = palette.mark(Mark("1", "", look, old, shade), ground)
            assert style.color and style.bgcolor
            ratio = contrast(
                Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
            )
            assert ratio >= least(name), f"{look} {old=} {shade=} {ground}: {ratio:.2f}"


def contrast(first: Color, second: Color) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: Color) -> float:
        parts = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
            for part in colour.normalized
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_marks_that_a_theme_leaves_out_have_defaults(tmp_path: Path):
    theme = read_theme(write(tmp_path, GOOD))
    assert isinstance(theme, Theme)
    assert theme.name == "mine"
    assert theme.variables == MARK_COLOURS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD + "fail: bluish\n", "`fail` is no colour"),
        (GOOD + "fail: 3\n", "`fail` is no colour"),
        (GOOD + "fail: 'rgba(1,2,3,0.5)'\n", "`fail` is no colour"),
        (GOOD + "fial: red\n", "unknown key `fial`"),
        (GOOD + "dark: maybe\n", "`dark`"),
        (GOOD + "name: '[b]x'\n", "`name`"),
        ("primary: red\n", "`foreground` is missing"),
        ("- a\n", "mapping"),
        ("a: [", "cannot be read"),
        ("", "mapping"),
    ],
)
def test_a_mistake_is_reported(tmp_path: Path, text: str, told: str):
    problems = read_theme(write(tmp_path, text))
    assert not isinstance(problems, Theme)
    assert any(told in problem for problem in problems)


def test_a_broken_theme_costs_only_itself(tmp_path: Path):
    write(tmp_path, GOOD)
    write(tmp_path, "fail: nonsense", "bad.yaml")
    (tmp_path / "folder.yaml").mkdir()
    files = load_themes([tmp_path, tmp_path / "absent"])
    assert list(files.themes) == ["mine"]
    assert any("bad.yaml" in problem for problem in files.problems)


def test_a_theme_of_the_person_replaces_a_packaged_one(tmp_path: Path):
    write(tmp_path, GOOD + "name: dark\n")
    files = load_themes([packaged_folder(), tmp_path])
    assert files.themes["dark"].primary == "#123456"


def test_a_written_theme_changes_the_signature(tmp_path: Path):
    before = signature([tmp_path])
    write(tmp_path, GOOD)
    assert signature([tmp_path]) != before
