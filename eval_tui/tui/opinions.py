"""What the person thinks of the cases of the run in view: `review.yaml` in its folder (D53)."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Final

from eval_tui.atomic import write_whole
from eval_tui.engine.authority import person
from eval_tui.engine.grid import CellKey, cell_keys
from eval_tui.results.review import (
    NO_OPINION,
    REVIEW,
    Opinion,
    ReviewBook,
    UnreadableReview,
    read_review,
    review_text,
    with_opinion,
)
from eval_tui.tui.face import Driver

EMPTY_BOOK: Final = ReviewBook()


class Overtaken(Exception):
    """Somebody else has written another opinion of the case meanwhile."""

    def __init__(self, theirs: Opinion) -> None:
        super().__init__("another opinion was written meanwhile")
        self.theirs = theirs


class Opinions:
    """The book of the run in view as last read. `look` follows run and file."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._seen: tuple[str, int, int, int] | None = None
        self.book = EMPTY_BOOK
        self.problem = ""
        """Why the file cannot be read, in words; empty when it can, or is not there."""

    @property
    def path(self) -> str:
        """The file; empty where no run is in view, or it has no folder."""
        folder = self._driver.run_dir
        return os.path.join(folder, REVIEW) if folder else ""

    def look(self) -> frozenset[CellKey]:
        """Read the file anew if it is another one. The cells of cases with another opinion."""
        path = self.path
        seen = _signature(path)
        if seen == self._seen:
            return frozenset()
        before, self._seen = self.book.opinions, seen
        self._read(path)
        now = self.book.opinions
        cases = [
            case
            for case in {**before, **now}
            if before.get(case, NO_OPINION) != now.get(case, NO_OPINION)
        ]
        return frozenset(cell_keys(cases, (judge.name for judge in self._driver.grid.columns)))

    async def put(
        self, case: str, opinion: Opinion, known: Opinion, overwrite: bool = False
    ) -> None:
        """Write down what the person thinks of a case; what stands in the file besides stays.

        Raises Overtaken when the file now says something else of the case than `known`, unless it
        is to be overwritten; UnreadableReview when what is there would be lost; OSError.
        """
        path = self.path
        if not path:
            raise OSError("this run has no folder to keep it in")
        self._seen = _signature(path)
        self._read(path)
        if self.problem:
            raise UnreadableReview(self.problem)
        theirs = self.book.of(case)
        if not (overwrite or theirs.same(known) or theirs.same(opinion)):
            raise Overtaken(theirs)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        said = Opinion(opinion.passed, opinion.comment, at)
        run_id = self._driver.status.run_id
        book = with_opinion(self.book, case, said, run=run_id, reviewer=person())
        await self._driver.write_own(path, lambda: write_whole(path, review_text(book)))

    def _read(self, path: str) -> None:
        self.book, self.problem = EMPTY_BOOK, ""
        try:
            with contextlib.suppress(FileNotFoundError):
                if path:
                    with open(path, "rb") as file:
                        self.book = read_review(file.read(), REVIEW)
        except (OSError, ValueError, UnreadableReview) as error:
            self.problem = str(error)


def _signature(path: str) -> tuple[str, int, int, int]:
    """What tells one version of a file from the next."""
    with contextlib.suppress(OSError, ValueError):  # ValueError: no name that a file can have
        status = os.stat(path)
        return path, status.st_mtime_ns, status.st_size, status.st_ino
    return path, 0, 0, 0
