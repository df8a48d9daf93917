"""Workers on a Dask cluster that shares its storage with this machine (`score --dask`).

A batch is one task; what its judges tell comes back whole when it ends. On its node it is run by a
process of ours (`dask_task`, `dask_node`) as batches are run here, with the same limits. Only this
process writes the store. What is no judging, such as reading a case for looking at it, stays here.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import uuid
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from typing import Any, Protocol, cast

from eval_tui import __version__
from eval_tui.engine import dask_task
from eval_tui.engine.batches import Batch, CellName, Flight
from eval_tui.engine.crew import Crew
from eval_tui.engine.frames import FrameReader, encode
from eval_tui.engine.outbox import OnMessage, Outbox
from eval_tui.engine.pool import Pool
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.tasks import Tasks

CONNECT_S = 10.0
"""Seconds to wait for the cluster's scheduler."""
CLOSE_S = 5.0
LOOK_S = 10.0
"""Seconds between two looks at whether the cluster has any workers; without any in two of them it
is given up."""

MISSING = "--dask needs the package `distributed`: pip install 'eval-tui[dask]'"


class _Future(Protocol):
    """What we use of a future of `distributed`."""

    def __await__(self) -> Any: ...
    def cancel(self) -> Awaitable[None]: ...


class _Client(Protocol):
    """What we use of an asynchronous client of `distributed`."""

    status: str

    def __await__(self) -> Any: ...
    def submit(self, function: Callable[..., object], *given: object, **how: object) -> _Future: ...
    def nthreads(self) -> Awaitable[Mapping[str, int]]: ...
    def run(self, function: Callable[..., object], *given: object) -> Awaitable[object]: ...
    def close(self) -> Awaitable[None]: ...


class DaskPool:
    """Runs batches on the cluster whose scheduler has an address. See `Workers` and `Pool`."""

    def __init__(
        self,
        address: str,
        supervisor_factory: SupervisorFactory,
        on_message: OnMessage,
        secrets: Secrets | None = None,
        python: str = "",
    ) -> None:
        """`python` is the interpreter that was asked for; empty: each node finds it (D50)."""
        self._address, self._python, self._secrets = address, python, secrets
        self._outbox = Outbox(on_message, secrets)
        self._local = Pool(supervisor_factory, 1, on_message, secrets)
        self._owner = uuid.uuid4().hex
        self._shift = 0
        """Rises when everything is called off: processes at work for an earlier one end."""
        self._client: _Client | None = None
        self._threads = 1
        self._generation = 0
        self._setup: dict[str, Any] = {}
        self._flights: dict[int, tuple[Flight, _Future]] = {}
        self._tasks = Tasks(self._failed)
        self._broken = ""

    async def start(self) -> None:
        """Connect. A cluster that cannot be reached, or is empty, is told as `broken`."""
        await self._local.start()
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            self._break(MISSING)
            return
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we tell what is wrong
        try:
            client = distributed.Client(self._address, asynchronous=True, timeout=CONNECT_S)
            self._client = cast(_Client, await client)
            threads = await self._client.nthreads()
        except (OSError, TimeoutError, ValueError) as error:
            self._break(f"the Dask cluster {self._address} cannot be reached: {error}")
            return
        self._threads = sum(threads.values())
        if not self._threads:
            self._break(f"the Dask cluster {self._address} has no workers")
        self._tasks.spawn(self._look_after(self._client))

    async def _look_after(self, client: _Client) -> None:
        """Give up a cluster whose workers are gone for good: its tasks would wait for ever.

        While others are left, or come back, these judge what was under way.
        """
        empty = 0
        while not self._broken:
            await asyncio.sleep(LOOK_S)
            with contextlib.suppress(OSError):  # of a lost scheduler its tasks tell
                empty = 0 if await client.nthreads() else empty + 1
            if empty > 1 and self._flights:
                self._break(f"the Dask cluster {self._address} has no workers any more")

    @property
    def size(self) -> int:
        return self._threads

    @property
    def python(self) -> str:
        return self._local.python

    @property
    def crew(self) -> Crew:
        return self._local.crew

    @property
    def room(self) -> int:
        """Two batches for each thread of the cluster: one that runs and one ahead."""
        return 0 if self._broken else max(0, 2 * self._threads - len(self._flights))

    def new_generation(self, setup: dict[str, Any], *, keep_running: bool = False) -> int:
        """From now on batches are run with `setup`; those under way end by themselves or now."""
        self._generation += 1
        self._setup = setup
        if self._secrets is not None:
            self._secrets.refresh()
        if not keep_running:
            self.cancel()
        if self._broken:  # who asks for work anew is told anew that there is none
            self._outbox.put({"t": "broken", "text": self._broken}, None)
        return self._generation

    def submit(self, batch: Batch) -> None:
        flight = Flight(batch)
        if batch.generation != self._generation or self._broken or self._client is None:
            self._outbox.put({"t": "cancelled", "id": batch.id}, flight.info)
            return
        future = self._client.submit(
            dask_task.run_order,
            self._owner,
            self._shift,
            __version__,
            self._order(batch),
            key=f"eval-tui-{self._owner}-{batch.id}",
            pure=False,
        )
        self._flights[batch.id] = flight, future
        self._tasks.spawn(self._follow(flight, future))

    def _order(self, batch: Batch) -> bytes:
        plain = {
            "id": batch.id,
            "cases": batch.cases,
            "extra": batch.extra,
            "limits": batch.limits,
            "limit": batch.limit,
        }
        key, setup = f"{self._owner}/{batch.generation}", self._setup
        order = {"key": key, "python": self._python, "setup": setup, "batch": plain}
        return encode({"t": "order", **order})

    async def _follow(self, flight: Flight, future: _Future) -> None:
        """Tell what a task told; a cluster that does not do it is broken."""
        try:
            told = cast(bytes, await future)
        except Exception as error:  # whatever a cluster raises: lost workers, lost links, our own
            self._lost(flight, error)
            return
        if self._flights.pop(flight.batch.id, None) is None:
            return  # called off meanwhile, and told so
        for message in FrameReader().feed(told):
            if message["t"] == "broken":
                self._outbox.put({"t": "cancelled", "id": flight.batch.id}, flight.info)
                self._break(message["text"])
                return
            self._outbox.put(message, flight.info)

    def _lost(self, flight: Flight, error: Exception) -> None:
        if self._flights.pop(flight.batch.id, None) is None:
            return
        self._outbox.put({"t": "cancelled", "id": flight.batch.id}, flight.info)
        self._break(f"the Dask cluster {self._address} did not judge a batch: {error}")

    def _break(self, text: str) -> None:
        """Nothing can be judged any more: say so once, and let go of what is under way."""
        if not self._broken:
            self._broken = text
            self._outbox.put({"t": "broken", "text": text}, None)
            self.cancel()

    def cancel(self, batch_ids: Collection[int] | None = None) -> None:
        """Cancel batches. With all of them the processes on the nodes end, whatever they are at;
        a single one that runs already goes on, and nothing is heard of it."""
        chosen = [id for id in self._flights if batch_ids is None or id in batch_ids]
        if not chosen:
            return
        for id in chosen:
            flight, future = self._flights.pop(id)
            self._tasks.spawn(self._call_off(future))
            self._outbox.put({"t": "cancelled", "id": id}, flight.info)
        if not self._flights:
            self._tasks.spawn(self._end_processes())

    async def _call_off(self, future: _Future) -> None:
        if self._client is not None and self._client.status == "running":
            await future.cancel()

    def _end_processes(self) -> Coroutine[Any, Any, None]:
        """End what is at work by now. What is submitted later may reach a node sooner, and stays."""
        self._shift += 1
        return self._end_before(self._shift)

    async def _end_before(self, shift: int) -> None:
        if self._client is not None and self._client.status == "running":
            with contextlib.suppress(OSError):  # a node that is gone took its processes along
                await self._client.run(dask_task.end_processes, self._owner, shift)

    def _failed(self, error: BaseException) -> None:
        self._break(f"the Dask cluster {self._address} cannot be used any more: {error}")

    def at_work(self, seconds: float) -> list[CellName]:
        """None: what runs on a node is heard of when its batch ends."""
        return []

    async def view(self, request: dict[str, Any], timeout: float = 20.0) -> dict[str, Any]:
        return await self._local.view(request, timeout)

    async def close(self) -> None:
        """End the processes on the nodes and let go of the cluster. Bounded."""
        self._broken = self._broken or "closed"
        self._outbox.clear()
        for id in list(self._flights):
            _, future = self._flights.pop(id)
            self._tasks.spawn(self._call_off(future))
        for last in (self._end_processes, self._let_go):  # what fails now is told to nobody
            await asyncio.wait([self._tasks.spawn(last())], timeout=CLOSE_S)
        await self._tasks.close()
        await self._local.close()

    async def _let_go(self) -> None:
        if self._client is not None:
            await self._client.close()
