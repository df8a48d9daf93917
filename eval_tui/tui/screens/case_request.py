"""What of the case screen is about requests: rendered in a worker when their page is looked at."""

from __future__ import annotations

from eval_tui.engine.dryrun import DryRun
from eval_tui.engine.grid import CellKey, Detail
from eval_tui.tui.document import Document
from eval_tui.tui.face import Driver
from eval_tui.tui.request_page import request_page
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.widgets.files_pane import note


class CaseRequest(LiveScreen):
    """Knows what the model would be asked about the cell; the case screen builds on this."""

    case: str
    judge: str

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self.request: DryRun | str = ""
        """The request, or why it cannot be told; empty before it is known."""
        self._request_for: Detail | None = None

    @property
    def cell(self) -> CellKey:
        return CellKey(self.case, self.judge)

    def forget_request(self) -> None:
        """Another cell is read."""
        self.request, self._request_for = "", None

    def load_request(self, detail: Detail) -> None:
        """See to it that the request for what is known of the cell is loaded; once for each."""
        if self._request_for is not detail:
            self._request_for = detail
            self.run_worker(self._read_request(detail), group="request", exclusive=True)

    async def _read_request(self, detail: Detail) -> None:
        try:
            found = await self.driver.dry_run(*detail.key)
        except (OSError, LookupError) as error:
            found = f"The request cannot be told: {error}"
        if self._request_for is detail:
            self.request = found
            self.request_loaded()

    def request_document(self) -> Document:
        """The page, or what is said in its place."""
        if isinstance(self.request, str):
            return note(self.request or "Putting the request together")
        return request_page(self.request)

    def request_loaded(self) -> None:
        """`request` is another one."""
        raise NotImplementedError
