"""What the pool has to tell: in order, from the event loop, and with secrets masked."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from eval_tui.engine.batches import BatchInfo
from eval_tui.engine.frames import Message
from eval_tui.engine.secrets import Secrets

OnMessage = Callable[[Message, "BatchInfo | None"], None]


class Outbox:
    """Messages on their way to whoever uses the pool."""

    def __init__(self, on_message: OnMessage, secrets: Secrets | None) -> None:
        self._on_message, self._secrets = on_message, secrets
        self._pending: deque[tuple[Message, BatchInfo | None]] = deque()

    def put(self, message: Message, info: BatchInfo | None) -> None:
        """Tell it in the next turn of the loop: never from inside a method of the pool."""
        if self._secrets is not None:
            message = self._secrets.mask_message(message)
        if not self._pending:
            asyncio.get_running_loop().call_soon(self._flush)
        self._pending.append((message, info))

    def _flush(self) -> None:
        while self._pending:
            message, info = self._pending.popleft()
            self._on_message(message, info)

    def forget_batches(self) -> None:
        """Nothing more is told of any batch but that it was cancelled."""
        kept: deque[tuple[Message, BatchInfo | None]] = deque()
        for message, info in self._pending:
            if info is not None and message["t"] == "done":
                kept.append(({"t": "cancelled", "id": info.id}, info))
            elif info is None or message["t"] == "cancelled":
                kept.append((message, info))
        self._pending = kept

    def clear(self) -> None:
        """Tell nothing at all."""
        self._pending.clear()
