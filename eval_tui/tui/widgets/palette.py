"""The styles that the grid draws with, mixed once whenever the theme changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, get_args

from rich.style import Style
from textual.color import Color

from eval_tui.results.gates import GateState
from eval_tui.tui.marks import SHADES, Look, Mark

_SHADE_FACTORS: Final = (0.07, 0.15, 0.24, 0.33, 0.42)
_OLD: Final = 0.55
"""How far an old value's colour is moved towards the colour of stale."""

_COLOURS: Final[dict[Look, str]] = {
    "pass": "pass",
    "fail": "fail",
    "number": "foreground",
    "unmeasured": "unmeasured",
    "violation": "unmeasured",
    "skip": "skip",
    "queued": "skip",
    "running": "running",
    "empty": "skip",
}


@dataclass(frozen=True, slots=True)
class Ground:
    """What lies behind a cell."""

    cursor_row: bool = False
    cursor: bool = False
    focus: bool = True


@dataclass
class Palette:
    """Colours of a theme as Rich styles. Styles are made on first use and kept."""

    colours: dict[str, Color]
    _made: dict[tuple[Mark | str, Ground], Style] = field(
        default_factory=dict[tuple[Mark | str, Ground], Style]
    )

    @classmethod
    def of(cls, variables: dict[str, str]) -> Palette:
        """From an app's CSS variables."""
        names = {*_COLOURS.values(), "number", "stale", "recorded", "background", "panel"}
        names |= {"primary", "accent", "surface"}
        return cls({name: Color.parse(variables[name]) for name in names})

    def behind(self, ground: Ground) -> Color:
        """The background colour of a cell."""
        colours = self.colours
        if ground.cursor:
            return colours["primary"] if ground.focus else colours["panel"]
        return colours["panel"] if ground.cursor_row else colours["background"]

    def mark(self, shown: Mark, ground: Ground) -> Style:
        """The style of a mark's field."""
        key = (Mark("", "", shown.look, shown.dim, shown.shade, quiet=shown.quiet), ground)
        style = self._made.get(key)
        if style is None:
            style = self._made[key] = self._mix(shown, ground)
        return style

    def _mix(self, shown: Mark, ground: Ground) -> Style:
        behind = self.behind(ground)
        bold = shown.look in ("fail", "violation") and not shown.quiet
        if ground.cursor and ground.focus:
            return _style(behind.get_contrast_text(1), behind, bold=True)
        colour = self.colours["skip" if shown.quiet else _COLOURS[shown.look]]
        if shown.shade is not None and not ground.cursor and not shown.quiet:
            factor = _SHADE_FACTORS[shown.shade % SHADES] * (0.5 if shown.dim else 1)
            behind = behind.blend(self.colours["number"], factor)
        if shown.dim:
            colour = colour.blend(self.colours["stale"], _OLD)
        return _style(colour, behind, bold=bold and not shown.dim)

    def plain(self, colour: str, ground: Ground, bold: bool = False) -> Style:
        """A style of one of the theme's colours; `recorded` and the like are names too."""
        key = (f"{colour} {bold}", ground)
        style = self._made.get(key)
        if style is None:
            behind = self.behind(ground)
            shown = self.colours[colour]
            if ground.cursor and ground.focus:
                shown = behind.get_contrast_text(1)
            style = self._made[key] = _style(shown, behind, bold=bold)
        return style

    def head(self, colour: str, bold: bool = False, underline: bool = False) -> Style:
        """A style for the header."""
        return _style(self.colours[colour], self.colours["surface"], bold, underline)

    def gate(self, state: GateState | None) -> Style:
        """The style of a threshold's mark."""
        return self.head({"pass": "pass", "fail": "fail"}.get(state or "", "unmeasured"))


def _style(colour: Color, behind: Color, bold: bool = False, underline: bool = False) -> Style:
    return Style(color=colour.rich_color, bgcolor=behind.rich_color, bold=bold, underline=underline)


assert set(_COLOURS) == set(get_args(Look))
