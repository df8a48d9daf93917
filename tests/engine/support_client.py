"""A model client against the stand-in server, for tests."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from eval_tui.engine.client import ModelClient
from eval_tui.engine.credentials import Credentials
from eval_tui.engine.secrets import known_secrets, mask
from tests.support.fake_anthropic import FakeAnthropic

KEY = "sk-test-0123456789"


def credentials(address: str, **given: str) -> Credentials:
    values: dict[str, Any] = {"api_key": KEY, "base_url": address, **given}
    return Credentials("key", "ANTHROPIC_API_KEY", ".env", **values)


def model_client(credentials: Credentials, concurrency: int, **options: Any) -> ModelClient:
    """A client that masks KEY and what else the credentials hold."""
    secrets = known_secrets({"ANTHROPIC_API_KEY": credentials.api_key}, {})
    return ModelClient(credentials, concurrency, lambda text: mask(text, secrets), **options)


@asynccontextmanager
async def asking(
    server: FakeAnthropic, concurrency: int = 4, **options: Any
) -> AsyncIterator[ModelClient]:
    client = model_client(credentials(server.base_url), concurrency, **options)
    try:
        yield client
    finally:
        await client.close()


def request(text: str, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return {"model": "claude-haiku-4-5", "max_tokens": 300, "messages": [message], **more}


def verdict_request(text: str) -> dict[str, Any]:
    properties = {"passed": {"type": "boolean"}, "rationale": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["passed", "rationale"]}
    tool = {"name": "verdict", "description": "The verdict.", "input_schema": schema}
    choice = {"type": "tool", "name": "verdict"}
    return request(text, system="Judge.", tools=[tool], tool_choice=choice, temperature=0.0)


class HangingServer:
    """Accepts connections, reads, never answers; tells when a request came and when it was closed."""

    def __init__(self) -> None:
        import socket

        self.socket = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.came = threading.Semaphore(0)
        self.closed = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> "HangingServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._hold, args=(connection,), daemon=True).start()

    def _hold(self, connection: Any) -> None:
        with connection:
            connection.recv(1 << 16)
            self.came.release()
            while True:
                try:
                    if not connection.recv(1 << 16):
                        break
                except OSError:
                    break
            self.closed.release()
