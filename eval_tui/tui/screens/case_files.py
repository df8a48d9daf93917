"""What of the case screen is about files: loading them, and the ways to look at one."""

from __future__ import annotations

from collections.abc import Sequence

from eval_tui.engine.grid import CaseView, Counterpart, FileText
from eval_tui.tui.host import say
from eval_tui.tui.screens.case_trace import LOADING, CaseTrace
from eval_tui.tui.widgets.files_pane import FilesPane


class CaseFiles(CaseTrace):
    """Knows how the files of the case are read and shown; the case screen builds on this."""

    compares_with = ""
    """The run whose files are compared with, in place of the baseline's."""

    async def load_file(self, name: str) -> FileText:
        """The text of a file of the case."""
        return await self.driver.file_text(self.case, name)

    async def find_others(self, name: str) -> Sequence[Counterpart]:
        """What a file of the case can be compared with."""
        return await self.driver.counterparts(self.case, name, self.compares_with)

    def fill_files(self, view: CaseView | None, unreadable: str, keep: bool) -> None:
        """Show the files of a view, or what there is to say in their place."""
        pane = self.query_one(FilesPane)
        if view is not None:
            pane.show(self.case, view.files, keep)
        else:
            pane.say(unreadable or LOADING)

    def action_fold(self) -> None:
        """Fold or unfold what is under the cursor: an entry of the trace, a folder, a value."""
        if (pane := self._files()) is not None:
            pane.toggle_fold()
        else:
            super().action_fold()

    def action_raw(self) -> None:
        """Show files as their text, or as what they are."""
        if (pane := self._files(told=True)) is not None:
            say(self, "Files as text." if pane.toggle_raw() else "Files as what they are.")

    def action_diff(self) -> None:
        """Compare the file with the next of what there is to compare it with, or with nothing."""
        if (pane := self._files(told=True)) is not None:
            self.run_worker(self._compare(pane), group="comparison", exclusive=True)

    async def _compare(self, pane: FilesPane) -> None:
        say(self, await pane.next_comparison())

    def action_beside(self) -> None:
        """Show what changed side by side, or in one text."""
        if (pane := self._files(told=True)) is not None:
            beside = pane.toggle_beside()
            say(self, "Changes side by side." if beside else "Changes in one text.")

    def _files(self, told: bool = False) -> FilesPane | None:
        """The files if they are in view; `told`: else say where they are."""
        if self.tab == "files":
            return self.query_one(FilesPane)
        if told:
            say(self, "This is for files: 3.")
        return None
