"""A process on a node of a cluster that judges one batch after the other, with a pool of its own.

Started by a Dask worker (`dask_task`), which talks to it over its standard input and output. User
code runs below it as it does on one machine: in workers of the judges' interpreter that a supervisor
forks, with the same limits and the same end for whatever loops or crashes. It ends when its input
does, so when its Dask worker dies, and by itself when nobody has wanted anything for a while.

Frames in: `order` (a batch with the setup of its generation). Frames out: what the pool tells of
the batch, then `over`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any, BinaryIO

from eval_tui.engine.batches import Batch, BatchInfo
from eval_tui.engine.frames import FrameReader, Message, encode
from eval_tui.engine.pool import Pool
from eval_tui.engine.supervisor import start_supervisor, supervisors

IDLE_S = 60.0
"""Seconds after which a process that nobody gave anything to ends: its client is gone."""


def main() -> None:
    """Serve orders from standard input until it ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not print into the frames
    asyncio.run(_serve(out))


async def _serve(out: BinaryIO) -> None:
    inbox = _Inbox()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: inbox, sys.stdin)
    node: _Node | None = None
    try:
        while (order := await asyncio.wait_for(inbox.orders.get(), IDLE_S)) is not None:
            node = node or _Node(order, out)
            work = asyncio.ensure_future(node.run(order))
            gone = asyncio.ensure_future(inbox.gone.wait())
            await asyncio.wait([work, gone], return_when=asyncio.FIRST_COMPLETED)
            gone.cancel()
            if not work.done():
                work.cancel()
                break
            work.result()
    except TimeoutError:
        pass  # its client is gone
    finally:
        transport.close()
        if node is not None:
            await node.pool.close()


class _Inbox(asyncio.Protocol):
    """Orders as they come; None, and `gone` set, at their end."""

    def __init__(self) -> None:
        self.orders: asyncio.Queue[Message | None] = asyncio.Queue()
        self.gone = asyncio.Event()
        self._reader = FrameReader()

    def data_received(self, data: bytes) -> None:
        for message in self._reader.feed(data):
            self.orders.put_nowait(message)

    def eof_received(self) -> None:
        self.connection_lost(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        self.orders.put_nowait(None)


class _Node:
    """A pool with one worker for the project of the first order."""

    def __init__(self, order: Message, out: BinaryIO) -> None:
        root, python = order["setup"]["root"], order["python"] or None
        first = start_supervisor(python, root)
        self.pool = Pool(supervisors(python, root, first), 1, self._told)
        self._out = out
        self._key = ""
        self._generation = 0
        self._over = asyncio.Event()
        self._started = False

    async def run(self, order: Message) -> None:
        """Run one batch, and tell everything about it."""
        if not self._started:
            self._started = True
            await self.pool.start()
        if order["key"] != self._key:
            self._key = order["key"]
            self._generation = self.pool.new_generation(order["setup"])
        self._over.clear()
        self.pool.submit(_batch(order["batch"], self._generation))
        await self._over.wait()
        self._send({"t": "over"})

    def _told(self, message: Message, info: BatchInfo | None) -> None:
        self._send(message)
        if message["t"] in ("done", "cancelled", "broken"):
            self._over.set()

    def _send(self, message: dict[str, Any]) -> None:
        self._out.write(encode(message))
        self._out.flush()


def _batch(plain: dict[str, Any], generation: int) -> Batch:
    return Batch(
        plain["id"], generation, plain["cases"], plain["extra"], plain["limits"], plain["limit"]
    )


if __name__ == "__main__":
    main()
