"""Drawing on a terminal that may be closed at any time."""

from __future__ import annotations

import io
from typing import Any, Final

from textual.drivers.linux_driver import LinuxDriver

_ERRORS: Final = "backslashreplace"
_KEEP_TITLE: Final = "\x1b[22;2t"
_TITLE_BACK: Final = "\x1b[23;2t"
"""Terminals that know neither ignore them."""


class LastingFile(io.FileIO):
    """An open file; what it cannot take any more is lost without a word."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


class TerminalDriver(LinuxDriver):
    """Textual's driver, which outlasts its terminal.

    The thread that writes would end with the first write that fails, and the app, which hands it
    what is drawn through a queue of limited length, would wait for it for ever.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)  # pyright: ignore[reportUnknownMemberType]
        out = LastingFile(self._file.fileno(), "w", closefd=False)
        self._file = io.TextIOWrapper(io.BufferedWriter(out), self._file.encoding, _ERRORS)

    def start_application_mode(self) -> None:
        super().start_application_mode()
        self.write(_KEEP_TITLE)

    def stop_application_mode(self) -> None:
        self.write(_TITLE_BACK)
        super().stop_application_mode()

    def set_title(self, title: str) -> None:
        """Name the terminal's window; the title must be clean."""
        self.write(f"\x1b]2;{title}\x1b\\")
