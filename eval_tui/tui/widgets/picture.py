"""An image: sharp where the terminal can show it so, else drawn with half blocks, two pixels a cell."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from rich.segment import Segment
from textual.events import Resize
from textual.strip import Strip

from eval_tui.engine.threads import in_thread
from eval_tui.tui.files.pictures import NoPicture, read_picture
from eval_tui.tui.files.sharp import Sharp, read_sharp, speaks_kitty
from eval_tui.tui.host import app_of
from eval_tui.tui.widgets.reading import ReadingView


class Picture(ReadingView, can_focus=False):
    """Reads its image anew for each size that it gets."""

    def __init__(self, failed: Callable[[str], None], *, id: str | None = None) -> None:
        """`failed` is told why an image cannot be drawn."""
        super().__init__(id=id)
        self._failed = failed
        self._path = ""
        self._strips: list[Strip] = []
        self._sharp: Sharp | None = None
        """The image that the terminal holds for us."""

    def show(self, path: str) -> None:
        """Draw the image at `path`; an empty one: none."""
        self._path, self._strips = path, []
        self.display = bool(path)
        self._hand_over(None)
        self.refresh()
        self._load()

    def on_resize(self, event: Resize) -> None:
        self._load()

    def on_unmount(self) -> None:
        self._hand_over(None)

    def _load(self) -> None:
        if self._path and self.size.width and self.size.height:
            self.run_worker(self._fill(self._path), group="picture", exclusive=True)

    async def _fill(self, path: str) -> None:
        width, height = self.size
        sharp, rows = None, list[list[Segment]]()
        try:
            if speaks_kitty(os.environ):
                sharp = await in_thread(partial(read_sharp, path, width, height))
            rows = (
                sharp.rows if sharp else await in_thread(partial(read_picture, path, width, height))
            )
        except NoPicture as error:
            self._failed(str(error))
        if path == self._path:
            self._hand_over(sharp)
            self._strips = [Strip(row) for row in rows]
            self.refresh()

    def _hand_over(self, sharp: Sharp | None) -> None:
        """Give the terminal the pixels, in place of those that it has. The driver writes in turn."""
        before, self._sharp = self._sharp, sharp
        message = (before.forgotten if before else "") + (sharp.sent if sharp else "")
        if message and (driver := app_of(self)._driver) is not None:
            driver.write(message)

    def render_line(self, y: int) -> Strip:
        if y >= len(self._strips):
            return Strip.blank(self.size.width, self.rich_style)
        return self._strips[y].crop_extend(0, self.size.width, self.rich_style)
