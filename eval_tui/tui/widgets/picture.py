"""An image drawn with half blocks: two pixels a cell, in every terminal that has colours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rich.segment import Segment
from textual.events import Resize
from textual.strip import Strip

from eval_tui.engine.threads import in_thread
from eval_tui.tui.files.pictures import NoPicture, read_picture
from eval_tui.tui.widgets.reading import ReadingView


class Picture(ReadingView, can_focus=False):
    """Reads its image anew for each size that it gets."""

    def __init__(self, failed: Callable[[str], None], *, id: str | None = None) -> None:
        """`failed` is told why an image cannot be drawn."""
        super().__init__(id=id)
        self._failed = failed
        self._path = ""
        self._strips: list[Strip] = []

    def show(self, path: str) -> None:
        """Draw the image at `path`; an empty one: none."""
        self._path, self._strips = path, []
        self.display = bool(path)
        self.refresh()
        self._load()

    def on_resize(self, event: Resize) -> None:
        self._load()

    def _load(self) -> None:
        if self._path and self.size.width and self.size.height:
            self.run_worker(self._fill(self._path), group="picture", exclusive=True)

    async def _fill(self, path: str) -> None:
        size = self.size
        try:
            rows = await in_thread(partial(read_picture, path, size.width, size.height))
        except NoPicture as error:
            rows = list[list[Segment]]()
            self._failed(str(error))
        if path == self._path:
            self._strips = [Strip(row) for row in rows]
            self.refresh()

    def render_line(self, y: int) -> Strip:
        if y >= len(self._strips):
            return Strip.blank(self.size.width, self.rich_style)
        return self._strips[y].crop_extend(0, self.size.width, self.rich_style)
