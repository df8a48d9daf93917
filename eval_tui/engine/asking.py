"""Model judges: which requests are answered already, which may be sent, and what became of them.

A cell's rendered requests are its key: known ones are answered from what was paid for before, by
whatever instance and however long ago. This module decides; `calls` sends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eval_tui.config.schema import Judge
from eval_tui.engine import answers, estimates, holds, recall
from eval_tui.engine.cells import CellInfo
from eval_tui.engine.failures import Failure, no_key
from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import Reservation, decide
from eval_tui.engine.paid import Spent, spent_on
from eval_tui.engine.questions import Question, asked_again, asked_digest, questions_of
from eval_tui.engine.wants import Books, Call, Want
from eval_tui.scores import Reason, Unmeasured

if TYPE_CHECKING:
    from eval_tui.engine.session import Session
    from eval_tui.engine.verdicts import Verdict

_NOT_KEPT = Failure(Reason.GRADER_ERROR, "the answer could not be kept", retryable=True)


class Asking:
    """The requests of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.books: Books | None = None
        self.wants: dict[CellKey, Want] = {}
        self.confirmed: set[CellKey] = set()
        """Cells that the person asked for, until their request is rendered."""
        self.spent = Spent()
        """What the calls that were answered since the session began took; of other runs as well."""

    @property
    def calls(self) -> int:
        """How many calls were answered since the session began."""
        return self.spent.calls

    @property
    def cost(self) -> float | None:
        """US dollars of those with a known price; None where there are none."""
        return self.spent.known

    @property
    def busy(self) -> bool:
        """Something is being asked, or may be and is not yet."""
        return any(want.going for want in self.wants.values())

    def state(self, key: CellKey) -> str:
        """`running` while a call is under way, `queued` before it, else empty."""
        want = self.wants.get(key)
        if want is None or not want.going:
            return ""
        return "running" if want.sent else "queued"

    def clear(self) -> None:
        """Another grid: nothing of the old one is asked any more."""
        self.wants.clear()
        self.confirmed.clear()

    # A request was rendered

    def rendered(
        self,
        key: CellKey,
        info: CellInfo,
        plain: Sequence[Mapping[str, Any]],
        forced: bool,
        subject: str = "",
    ) -> None:
        """A worker rendered a cell's requests: take the known answers, or see about calls.

        `subject` is a digest of what they are about, apart from our own words (D49).
        """
        from eval_tui.judges.model.request import request_from_plain

        session, requests = self._session, [request_from_plain(one) for one in plain]
        digest, samples = asked_digest(requests), self.samples_of(session.judge(key.judge))
        confirmed = key in self.confirmed
        self.confirmed.discard(key)
        old = self.wants.get(key)
        again = forced and not (old is not None and old.forced and old.going)
        if old is not None and old.digest == digest and old.sent and not again:
            old.confirmed = old.confirmed or confirmed
            return  # it is being asked already
        self.wants.pop(key, None)
        info.request = digest
        info.older = info.older and old is not None and old.digest == digest
        want = Want(key, digest, questions_of(requests, samples), samples, set(), forced, subject)
        want.confirmed = confirmed
        found = self._known(want.questions)
        shown = answers.in_view(session, info, digest, samples)
        if forced or (confirmed and all(found) and answers.may_measure(info) and shown):
            want.forced, found = True, [None] * len(found)
        if all(found):
            if shown is None:
                info.reused = True
                self._settle(info, want, found)
            info.behind, info.outdated = None, False
            return
        want.missing = {place for place, verdict in enumerate(found) if verdict is None}
        want.estimate = estimates.of_questions(self.books, want, want.missing)
        want.attempts = answers.attempts(shown)
        stays = answers.has_value(info) and (shown is not None or info.older)
        want.keeps = holds.recorded(session, key, info, digest) or stays
        self.wants[key] = want
        if want.forced or confirmed or not holds.holds(session, want, info, old):
            self._decide(want, info)

    def samples_of(self, judge: Judge) -> int:
        """How many answers make a cell's score; a built-in is asked once (D14)."""
        if judge.kind == "builtin":
            return 1
        return max(1, self._session.policy.samples or judge.samples)

    def _known(self, questions: list[Question]) -> list[Verdict | None]:
        """The paid answers; a question whose answer was cut off gives way to the larger one."""
        found: list[Verdict | None] = []
        for place, question in enumerate(questions):
            verdict = self._paid(question)
            larger = asked_again(question, verdict.answer.stop_reason) if verdict else None
            if larger is not None:
                questions[place], verdict = larger, self._paid(larger)
            found.append(verdict)
        return found

    def _paid(self, question: Question) -> Verdict | None:
        return self.books.known(question.digest, question.sample) if self.books else None

    def _settle(
        self, info: CellInfo, want: Want, found: Sequence[Verdict | Failure | None]
    ) -> None:
        """Every question of the cell has come to something."""
        came = [one or want.failures.get(place, _NOT_KEPT) for place, one in enumerate(found)]
        verdicts = [one for one in came if not isinstance(one, Failure)]
        answers.settle(self._session, info, want, came, estimates.saved(self.books, verdicts))

    # Deciding

    def _decide(self, want: Want, info: CellInfo) -> None:
        """Send it, or let it wait and say for what."""
        session, books = self._session, self.books
        if books is None:
            session.set_aside(want.key, "off")
            return
        want.confirmed = want.confirmed or books.unlimited
        cost, lacks = want.estimate.cost, self._lacks(want, books)
        needs_prices = lacks is None and not (want.for_agent or books.ready)
        if needs_prices and books.policy.auto == "paid" and not want.confirmed:
            want.going, info.behind = True, None  # decided once prices are known
            return
        verdict = decide(books.policy, cost, lacks is None, confirmed=want.confirmed)
        want.going = verdict == "go"
        if verdict == "go":
            answers.lacks_nothing(info)
            info.behind = None
        elif verdict != "secret" or lacks is None:
            answers.lacks_nothing(info)
            session.set_aside(want.key, "money" if verdict == "money" else "off")
        elif answers.has_value(info) or (not info.known and session.recorded(want.key)):
            keyless = lacks.reason is Reason.MISSING_SECRET
            session.set_aside(want.key, "secret" if keyless else "off")  # D46
            info.note = lacks.detail
        else:
            answers.lacks(info, lacks)
        session.display.show(want.key)

    def _lacks(self, want: Want, books: Books) -> Unmeasured | None:
        """What must be there before anything can be asked: the agent, or a key that is taken."""
        told = want.refusal[1] if want.refusal and want.refusal[0] == books.mark else None
        if want.for_agent:
            return books.unavailable(want.key) or (told.score() if told else None)
        if not books.mark:
            return no_key().score()
        model = str(want.questions[0].request.params["model"])
        refusal = told or books.refused(model)
        return None if refusal is None else refusal.score()

    def reconsider(self, *, other_key: bool = False) -> None:
        """The key, the prices or the budget changed: what waits may go on."""
        for want in list(self.wants.values()):
            info = self._session.infos.get(want.key)
            if info is None or want.sent or self.books is None:
                continue
            if want.hold == "failed" and other_key:
                if not _another_key_helps(want, info):
                    continue
                want.hold = ""
                want.failures.clear()
            if want.open and not want.hold:
                want.estimate = estimates.of_questions(self.books, want, want.missing)
                self._decide(want, info)
        self._session.display.news()  # what waits may have a price by now

    # Sending

    def next_call(self) -> Call | None:
        """The next request to send, its money set aside; None when nothing may be sent now."""
        books, session = self.books, self._session
        if books is None or session.status.paused:
            return None
        for want in self.wants.values():
            may_ask = books.mark and (books.ready or want.confirmed)
            if not want.going or not (want.for_agent or may_ask):
                continue
            unanswered = want.open
            left = unanswered - want.sent
            if not left:
                continue
            place = min(left)
            question = want.questions[place]
            if question.sample and not min(want.questions[p].sample for p in unanswered):
                continue  # the first sample goes first, so that the rest hit the prompt cache
            reservation = self._reserve(want)
            if reservation is None and books.policy.budget is not None:
                want.going = False
                session.set_aside(want.key, "money")
                continue
            want.sent.add(place)
            session.display.show(want.key)
            request, sample = question
            params = request.for_samples(want.samples)
            return Call(
                want.key,
                request.digest,
                sample,
                params,
                want.forced,
                reservation,
                place,
                want.subject,
            )
        return None

    def _reserve(self, want: Want) -> Reservation | None:
        budget = self.books.policy.budget if self.books is not None else None
        if budget is None:
            return None
        cost = want.estimate.cost
        share = None if cost is None else cost / max(1, len(want.missing))
        return budget.reserve(share, confirmed=want.confirmed)

    def wanted(self, call: Call) -> bool:
        """Whether the cell still asks what a call under way asks."""
        want = self.wants.get(call.key)
        return (
            want is not None
            and call.place in want.sent
            and want.questions[call.place].digest == call.digest
        )

    def answered(
        self, call: Call, outcome: Verdict | Failure, bought: bool, mark: str = ""
    ) -> None:
        """A call ended. What it answers is shown only where it is still asked.

        `mark` tells the credentials that it was made with.
        """
        if bought and not isinstance(outcome, Failure):
            self.spent += spent_on(outcome.cost, estimates.saved(self.books, [outcome]))
        if not self.wanted(call):
            return
        want, info = self.wants[call.key], self._session.infos.get(call.key)
        want.sent.discard(call.place)
        if isinstance(outcome, Failure):
            if outcome.reason is Reason.MISSING_SECRET:
                want.refusal, want.going = (mark, outcome), False
            else:
                want.failures[call.place] = outcome
        elif larger := asked_again(want.questions[call.place], outcome.answer.stop_reason):
            want.questions[call.place] = larger
        else:
            want.missing.discard(call.place)
        if info is not None and not want.open:
            self._end(want, info, bought)
        elif info is not None and not (want.going or want.sent):
            self._decide(want, info)
        self._session.display.show(call.key)

    def _end(self, want: Want, info: CellInfo, bought: bool) -> None:
        """Every question was answered, or asked in vain."""
        session, key, failures = self._session, want.key, want.failures
        want.going = False
        info.behind, info.outdated, info.ran = None, False, bought
        if failures and want.keeps:
            info.note = f"asked again in vain: {failures[min(failures)].detail}"
        else:
            info.reused = not bought
            found = [None if place in failures else one for place, one in self._in_order(want)]
            self._settle(info, want, found)
        session.count(ran=1 if bought else 0)
        if not failures:
            del self.wants[key]
        elif not want.keeps and self._comes_again(want):
            want.attempts += 1
        else:
            want.attempts += 1
            want.hold = "failed"
        recall.save_row(session, key.case)
        if self.samples_of(session.judge(key.judge)) != want.samples:
            session.enqueue([key])  # more were asked for meanwhile

    def _in_order(self, want: Want) -> Iterable[tuple[int, Verdict | None]]:
        return enumerate(self._known(want.questions))

    def _comes_again(self, want: Want) -> bool:
        """Whether the same is tried again after a while, three times (D36): in transport it
        failed, and somebody looks on; else the next session does."""
        failures, session, books = want.failures.values(), self._session, self.books
        if not all(one.transport for one in failures) or want.attempts >= len(answers.PAUSES):
            return False
        want.not_before = math.inf
        if books is not None and books.patient:
            if want.confirmed and not any(one.billed for one in failures):
                self.confirmed.add(want.key)
            want.not_before = session.clock() + answers.PAUSES[want.attempts]
            session.enqueue([want.key], not_before=want.not_before)
        return True

    # What the person asks

    def cancel(self, cells: set[CellKey] | None) -> int:
        """Stop asking for these cells; how many were being asked."""
        count = 0
        for key, want in self.wants.items():
            if want.going and (cells is None or key in cells):
                want.going, want.confirmed, want.hold = False, False, "cancelled"
                want.sent.clear()
                self._session.set_aside(key, "cancelled")
                count += 1
        return count


def _another_key_helps(want: Want, info: CellInfo) -> bool:
    """Whether another key or address could recover what failed (D35).

    What failed in an earlier want of the same, or session, is told by the score alone.
    """
    shown = info.score if info.known else None
    told = [*want.failures.values(), *([shown] if isinstance(shown, Unmeasured) else [])]
    return any("secret" in one.recover_on for one in told)
