"""Sends what `asking` wants asked: claims, calls, money, and the memory of paid answers."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable

from eval_tui.engine import money
from eval_tui.engine.agents import Agents, Bought
from eval_tui.engine.asking import Asking
from eval_tui.engine.client import Answer, ModelClient
from eval_tui.engine.credentials import Credentials, find_credentials
from eval_tui.engine.failures import Failure, no_key
from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import Budget, Estimate, Policy
from eval_tui.engine.owners import new_owner
from eval_tui.engine.project import Options
from eval_tui.engine.refusals import Door, Refusals
from eval_tui.engine.verdicts import RENEW_SECONDS, Verdict, Verdicts, open_verdicts
from eval_tui.engine.wants import Books, Call
from eval_tui.judges.model.request import Request
from eval_tui.judges.model.shown import request_text
from eval_tui.scores import Reason, Unmeasured


class ModelCalls(Books):
    """The calls of one driver. Belongs to one event loop; does nothing before the first request."""

    def __init__(
        self,
        options: Options,
        asking: Asking,
        run_key: Callable[[], str],
        ended: Callable[[], None],
        store_path: str | None,
        agents: Agents,
        *,
        patient: bool = False,
    ) -> None:
        unlimited = options.auto == "paid" and math.isinf(options.budget)
        budget = Budget(options.budget) if options.auto == "paid" and not unlimited else None
        super().__init__(Policy(options.auto, budget))
        self.unlimited, self.patient = unlimited, patient
        self._options, self._asking, self._agents = options, asking, agents
        self._run_key, self._ended = run_key, ended
        self._folder = os.path.dirname(store_path) if store_path else None
        self._verdicts: Verdicts | None = None
        self._client: ModelClient | None = None
        self._owner = new_owner()
        self._under_way: dict[asyncio.Task[None], Call] = {}
        self._pricing: asyncio.Task[None] | None = None
        self._refusals = Refusals()
        self._finishing: set[asyncio.Task[None]] = set()
        """Clients with credentials of before, until their last call has ended."""
        self.credentials: Credentials | None = None
        self.refresh()
        asking.books = self

    def refresh(self) -> bool:
        """Look for a key again; True when it is another one than before."""
        found = find_credentials(self._options.environ, self._options.root)
        if found == self.credentials:
            return False
        self.credentials, self.mark = found, found.mark if found is not None else ""
        old, self._client = self._client, None
        if old is not None:  # what is in flight may be paid for already
            finishing = asyncio.ensure_future(old.finish())
            self._finishing.add(finishing)
            finishing.add_done_callback(self._finishing.discard)
        return True

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    # Books

    def known(self, digest: str, index: int) -> Verdict | None:
        return self._memory().get(digest, index)

    def about(self, subject: str, index: int) -> Verdict | None:
        return self._memory().about(subject, index)

    def refused(self, model: str) -> Failure | None:
        return self._refusals.at(Door(self.mark, model))

    def estimate(self, request: Request, samples: int) -> Estimate:
        if request.for_agent:
            return money.total([money.most_for_agent(request.params)] * samples)
        if self.credentials is None or not self.ready:
            return Estimate(samples, 0, 0, None)
        one = money.estimate(request.params, self.credentials)
        return money.total([one] * samples)

    def unavailable(self, key: CellKey) -> Unmeasured | None:
        return self._agents.unavailable(key)

    def saving(self, verdict: Verdict) -> float | None:
        if self.credentials is None or not (self.ready and money.cached_tokens(verdict.usage)):
            return None
        return money.cache_saving(verdict.model, verdict.usage, self.credentials)

    def asked(self, digest: str) -> str | None:
        """The text of a request that was answered; None when it was not kept."""
        return self._memory().asked(digest)

    def _memory(self) -> Verdicts:
        if self._verdicts is None:
            self._verdicts = open_verdicts(self._folder)
        return self._verdicts

    # Sending

    async def prepare(self) -> None:
        """Load the price list off the loop, once; estimates are not known before."""
        if not self.ready and self.credentials is not None:
            self._pricing = self._pricing or asyncio.ensure_future(money.load_prices())
            await self._pricing
            self.ready = True

    def pump(self) -> None:
        """Send what may be sent, and stop what nobody asks any more."""
        for task, call in list(self._under_way.items()):
            if not self._asking.wanted(call):
                task.cancel()
        while len(self._under_way) < self._options.concurrency:
            call = self._asking.next_call()
            if call is None:
                return
            task = asyncio.get_running_loop().create_task(self._send(call))
            self._under_way[task] = call
            task.add_done_callback(self._landed)

    def _landed(self, task: asyncio.Task[None]) -> None:
        self._unspent(self._under_way.pop(task))
        self._ended()

    def _unspent(self, call: Call) -> None:
        """Nothing was sent for a call whose money is still set aside."""
        if self.policy.budget is not None and call.reservation is not None:
            self.policy.budget.release(call.reservation)

    async def _send(self, call: Call) -> None:
        memory, owner = self._memory(), self._owner
        budget = self.policy.budget
        verdict = await memory.get_or_claim(call.digest, call.index, owner, forced=call.forced)
        if verdict is not None:
            self._unspent(call)
            self._asking.answered(call, verdict, bought=False)
            return
        mark = self.mark
        try:
            outcome = await self._ask(call)
        except BaseException:  # cancelled, above all: it may have been billed
            if budget is not None and call.reservation is not None:
                budget.settle(call.reservation)
            raise
        finally:
            memory.release(call.digest, call.index, owner)
        self._asking.answered(call, outcome, bought=True, mark=mark)
        if not call.for_agent:
            self._learn(Door(mark, str(call.params["model"])), call.key.case, outcome)
        elif budget is not None:
            self._asking.reconsider()  # agents mostly spend less than was set aside for them

    def _learn(self, door: Door, case: str, outcome: Verdict | Failure) -> None:
        """What an outcome says of the key, for everything else that waits to be asked with it."""
        if not isinstance(outcome, Failure):
            changed = self._refusals.let_in(door)
        else:
            refused = outcome.reason is Reason.MISSING_SECRET
            changed = refused and self._refusals.turned_away(door, case, outcome)
        if changed:
            self._asking.reconsider()

    async def _ask(self, call: Call) -> Verdict | Failure:
        got = await (self._run_agent(call) if call.for_agent else self._ask_model(call))
        budget, reservation = self.policy.budget, call.reservation
        if isinstance(got, Failure):
            if budget is not None and reservation is not None:
                (budget.settle if got.billed else budget.release)(reservation)
            return got
        if budget is not None and reservation is not None:
            budget.settle(reservation, got.cost)
        return self._memory().put(
            call.digest,
            call.index,
            got.answer,
            usage=got.answer.usage,
            cost=got.cost,
            model=str(call.params["model"]),
            run=self._run_key(),
            case=call.key.case,
            judge=call.key.judge,
            request=self._agents.mask(request_text(call.params)),
            subject=call.subject,
        )

    async def _ask_model(self, call: Call) -> Bought | Failure:
        credentials, model = self.credentials, str(call.params["model"])
        if credentials is None:
            return no_key()
        if refusal := self.refused(model):
            return refusal
        if self._client is None:
            mask = self._agents.mask
            self._client = ModelClient(credentials, self._options.concurrency, mask)
        answer = await self._client.ask(call.params)
        if not isinstance(answer, Answer):
            return answer
        cost = money.cost_of(model, answer.usage, credentials) if self.ready else None
        return Bought(answer, cost)

    async def _run_agent(self, call: Call) -> Bought | Failure:
        running = asyncio.ensure_future(self._agents.run(call.key, call.digest))
        try:
            while not (await asyncio.wait({running}, timeout=RENEW_SECONDS))[0]:
                self._memory().renew()  # an agent may take longer than a claim lasts
            return running.result()
        finally:
            if running.cancel():
                await asyncio.wait({running})

    def retry_refused(self) -> None:
        """The person asks again: a key that was refused may be tried once more."""
        self._refusals.forget()

    async def close(self) -> None:
        """Stop what is under way and write what was paid for."""
        for task in list(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        if self._client is not None:
            await self._client.close()
        await asyncio.gather(*self._finishing, return_exceptions=True)
        if self._verdicts is not None:
            self._verdicts.close()
