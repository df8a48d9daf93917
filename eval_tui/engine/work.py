"""The traffic with the workers: what is due goes out, what they tell comes in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from eval_tui.engine.batches import Batch, BatchInfo
from eval_tui.engine.frames import Message
from eval_tui.engine.grader_needs import command_limits, granted_variables
from eval_tui.engine.grid import CellKey
from eval_tui.engine.project import Options
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.session import Session
from eval_tui.engine.store import Store
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.wire import judge_to_plain
from eval_tui.engine.workers import workers_for

if TYPE_CHECKING:
    from eval_tui.engine.agents import Agents
    from eval_tui.engine.calls import ModelCalls

SEEN_S = 0.15
"""Seconds after which a judge is shown as running: most are done long before."""

SLOW_S = 1.0
"""Seconds after which a judge is slow: no other cell waits behind it from then on."""

FLUSH_S = 0.1
"""Seconds for which results are gathered before they are written."""


class Work:
    """Keeps the workers busy with what a session has due. Belongs to one event loop.

    `patient`: somebody looks on, and what fails in transport is tried again after pauses (D36).
    `settled` is called when there may be nothing left to do, `told` when `broken` changed or the
    store has something to say, and `wrote` after results were written.
    """

    def __init__(
        self,
        options: Options,
        session: Session,
        store: Store,
        supervisors: SupervisorFactory,
        secrets: Secrets,
        workers: int,
        *,
        patient: bool,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        settled: Callable[[], None],
        told: Callable[[], None],
        wrote: Callable[[], None],
    ) -> None:
        self._options, self._session, self._store = options, session, store
        self._spawn, self._settled, self._told, self._wrote = spawn, settled, told, wrote
        self._secrets, self._patient = secrets, patient
        self.pool = workers_for(options, supervisors, workers, self._received, secrets)
        self._count_lanes()
        self.broken = ""
        """Why no worker can be had, or empty."""
        self.calls: ModelCalls | None = None
        """Model calls; None before the first request was rendered."""
        self.pumping = False
        """A pump is to come in this turn of the loop."""
        self.closed = False
        self._generation = 0
        self._generation_epoch: int = -1
        self._wake: asyncio.TimerHandle | None = None
        self._flush: asyncio.TimerHandle | None = None
        self._glance: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Get the workers ready."""
        await self.pool.start()
        self._count_lanes()

    def _count_lanes(self) -> None:
        """Where nobody edits meanwhile, no worker need be kept free."""
        free = 1 if self._patient else 0
        self._session.queue.slow_lanes = max(1, self.pool.size - free)

    @property
    def idle(self) -> bool:
        """Nothing is on its way out, and no model is being asked."""
        return not (self.pumping or (self.calls is not None and self.calls.under_way))

    def stop(self) -> None:
        """Hand nothing out any more."""
        self.closed = True
        for timer in (self._wake, self._flush, self._glance):
            if timer is not None:
                timer.cancel()

    async def close(self) -> None:
        """End all calls and workers."""
        if self.calls is not None:
            await self.calls.close()
        await self.pool.close()

    def pump(self) -> None:
        """Give workers what is due."""
        self.pumping = False
        session = self._session
        if self.closed or session.target.spec is None:
            self._settled()
            return
        if session.queue.any_due and not session.status.paused:
            self._renew_workers()
        while self.pool.room > 0:
            batch = session.next_batch(self._generation, session.queue.share(self.pool.size))
            if batch is None:
                break
            self.pool.submit(
                Batch(
                    batch["id"],
                    self._generation,
                    batch["cases"],
                    limits=command_limits(session.config),
                    limit=self._options.judge_timeout,
                    extra={"ambients": batch["ambients"]},
                )
            )
        if self.calls is not None:
            self.calls.pump()
        if session.queue.inflight and self._glance is None:
            self._glance = asyncio.get_running_loop().call_later(SEEN_S, self._look_at_work)
        self._plan_wake()
        self._settled()

    def pump_soon(self) -> None:
        """Once for all messages that have come in together."""
        if not self.pumping:
            self.pumping = True
            asyncio.get_running_loop().call_soon(self.pump)

    def _renew_workers(self) -> None:
        """Every plan gets fresh workers: no stale import and no stale cache survives."""
        session = self._session
        if session.epoch == self._generation_epoch:
            return
        obsolete = session.queue.obsolete()
        if obsolete:
            self.pool.cancel(obsolete)
        self._generation_epoch = session.epoch
        self._generation = self.pool.new_generation(self._setup(), keep_running=True)

    def _setup(self) -> dict[str, Any]:
        config, spec = self._session.config, self._session.target.spec
        baseline = self._session.target.baseline
        assert spec is not None
        return {
            "root": config.root,
            "config": config.path,
            "record": spec.to_plain(),
            "baseline": baseline.to_plain() if baseline is not None else None,
            "judges": [judge_to_plain(j) for j in config.judges if j.problem is None],
            "variables": granted_variables(config, self._options.environ),
            "memory_mb": self._options.judge_memory,
        }

    def _received(self, message: Message, info: BatchInfo | None) -> None:
        if message["t"] == "broken":
            self.broken = message["text"]
            self._session.cancel(None)
            self._told()
        else:
            if self.broken and message["t"] == "cell":
                self.broken = ""
                self._told()
            if message.get("outcome") == "asked":
                self.books()
            self._session.received(message)
        if message["t"] in ("done", "cancelled", "cased", "broken", "lost"):
            self.pump_soon()
        if self._flush is None and not self.closed:
            self._flush = asyncio.get_running_loop().call_later(FLUSH_S, self._write)

    def books(self) -> ModelCalls:
        """Model calls; what they need is imported with the first request, not before."""
        if self.calls is not None:
            return self.calls
        from eval_tui.engine.calls import ModelCalls

        self.calls = ModelCalls(
            self._options,
            self._session.asking,
            lambda: self._session.run_key,
            self.pump_soon,
            self._store.path,
            self._agents(),
            patient=self._patient,
        )
        self._spawn(self._learn_prices())
        return self.calls

    def _agents(self) -> Agents:
        from eval_tui.engine.agents import Agents

        return Agents(self._session, self.pool.crew, self._secrets, self._options.environ)

    def refresh_key(self) -> None:
        """A key may have come or gone."""
        if self.calls is not None and self.calls.refresh():
            self._spawn(self._learn_prices(other_key=True))

    async def _learn_prices(self, *, other_key: bool = False) -> None:
        if self.calls is not None:
            await self.calls.prepare()
            self._session.asking.reconsider(other_key=other_key)
            self.pump()

    def _look_at_work(self) -> None:
        """Say which judges are running for long enough to be seen.

        What waits in a batch behind a slow one is handed out anew: the slow judge begins again
        by itself, and the others do not wait for its time limit.
        """
        self._glance = None
        self._session.at_work(CellKey(*cell) for cell in self.pool.at_work(SEEN_S))
        for _, judge in self.pool.at_work(SLOW_S):
            key = self._session.snapshot.judges.get(judge)
            if key is not None and (batches := self._session.queue.give_way(key.fingerprint)):
                self.pool.cancel(batches)
        if self._session.queue.inflight and not self.closed:
            self._glance = asyncio.get_running_loop().call_later(SEEN_S, self._look_at_work)

    def _write(self) -> None:
        self._flush = None
        before = self._store.notice
        self._store.flush()
        if self._store.notice != before:
            self._told()
        self._wrote()

    def _plan_wake(self) -> None:
        """A job that waits for a file to be written needs someone to wake it."""
        after = self._session.queue.wake_after()
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        if after is not None:
            self._wake = asyncio.get_running_loop().call_later(after + 0.01, self.pump)
