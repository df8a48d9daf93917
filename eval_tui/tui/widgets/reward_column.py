"""The column of rewards: beside the cases' names and their verdicts, always in view."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from textual.content import Content

from eval_tui.engine.grid import Grid, Row
from eval_tui.results.reward import Composer, Reward, RewardBoard, Undefined, rewards_by
from eval_tui.results.words import number
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import SHADES, Glyphs, Mark
from eval_tui.tui.text import content, one_line
from eval_tui.tui.widgets.palette import Ground, Palette
from eval_tui.tui.words import LOOK_STYLES

FIELD: Final = 5
"""Cells of a value: `0.667`, or `undef` for one that is undefined."""


class RewardColumn:
    """Rewards under one set of rules, as the grid draws them."""

    width: Final = FIELD + 2
    """Cells: the value, the mark of old values, and a gap."""

    def __init__(self, composer: Composer, glyphs: Glyphs) -> None:
        self.composer = composer
        self._glyphs = glyphs
        self._board: RewardBoard | None = None

    def count(self, grid: Grid) -> None:
        """Make the rewards of all cases: as much work as a few columns' aggregates."""
        self.composer.look(grid)
        self._board = rewards_by(self.composer, grid)

    def counted(self, short: bool) -> str:
        """The mean over the cases that have one, when they were counted last."""
        if self._board is None:
            return ""
        return f"reward {self._board.summary}" + ("" if short else " defined")

    def label(self, line: int) -> str:
        """What stands above the rewards, in the lines of the header that are free for it."""
        mean = self._board.mean if self._board else None
        return {0: "reward", 1: number(mean) if mean is not None else ""}.get(line, "")

    def segments(self, grid: Grid, row: Row, ground: Ground, palette: Palette) -> list[Segment]:
        """The reward of one row; blank for a case that did not run."""
        rest = palette.plain("stale", ground)
        if row.status == "not_run":
            return [Segment(" " * self.width, rest)]
        shown = reward_mark(self.composer.reward(grid, row.case), self._glyphs)
        return [
            Segment(" " * (FIELD - len(shown.field)), rest),
            Segment(shown.field, palette.mark(shown, ground)),
            Segment(shown.suffix.ljust(self.width - FIELD), rest),
        ]

    def beside(self, grid: Grid, case: str, text: Content) -> Content:
        """A text about a cell, below what is said about its case's reward."""
        if any(row.case == case and row.status == "not_run" for row in grid.rows):
            return text
        reward = self.composer.reward(grid, case)
        if isinstance(reward, Undefined):
            word, more, look = "undefined", reward.why, LOOK_STYLES["unmeasured"]
        else:
            word = number(reward.value) + self._glyphs.stale * reward.stale
            more, look = reward.words, LOOK_STYLES["number"]
        line = Content.assemble(Content.styled("reward ", "$skip"), content(word, look))
        if more:
            line = Content.assemble(line, content(one_line(f", {more}"), "$skip"))
        return Content("\n").join([line, text])


def reward_mark(reward: Reward, glyphs: Glyphs) -> Mark:
    """The mark of a reward, as of a cell."""
    if isinstance(reward, Undefined):
        return Mark("undef", "", "unmeasured")
    shade = min(int(reward.value * SHADES), SHADES - 1)
    suffix = glyphs.stale if reward.stale else ""
    field = "<.001" if 0 < reward.value < 0.001 else number(reward.value)
    return Mark(field, suffix, "number", dim=reward.stale, shade=shade)


def reward_column(
    driver: Driver, grid: Grid, before: RewardColumn | None, glyphs: Glyphs
) -> RewardColumn | None:
    """The column under the rules in force; None where the config has no `reward` block.

    The one before, as long as rules and judges are the same.
    """
    rules = driver.config.reward if driver.config is not None else None
    if rules is None:
        return None
    composer = Composer(rules, grid)
    known = before.composer if before is not None else None
    if known is not None and (known.rules, known.judges) == (rules, composer.judges):
        return before
    return RewardColumn(composer, glyphs)
