"""Sends what `asking` wants asked: claims, calls, money, and the memory of paid answers."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable

from eval_tui.engine import money
from eval_tui.engine.asking import Asking, Books, Call
from eval_tui.engine.client import Answer, ModelClient
from eval_tui.engine.credentials import Credentials, find_credentials
from eval_tui.engine.failures import Failure
from eval_tui.engine.money import Budget, Estimate, Policy
from eval_tui.engine.owners import new_owner
from eval_tui.engine.project import Options
from eval_tui.engine.verdicts import Verdict, Verdicts, open_verdicts
from eval_tui.judges.model.request import Request


class ModelCalls(Books):
    """The calls of one driver. Belongs to one event loop; does nothing before the first request."""

    def __init__(
        self,
        options: Options,
        asking: Asking,
        run_key: Callable[[], str],
        ended: Callable[[], None],
        store_path: str | None,
    ) -> None:
        unlimited = options.auto == "paid" and math.isinf(options.budget)
        budget = Budget(options.budget) if options.auto == "paid" and not unlimited else None
        super().__init__(Policy(options.auto, budget))
        self.unlimited, self.samples = unlimited, options.samples
        self._options, self._asking = options, asking
        self._run_key, self._ended = run_key, ended
        self._folder = os.path.dirname(store_path) if store_path else None
        self._verdicts: Verdicts | None = None
        self._client: ModelClient | None = None
        self._owner = new_owner()
        self._under_way: dict[asyncio.Task[None], Call] = {}
        self._pricing: asyncio.Task[None] | None = None
        self.credentials: Credentials | None = None
        self.refresh()
        asking.books = self

    def refresh(self) -> bool:
        """Look for a key again; True when it is another one than before."""
        found = find_credentials(self._options.environ, self._options.root)
        if found == self.credentials:
            return False
        self.credentials, self.key_present = found, found is not None
        old, self._client = self._client, None
        if old is not None:
            closing = asyncio.ensure_future(old.close())
            closing.add_done_callback(lambda _: None)
        return True

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    # Books

    def known(self, digest: str, index: int) -> Verdict | None:
        return self._memory().get(digest, index)

    def estimate(self, request: Request, samples: int) -> Estimate:
        if self.credentials is None or not self.ready:
            return Estimate(samples, 0, 0, None)
        one = money.estimate(request.params, self.credentials)
        return money.total([one] * samples)

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
        while self.credentials is not None and len(self._under_way) < self._options.concurrency:
            call = self._asking.next_call()
            if call is None:
                return
            task = asyncio.get_running_loop().create_task(self._send(call))
            self._under_way[task] = call
            task.add_done_callback(self._landed)

    def _landed(self, task: asyncio.Task[None]) -> None:
        self._under_way.pop(task, None)
        self._ended()

    async def _send(self, call: Call) -> None:
        memory, owner = self._memory(), self._owner
        budget = self.policy.budget
        verdict = await memory.get_or_claim(call.digest, call.index, owner, forced=call.forced)
        if verdict is not None:
            if budget is not None and call.reservation is not None:
                budget.release(call.reservation)
            self._asking.answered(call, verdict, bought=False)
            return
        try:
            outcome = await self._ask(call)
        except asyncio.CancelledError:
            if budget is not None and call.reservation is not None:
                budget.settle(call.reservation)
            raise
        finally:
            memory.release(call.digest, call.index, owner)
        self._asking.answered(call, outcome, bought=True)

    async def _ask(self, call: Call) -> Verdict | Failure:
        credentials = self.credentials
        assert credentials is not None
        if self._client is None:
            self._client = ModelClient(credentials, self._options.concurrency)
        answer = await self._client.ask(call.params)
        budget, reservation = self.policy.budget, call.reservation
        if not isinstance(answer, Answer):
            if budget is not None and reservation is not None:
                (budget.settle if answer.billed else budget.release)(reservation)
            return answer
        model = str(call.params["model"])
        cost = money.cost_of(model, answer.usage, credentials) if self.ready else None
        if budget is not None and reservation is not None:
            budget.settle(reservation, cost)
        return self._memory().put(
            call.digest,
            call.index,
            answer,
            usage=answer.usage,
            cost=cost,
            model=model,
            run=self._run_key(),
            case=call.key.case,
            judge=call.key.judge,
        )

    def retry_refused(self) -> None:
        """The person asks again: a key that was refused may be tried once more."""
        if self._client is not None:
            self._client.forget_refusal()

    async def close(self) -> None:
        """Stop what is under way and write what was paid for."""
        for task in list(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        if self._client is not None:
            await self._client.close()
        if self._verdicts is not None:
            self._verdicts.close()
