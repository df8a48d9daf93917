"""Asking a model: one request in, a plain answer or a plain failure out.

The `anthropic` SDK sends, retries and honours `retry-after`; it takes seconds to import on a
cold machine, so that happens in a thread when the first request is made, never before.
"""

from __future__ import annotations

import asyncio
import json
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from eval_tui.engine.credentials import Credentials
from eval_tui.engine.failures import (
    Failure,
    Unavailable,
    failure_of,
    stopped,
    too_slow,
    unreadable,
    unusable,
)
from eval_tui.engine.threads import in_thread
from eval_tui.engine.throttle import Throttle

ATTEMPT_SECONDS = 120.0
"""How long one attempt may take."""
CONNECT_SECONDS = 10.0
CALL_SECONDS = 300.0
"""How long a call may take with all its attempts and the pauses between them."""
RETRIES = 4
"""How often the SDK tries again after a rate limit, an overload or a network error."""

_NAMED = frozenset({"model", "max_tokens", "messages", "system", "tools", "tool_choice"})
"""Parameters that every version of the SDK takes by name; others travel in the body as they are."""
_RETRY_HEADER = "x-stainless-retry-count"


@dataclass(frozen=True)
class Answer:
    """What the model said, as plain JSON data, with secrets masked."""

    content: tuple[Mapping[str, Any], ...]
    """The content blocks."""
    stop_reason: str
    usage: Mapping[str, Any]
    """Token counts by name, as the API reports them; they may hold mappings."""
    model: str
    """The model that answered; may be more exact than the one asked."""
    request_id: str = ""
    seconds: float = 0.0
    """From the first attempt to the answer, pauses between attempts included."""
    retries: int = 0

    def to_plain(self) -> dict[str, Any]:
        """A JSON-able mapping from which `from_plain` makes an equal answer."""
        return {**vars(self), "content": list(self.content)}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> Answer:
        """The inverse of `to_plain`. Raises KeyError or TypeError on anything else."""
        return Answer(
            tuple(plain["content"]),
            plain["stop_reason"],
            plain["usage"],
            plain["model"],
            plain.get("request_id", ""),
            plain.get("seconds", 0.0),
            plain.get("retries", 0),
        )


class _Messages(Protocol):
    create: Callable[..., Awaitable[Any]]


@dataclass
class _Sdk:
    """The SDK's client, once it is there."""

    client: Any
    messages: _Messages
    explain: Callable[[BaseException], Failure]


@dataclass(eq=False)
class ModelClient:
    """Asks models with one set of credentials, a bounded number of requests at a time.

    It belongs to one event loop. Other credentials need another client; close the old one.
    """

    credentials: Credentials
    concurrency: int
    mask: Callable[[str], str]
    """Replaces what is secret in a text (see `Secrets.mask`): everything that is told or kept
    passes through it."""
    attempt_seconds: float = ATTEMPT_SECONDS
    call_seconds: float = CALL_SECONDS
    retries: int = RETRIES
    throttle: Throttle = field(init=False)
    _sdk: asyncio.Task[_Sdk] | None = field(default=None, init=False, repr=False)
    _open: set[asyncio.Task[Answer | Failure]] = field(
        default_factory=set["asyncio.Task[Answer | Failure]"], init=False, repr=False
    )
    _closed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.throttle = Throttle(self.concurrency)

    async def ask(self, params: Mapping[str, Any]) -> Answer | Failure:
        """Send one request of the Messages API and wait for its outcome.

        Cancelling closes the request. Never raises for what the API, the network or the request
        itself is about; a call that `close` ends is a failure that says so.
        """
        if self._closed:
            return stopped()
        asking = asyncio.ensure_future(self._ask(params))
        self._open.add(asking)
        try:
            return await asking
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._closed and task is not None and not task.cancelling():
                return stopped()
            raise
        finally:
            self._open.discard(asking)

    async def finish(self) -> None:
        """Wait for what is in flight, then close: other credentials are used from now on."""
        while self._open:
            await asyncio.wait(self._open)
        await self.close()

    async def close(self) -> None:
        """End what is in flight and close all connections. May be called twice."""
        self._closed = True
        open_now = list(self._open)
        for asking in open_now:
            asking.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)
        loading, self._sdk = self._sdk, None
        if loading is not None:
            (sdk,) = await asyncio.gather(loading, return_exceptions=True)
            if isinstance(sdk, _Sdk):
                await sdk.client.close()

    async def _ask(self, params: Mapping[str, Any]) -> Answer | Failure:
        await self.throttle.enter()
        try:
            outcome = await self._outcome(params)
        finally:
            self.throttle.leave()
        if isinstance(outcome, Failure):
            return replace(outcome, detail=self.mask(outcome.detail), raw=self.mask(outcome.raw))
        return outcome

    async def _outcome(self, params: Mapping[str, Any]) -> Answer | Failure:
        try:
            sdk = await self._loaded()
        except Unavailable as exc:
            return exc.failure
        except Exception as exc:
            return unusable(exc)
        return await self._send(sdk, params)

    async def _send(self, sdk: _Sdk, params: Mapping[str, Any]) -> Answer | Failure:
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.call_seconds):
                raw = await sdk.messages.create(**_arguments(params))
        except TimeoutError:
            return too_slow(self.credentials, self.call_seconds)
        except Exception as exc:
            return sdk.explain(exc)
        response = raw.http_response
        text = self.mask(cast(str, response.text))
        request_id = str(response.headers.get("request-id") or "")
        answer = read_answer(text, request_id, time.monotonic() - began, int(raw.retries_taken))
        return answer or unreadable(self.credentials, text, request_id)

    async def _loaded(self) -> _Sdk:
        if self._sdk is None:
            limits = self.attempt_seconds, self.retries
            loading = in_thread(lambda: _load(self.credentials, *limits, self.throttle))
            self._sdk = asyncio.ensure_future(loading)
        return await asyncio.shield(self._sdk)


def read_answer(text: str, request_id: str, seconds: float, retries: int) -> Answer | None:
    """The answer in the body of a response; None when it holds no message."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    message = cast("dict[str, Any]", body)
    content, usage = message.get("content"), message.get("usage")
    if not isinstance(content, list):
        return None
    blocks = cast("list[Any]", content)
    return Answer(
        tuple(cast("dict[str, Any]", block) for block in blocks if isinstance(block, dict)),
        str(message.get("stop_reason") or ""),
        cast("dict[str, Any]", usage) if isinstance(usage, dict) else {},
        str(message.get("model") or ""),
        request_id,
        seconds,
        retries,
    )


def _arguments(params: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: value for name, value in params.items() if name in _NAMED}
    others = {name: value for name, value in params.items() if name not in _NAMED}
    return {**named, "extra_body": others} if others else named


class _Request(Protocol):
    @property
    def headers(self) -> Mapping[str, str]: ...


class _Response(Protocol):
    @property
    def status_code(self) -> int: ...
    @property
    def request(self) -> _Request: ...


def _load(
    credentials: Credentials, attempt_seconds: float, retries: int, throttle: Throttle
) -> _Sdk:
    """Import the SDK and build its client; slow, for a thread. Raises Unavailable."""
    import anthropic

    # Which models are old is the person's business, and not told in the middle of a screen.
    warnings.filterwarnings("ignore", r"The model .* is deprecated", DeprecationWarning)

    async def received(response: _Response) -> None:
        first = response.request.headers.get(_RETRY_HEADER, "0") == "0"
        if response.status_code in (429, 529) and first:  # the SDK spaces its retries itself
            throttle.overloaded()
        elif response.status_code < 400:
            throttle.answered()

    hooks: dict[str, list[Callable[..., Any]]] = {"response": [received]}
    options: dict[str, Any] = {
        "timeout": anthropic.Timeout(attempt_seconds, connect=CONNECT_SECONDS),
        "max_retries": retries,
        "http_client": anthropic.DefaultAsyncHttpxClient(event_hooks=hooks),
    }
    client = _client(anthropic, credentials, options)
    messages = client.messages.with_raw_response
    return _Sdk(client, messages, lambda exc: failure_of(exc, credentials, attempt_seconds))


def _client(anthropic: Any, credentials: Credentials, options: dict[str, Any]) -> Any:
    if credentials.kind == "vertex":
        if not credentials.api_key:
            _need("google.auth", "vertex")
        return anthropic.AsyncAnthropicVertex(
            project_id=credentials.project,
            region=credentials.region,
            access_token=credentials.api_key or None,
            base_url=credentials.base_url or None,
            **options,
        )
    if credentials.kind == "bedrock":
        return anthropic.AsyncAnthropicBedrock(**_bedrock_identity(credentials), **options)
    return anthropic.AsyncAnthropic(
        api_key=credentials.api_key or None,
        auth_token=credentials.auth_token or None,
        base_url=credentials.base_url or "https://api.anthropic.com",
        **options,
    )


def _bedrock_identity(credentials: Credentials) -> dict[str, Any]:
    place = {
        "aws_region": credentials.region,
        "base_url": credentials.base_url or None,
    }
    if credentials.api_key:
        return {**place, "api_key": credentials.api_key}
    _need("boto3", "bedrock")
    aws = credentials.aws
    return {
        **place,
        "aws_access_key": aws.access_key or None,
        "aws_secret_key": aws.secret_key or None,
        "aws_session_token": aws.session_token or None,
        "aws_profile": aws.profile or None,
    }


def _need(module: str, extra: str) -> None:
    from importlib import import_module

    try:
        import_module(module)
    except ImportError:
        raise Unavailable(extra) from None
