"""What asking models is expected to take: for questions, for a rerun, for all that waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from eval_tui.config.schema import Judge
from eval_tui.engine import answers
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import NOTHING, Estimate, total
from eval_tui.engine.wants import Books, Want
from eval_tui.scores import Measured

if TYPE_CHECKING:
    from eval_tui.engine.session import Session
    from eval_tui.engine.verdicts import Verdict


def of_questions(books: Books | None, want: Want, places: Iterable[int]) -> Estimate:
    """What asking these questions of a cell is expected to take."""
    if books is None:
        return NOTHING
    requests = [want.questions[place].request for place in places]
    counts = Counter(request.digest for request in requests)
    each = {request.digest: request for request in requests}
    return total(books.estimate(each[digest], count) for digest, count in counts.items())


def of_rerun(session: Session, cells: Iterable[CellKey], force: bool) -> Estimate:
    """What a rerun of these cells is expected to take; no calls without a key.

    A request whose answer is known costs nothing unless it is asked again by force, or the
    answer could not be read: then it is taken to cost what it cost before.
    """
    asking, books = session.asking, session.asking.books
    if books is None:
        return NOTHING
    estimates: list[Estimate] = []
    for key in cells:
        info, want = session.infos.get(key), asking.wants.get(key)
        judge = session.judge(key.judge)
        if not (books.mark or judge.kind == "agent"):
            if judge.asks_model and _unanswered(want, info, force):
                estimates.append(replace(NOTHING, keyless=1))
            continue
        if want is not None:
            places = range(len(want.questions)) if force else want.missing
            estimates.append(of_questions(books, want, places))
        elif info is not None and (force or answers.may_measure(info)):
            estimates.append(_as_before(session, judge, info))
    return total(estimates)


def _unanswered(want: Want | None, info: CellInfo | None, force: bool) -> bool:
    """Whether a model would have to be asked about a cell, as far as that is known."""
    if force or info is None:
        return True
    if want is not None:
        return bool(want.missing)
    return not (info.known and isinstance(info.score, Measured))


def _as_before(session: Session, judge: Judge, info: CellInfo) -> Estimate:
    if not judge.asks_model:
        return NOTHING
    orders = 2 if judge.compares else 1
    result = session.store.result(info.result) if info.known and info.result else None
    cost = result.extra.get("cost") if result is not None else None
    return Estimate(orders * session.asking.samples_of(judge), 0, 0, cost)


def unpaid(
    wants: Mapping[CellKey, Want], infos: Mapping[CellKey, CellInfo]
) -> tuple[int, float | None]:
    """How many cells wait for a go-ahead, and what asking for them is expected to cost."""
    count, cost, priced = 0, 0.0, True
    for key, want in wants.items():
        info = infos.get(key)
        if want.going or info is None or info.behind != "money":
            continue
        count += 1
        if want.estimate.cost is None:
            priced = False
        else:
            cost += want.estimate.cost
    return count, cost if count and priced else None


def saved(books: Books | None, verdicts: Sequence[Verdict]) -> float | None:
    """What the prompt cache saved in these calls, in US dollars; None where no saving is known."""
    found = [books.saving(verdict) for verdict in verdicts] if books is not None else []
    known = [saving for saving in found if saving is not None]
    return sum(known) if known else None
