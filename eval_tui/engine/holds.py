"""Why a cell's requests are not asked although they have no answer: what was tried, paid or stopped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eval_tui.engine import answers
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.grid import CellKey
from eval_tui.engine.wants import Want
from eval_tui.scores import Reason, Score, Unmeasured, to_plain

if TYPE_CHECKING:
    from eval_tui.engine.session import Session


def holds(session: Session, want: Want, info: CellInfo, old: Want | None) -> bool:
    """Whether there is a reason not to ask without being told to; it is in `want.hold`.

    `old` is what was wanted of the cell before.
    """
    key = want.key
    if old is not None and old.digest == want.digest:
        want.refusal = old.refusal
        if old.hold == "cancelled":
            want.hold = "cancelled"
            session.set_aside(key, "cancelled")
            return True
    result = answers.remembered(session, key, info, want.digest, want.samples)
    if result is not None:
        want.attempts = answers.attempts(result)
        if answers.asked_again_alone(result):
            return old is not None and _pauses(session, want, info, old)
    if result is not None or (want.keeps and not info.known):
        want.hold = "failed" if result is not None else "recorded"
    elif _take_older(session, want, info):
        want.hold = "older"
    else:
        return False
    info.behind, info.outdated = None, False
    return True


def _pauses(session: Session, want: Want, info: CellInfo, old: Want) -> bool:
    """Whether it is not yet time for the next attempt at the same."""
    if old.digest != want.digest or session.clock() >= old.not_before:
        return False
    want.failures, want.not_before = old.failures, old.not_before
    info.behind, info.outdated = None, False
    if want.not_before < math.inf:
        session.enqueue([want.key], not_before=want.not_before)
    return True


def _take_older(session: Session, want: Want, info: CellInfo) -> bool:
    """Show the answers to an older wording of ours (D49), if there are some."""
    books, subject = session.asking.books, want.subject
    if books is None or not subject:
        return False
    found = [books.about(subject, question.sample) for question in want.questions]
    verdicts = [verdict for verdict in found if verdict is not None]
    if len(verdicts) < len(found):
        return False
    digest = verdicts[0].digest
    if answers.in_view(session, info, digest, want.samples) is None:
        info.reused = True
        answers.settle(session, info, want, verdicts, digest=digest)
    info.older = True
    return True


def _had_no_key(score: Score) -> bool:
    """Whether nobody was asked for want of a key: no verdict that would have to be kept."""
    return isinstance(score, Unmeasured) and score.reason is Reason.MISSING_SECRET


def recorded(session: Session, key: CellKey, info: CellInfo, digest: str) -> bool:
    """Whether a recorded verdict is for this very request, as far as one can know.

    It was paid for and stays: at first sight its request is kept, and compared later.
    """
    found = session.recorded(key)
    if found is None or (info.known and info.result) or _had_no_key(found):
        return False
    info.known = False  # it was read late: that there is no key was told in its place
    if key in session.target.outdated:
        return False  # whatever it was asked with, this judge was not it
    shelf, plain = f"recorded:{key.judge}", to_plain(found)
    asked = [["request", "", digest]]
    kept = session.store.results(session.run_key, key.case, shelf)
    first = next((result for result in kept if result.score == plain), None)
    if first is None:
        info.result = session.store.add_result(
            session.run_key, key.case, shelf, plain, asked, "", origin="recorded"
        )
        return True
    info.result = first.id
    info.changed = () if first.inputs == asked else ("request ",)
    return first.inputs == asked
