"""Text of a list whose long lines go on below their beginning, not below the margin."""

from __future__ import annotations

from typing import final

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual


@final
class Hanging(Visual):
    """Content that is indented by `indent` cells where one of its lines has to be broken."""

    def __init__(self, content: Content, indent: int) -> None:
        self._content, self._indent = content, indent

    def laid_out(self, width: int) -> Content:
        """All lines, broken for this many cells."""
        lines: list[Content] = []
        for line in self._content.split("\n", allow_blank=True):
            if line.cell_length <= width or width <= 2 * self._indent:
                lines.append(line)
                continue
            first, *others = line.wrap(width - self._indent)
            lines += [first, *(other.pad_left(self._indent) for other in others)]
        return Content("\n").join(lines)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return self.laid_out(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._content.get_optimal_width(rules, container_width)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self.laid_out(width).get_height(rules, width)
