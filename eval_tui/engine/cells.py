"""The session's own memory of a cell: what is shown, and what that rests on."""

from __future__ import annotations

from typing import Any

import msgspec

from eval_tui.engine.entries import Inputs, StoredCell
from eval_tui.engine.grid import Waiting
from eval_tui.scores import Score, from_plain


class CellInfo(msgspec.Struct, gc=False):
    """What is known of one cell besides its place in the grid.

    There are many, so they are of a kind that is made quickly and that the collector leaves alone.
    """

    fp: str
    condition: str
    made: Score | None = None
    """`score`, once somebody has asked for it or a worker has told it."""
    plain: dict[str, Any] | None = None
    """The score as plain data, without a rationale."""
    result: int = 0
    ambient: str = ""
    sig: str = ""
    cond: Inputs = []
    known: bool = False
    """Whether `score` was worked out here (now or earlier), not taken from `summary.yaml`."""
    epoch: int = -1
    """Of the batch that told what is shown: an older batch that comes later tells nothing new."""
    behind: Waiting | None = None
    """Why nothing is done although what is shown may not hold any more; None when it holds."""
    outdated: bool = False
    """The judge has changed since: what is shown is surely old."""
    request: str = ""
    """Digest of the request that a model judge's cell asks now."""
    samples: int = 1
    """How many answers of a model the score is made of."""
    older: bool = False
    """The score answers an older wording of ours: it stays, marked, until asked by key (D49)."""
    note: str = ""
    """Why the value in view is still the one of before, or empty."""
    lost: bool = False
    """The process died or was killed: its inputs are not known."""
    reused: bool = False
    ran: bool = False
    """Ran in this session."""
    trigger: str = ""
    changed: tuple[str, ...] = ()
    """Inputs that differed from the time before, as `kind key`."""
    absent: tuple[str, ...] = ()
    """Keys of the record that were asked for and are not there."""
    unreadable: int = 0
    """How often a document was unreadable while young (D13)."""

    @property
    def score(self) -> Score | None:
        """As stored: before the judge's range is applied."""
        if self.made is None and self.plain is not None:
            self.made = from_plain(self.plain)
        return self.made

    @score.setter
    def score(self, score: Score | None) -> None:
        self.made = score

    def stored(self) -> StoredCell | None:
        """What the store keeps of the cell, or None while there is nothing to keep."""
        if not self.known or self.plain is None:
            return None
        return StoredCell(
            self.fp,
            self.result,
            self.plain,
            self.condition,
            self.ambient,
            self.sig,
            self.cond,
            self.absent,
            self.samples,
        )


def restored(stored: StoredCell, sig: str) -> CellInfo:
    """What an earlier session knew of a cell, trusted as far as `sig` goes."""
    return CellInfo(
        stored.fp,
        stored.condition,
        None,
        stored.score,
        stored.result,
        stored.ambient,
        sig,
        stored.cond,
        True,
        samples=stored.samples,
        reused=True,
        absent=stored.absent,
    )


def without_rationale(plain: dict[str, Any]) -> dict[str, Any]:
    """The score as the grid needs it: long texts stay in the result."""
    slim = {key: value for key, value in plain.items() if key != "traceback"}
    for key in ("rationale", "detail"):
        text = slim.get(key)
        if isinstance(text, str) and len(text) > 80:
            slim[key] = text[:80]
    if "samples" in slim:  # whether they agree is seen
        slim["samples"] = [[value, "", error[:80]] for value, _, error in slim["samples"]]
    if "parts" in slim:
        slim["parts"] = {name: without_rationale(part) for name, part in slim["parts"].items()}
    return slim
