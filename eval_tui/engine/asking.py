"""Model judges: which requests are answered already, which may be sent, and what became of them.

A cell's rendered request is its key: a known one is answered from what was paid for before, by
whatever instance and however long ago. This module decides; `calls` sends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eval_tui.config.schema import Judge
from eval_tui.engine import recall
from eval_tui.engine.cells import CellInfo, without_rationale
from eval_tui.engine.failures import Failure
from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import NOTHING, Estimate, Policy, Reservation, decide, total
from eval_tui.scores import Reason, Score, Unmeasured, to_plain

if TYPE_CHECKING:
    from eval_tui.engine.session import Session
    from eval_tui.engine.verdicts import Verdict
    from eval_tui.judges.model.request import Request

NO_KEY = "no API key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) and the cell is scored"


@dataclass(slots=True)
class Want:
    """A cell whose request is not answered yet."""

    key: CellKey
    request: Request
    samples: int
    missing: set[int]
    forced: bool
    estimate: Estimate
    """Of all its missing samples."""
    going: bool = False
    """May be sent; else it waits for the person."""
    confirmed: bool = False
    sent: set[int] = field(default_factory=set[int])
    failures: dict[int, Failure] = field(default_factory=dict[int, Failure])
    """By sample: what came instead of an answer."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request to send now; its money is set aside."""

    key: CellKey
    digest: str
    index: int
    params: Mapping[str, Any]
    forced: bool
    reservation: Reservation | None


class Books(ABC):
    """What asking rests on besides the session: paid answers, estimates, what may be spent."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.key_present = False
        self.samples = 0
        """`--samples`; 0 leaves it to the judges."""
        self.unlimited = False
        """No budget holds: what has no known price is asked as well."""
        self.ready = False
        """Prices are known; until then nothing is sent on its own."""

    @abstractmethod
    def known(self, digest: str, index: int) -> Verdict | None:
        """The paid answer to a request's sample, if there is one."""

    @abstractmethod
    def estimate(self, request: Request, samples: int) -> Estimate:
        """What the samples of a request are expected to take."""


class Asking:
    """The requests of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.books: Books | None = None
        self.wants: dict[CellKey, Want] = {}
        self.confirmed: set[CellKey] = set()
        """Cells that the person asked for, until their request is rendered."""
        self._failed: dict[CellKey, tuple[str, int, Score | None]] = {}
        """Request, samples and score of what would fail again: asked again by key only (D36)."""
        self.calls = 0
        """Calls answered since the session began."""
        self.cost: float | None = None
        """US dollars of those with a known price; None before the first."""
        self.unpriced = 0

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
        self._failed.clear()
        self.confirmed.clear()

    # A request was rendered

    def rendered(
        self, key: CellKey, info: CellInfo, plain: Mapping[str, Any], forced: bool
    ) -> None:
        """A worker rendered a cell's request: take the known answers, or see about a call."""
        from eval_tui.judges.model.request import request_from_plain

        session, request = self._session, request_from_plain(plain)
        confirmed = key in self.confirmed
        self.confirmed.discard(key)
        old = self.wants.get(key)
        if old is not None and old.request.digest == request.digest and old.sent and not forced:
            old.confirmed = old.confirmed or confirmed
            return  # it is being asked already
        self.wants.pop(key, None)
        judge = session.judge(key.judge)
        samples = self._samples(judge)
        before, info.request = info.request, request.digest
        found = [] if forced else self._known(request.digest, samples)
        if found and all(found):
            if not (info.known and before == request.digest):
                info.reused = True
                self._settle(key, info, request, [v for v in found if v is not None])
            info.behind, info.outdated = None, False
            return
        if not (forced or confirmed):
            if self._recorded_holds(key, info, request):
                return
            if self._failed.get(key) == (request.digest, samples, info.score):
                info.behind, info.outdated = None, False
                return
        missing = {i for i in range(samples) if not (found and found[i])}
        estimate = self.books.estimate(request, len(missing)) if self.books else NOTHING
        want = Want(key, request, samples, missing, forced, estimate, confirmed=confirmed)
        self.wants[key] = want
        self._decide(want, info)

    def _samples(self, judge: Judge) -> int:
        """How many answers make a cell's score; a built-in is asked once (D14)."""
        if judge.kind == "builtin":
            return 1
        asked_for = self.books.samples if self.books is not None else 0
        return max(1, asked_for or judge.samples)

    def _known(self, digest: str, samples: int) -> list[Verdict | None]:
        books = self.books
        return [books.known(digest, i) if books else None for i in range(samples)]

    def _recorded_holds(self, key: CellKey, info: CellInfo, request: Request) -> bool:
        """Whether a recorded verdict is for this very request, as far as one can know.

        It was paid for and stays: at first sight its request is kept, and compared later.
        """
        session = self._session
        recorded = session.recorded(key)
        if recorded is None or (info.known and info.result):
            return False
        shelf, plain = f"recorded:{key.judge}", to_plain(recorded)
        asked = [["request", "", request.digest]]
        kept = session.store.results(session.run_key, key.case, shelf)
        first = next((result for result in kept if result.score == plain), None)
        if first is None:
            info.result = session.store.add_result(
                session.run_key, key.case, shelf, plain, asked, "", origin="recorded"
            )
        else:
            info.result = first.id
            info.changed = () if first.inputs == asked else ("request ",)
            if first.inputs != asked:
                return False
        info.behind, info.outdated, info.known = None, False, False
        return True

    def _decide(self, want: Want, info: CellInfo) -> None:
        """Send it, or let it wait and say for what."""
        session, books = self._session, self.books
        if books is None:
            session.set_aside(want.key, "off")
            return
        cost = want.estimate.cost
        want.confirmed = want.confirmed or books.unlimited
        waits_for_prices = books.key_present and books.policy.auto == "paid" and not books.ready
        if waits_for_prices and not want.confirmed:
            want.going, info.behind = True, None  # decided once prices are known
            return
        verdict = decide(books.policy, cost, books.key_present, confirmed=want.confirmed)
        want.going = verdict == "go"
        if verdict == "go":
            info.behind = None
        elif verdict != "secret":
            session.set_aside(want.key, verdict)
        elif (info.known and info.result) or session.recorded(want.key) is not None:
            session.set_aside(want.key, "off")
        else:
            self._unmeasured(
                info,
                Unmeasured(Reason.MISSING_SECRET, NO_KEY, recover_on=frozenset({"secret"})),
            )
        session.show(want.key)

    def reconsider(self) -> None:
        """The key or the budget changed: what waits may go on."""
        for want in self.wants.values():
            info = self._session.infos.get(want.key)
            if info is None or want.sent or self.books is None:
                continue
            want.estimate = self.books.estimate(want.request, len(want.missing))
            self._decide(want, info)

    # Sending

    def next_call(self) -> Call | None:
        """The next request to send, its money set aside; None when nothing may be sent now."""
        books, session = self.books, self._session
        if books is None or session.status.paused:
            return None
        for want in self.wants.values():
            left = want.missing - want.sent
            if not want.going or not left or not (books.ready or want.confirmed):
                continue
            index = min(left)
            if index and 0 in want.missing:
                continue  # the first sample goes first, so that the rest hit the prompt cache
            reservation = self._reserve(want)
            if reservation is None and books.policy.budget is not None:
                want.going = False
                session.set_aside(want.key, "money")
                continue
            want.sent.add(index)
            session.show(want.key)
            params = want.request.for_samples(want.samples)
            return Call(want.key, want.request.digest, index, params, want.forced, reservation)
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
        return want is not None and want.request.digest == call.digest and call.index in want.sent

    def answered(self, call: Call, outcome: Verdict | Failure, bought: bool) -> None:
        """A call ended. What it answers is shown only where it is still asked."""
        if bought and not isinstance(outcome, Failure):
            self.calls += 1
            if outcome.cost is None:
                self.unpriced += 1
            else:
                self.cost = (self.cost or 0.0) + outcome.cost
        if not self.wanted(call):
            return
        session, want = self._session, self.wants[call.key]
        info = session.infos.get(call.key)
        want.missing.discard(call.index)
        want.sent.discard(call.index)
        if isinstance(outcome, Failure):
            want.failures[call.index] = outcome
        if info is None or want.missing:
            session.show(call.key)
            return
        del self.wants[call.key]
        self._failed.pop(call.key, None)
        known = self._known(call.digest, want.samples)
        # A forced rerun that fails does not replace an answer by nothing (D46).
        if any(known) and (not want.failures or want.samples > 1 or want.forced):
            info.reused = not bought
            found = [verdict or want.failures.get(i) for i, verdict in enumerate(known)]
            self._settle(call.key, info, want.request, [one for one in found if one is not None])
        elif want.failures:
            self._unmeasured(info, want.failures[min(want.failures)].score())
        if any(_stays(failure) for failure in want.failures.values()):
            self._failed[call.key] = (call.digest, want.samples, info.score)
        session.count(ran=1 if bought else 0)
        info.behind, info.outdated, info.ran = None, False, bought
        recall.save_row(session, call.key.case)
        session.show(call.key)

    def _settle(
        self,
        key: CellKey,
        info: CellInfo,
        request: Request,
        found: Sequence[Verdict | Failure],
    ) -> None:
        """The cell's answers are all there, by sample: read them and keep the score."""
        # Rendering libraries come along: not before there is an answer to read.
        from eval_tui.judges.model.answer import read_answer
        from eval_tui.judges.model.sampling import combine

        session, judge = self._session, self._session.judge(key.judge)
        outcomes = [
            one.score()
            if isinstance(one, Failure)
            else read_answer(one.answer.to_plain(), request.scale, judge.criteria)
            for one in found
        ]
        score: Score = combine(outcomes, judge)
        plain = to_plain(score)
        verdicts = [one for one in found if not isinstance(one, Failure)]
        costs = [verdict.cost for verdict in verdicts]
        paid = None if any(cost is None for cost in costs) else sum(c for c in costs if c)
        info.result = session.store.add_result(
            session.run_key,
            key.case,
            info.fp,
            plain,
            [["request", "", request.digest]],
            info.ambient,
            at=max(verdict.at for verdict in verdicts),
            extra={"model": verdicts[0].model, "cost": paid, "calls": len(verdicts)},
        )
        info.score, info.plain = score, without_rationale(plain)
        info.known, info.lost, info.changed = True, False, ()

    def _unmeasured(self, info: CellInfo, score: Unmeasured) -> None:
        """No answer: the reason is shown. What waits for a key is not remembered."""
        info.score, info.result, info.known, info.behind = score, 0, True, None
        lasting = score.reason is not Reason.MISSING_SECRET
        info.plain = to_plain(score) if lasting else None

    # What the person asks

    def estimate(self, cells: Iterable[CellKey], force: bool) -> Estimate:
        """What a rerun of these cells is expected to take; no calls without a key.

        A request whose answer is known costs nothing unless it is asked again by force: what
        that takes is not known before it is rendered.
        """
        if self.books is None or not self.books.key_present:
            return NOTHING
        estimates: list[Estimate] = []
        for key in cells:
            judge, want = self._session.judge(key.judge), self.wants.get(key)
            if want is not None and not force:
                estimates.append(want.estimate)
            elif force and judge.asks_model and judge.kind != "agent":
                estimates.append(Estimate(self._samples(judge), 0, 0, None))
        return total(estimates)

    def cancel(self, cells: set[CellKey] | None) -> int:
        """Stop asking for these cells; how many were being asked."""
        count = 0
        for key, want in self.wants.items():
            if want.going and (cells is None or key in cells):
                want.going, want.confirmed = False, False
                want.sent.clear()
                self._session.set_aside(key, "cancelled")
                count += 1
        return count


def _stays(failure: Failure) -> bool:
    """Whether asking again on its own is no use, or not free: not for the network or a key."""
    return not failure.transport and "secret" not in failure.recover_on
