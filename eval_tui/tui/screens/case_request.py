"""What the model would be asked about the cell that is read: told by a worker when that is looked at."""

from __future__ import annotations

from collections.abc import Callable

from eval_tui.engine.dryrun import DryRun
from eval_tui.engine.grid import Detail
from eval_tui.tui.document import Document
from eval_tui.tui.request_page import request_page
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.widgets.files_pane import note


class Requests:
    """The request for what is known of a cell; a screen's worker has it put together once for each."""

    def __init__(self, screen: LiveScreen, loaded: Callable[[], None]) -> None:
        """`loaded` is called when there is another one."""
        self._screen, self._loaded = screen, loaded
        self._found: DryRun | str = ""
        """The request, or why it cannot be told; empty before it is known."""
        self._of: Detail | None = None

    def of(self, detail: Detail) -> DryRun | str:
        """The request as far as it is known; begins to put it together where it is another's."""
        before, self._of = self._of, detail
        if before is None or before.key != detail.key:
            self._found = ""
        if before is not detail:
            self._screen.run_worker(self._read(detail), group="request", exclusive=True)
        return self._found

    async def _read(self, detail: Detail) -> None:
        try:
            found = await self._screen.driver.dry_run(*detail.key)
        except (OSError, LookupError) as error:
            found = f"The request cannot be told: {error}"
        if self._of is detail:
            self._found = found
            self._loaded()

    @property
    def document(self) -> Document:
        """The page, or what is said in its place."""
        if isinstance(self._found, str):
            return note(self._found or "Putting the request together")
        return request_page(self._found)
