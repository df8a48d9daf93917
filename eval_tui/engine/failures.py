"""What goes wrong when a model is asked, and what that means for a cell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from eval_tui.engine.credentials import Credentials
from eval_tui.scores import Reason, Unmeasured

DETAIL_LENGTH = 600
"""Characters of the API's own words that are kept."""
_INPUTS = frozenset({"config", "evidence"})
"""A changed judge or changed material makes another request."""


@dataclass(frozen=True)
class Failure:
    """A request without an answer."""

    reason: Reason
    detail: str
    """For the person, with the API's own words where it said any."""
    retryable: bool = False
    recover_on: frozenset[str] = _INPUTS
    transport: bool = False
    """Whether it may be tried again without being asked to (D36): rate limits and the network."""
    status: int | None = None
    """The HTTP status; None when there was no response."""
    request_id: str = ""
    billed: bool = False
    """Whether the request may have been paid for although no answer came."""
    raw: str = ""
    """What came instead of an answer."""

    def score(self, attempts: int = 1) -> Unmeasured:
        """The score of a cell whose request failed like this."""
        return Unmeasured(self.reason, self.detail, self.retryable, self.recover_on, attempts)


class Unavailable(Exception):
    """The SDK lacks an optional package that these credentials need."""

    def __init__(self, extra: str) -> None:
        super().__init__(extra)
        self.failure = Failure(
            Reason.UNSUPPORTED,
            f"asking a model this way needs an extra: pip install 'eval-tui[{extra}]'",
            recover_on=frozenset({"config", "secret"}),
        )


def no_key() -> Failure:
    """There are no credentials (D22)."""
    return Failure(
        Reason.MISSING_SECRET,
        "no API key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) and the cell is scored",
        recover_on=frozenset({"secret"}),
    )


def stopped() -> Failure:
    """A call that was ended because the client closed."""
    return Failure(
        Reason.GRADER_ERROR, "stopped before the answer came", retryable=True, billed=True
    )


def unusable(exc: BaseException) -> Failure:
    """The SDK does not load, or takes no client from these credentials."""
    words = _cut(f"{type(exc).__name__}: {exc}")
    recovery = frozenset({"config", "secret"})
    detail = f"the model client cannot be set up: {words}"
    return Failure(Reason.UNSUPPORTED, detail, recover_on=recovery)


def too_slow(credentials: Credentials, seconds: float) -> Failure:
    """No answer in time, all attempts included. Asked again by key only (D36)."""
    words = f"timed out: no answer from {credentials.host} within {seconds:g} s"
    return Failure(Reason.GRADER_ERROR, words, retryable=True, billed=True)


def unreadable(credentials: Credentials, text: str, request_id: str) -> Failure:
    """A response that holds no message (D21)."""
    words = f"the response of {credentials.host} is no message: {_cut(text, 200)}"
    return Failure(
        Reason.GRADER_ERROR,
        words,
        retryable=True,
        status=200,
        request_id=request_id,
        billed=True,
        raw=text,
    )


def failure_of(exc: BaseException, credentials: Credentials, seconds: float) -> Failure:
    """What an exception of the SDK means. `seconds` is the time limit of one attempt."""
    import anthropic

    if isinstance(exc, anthropic.APIStatusError):
        return _of_status(exc.status_code, _words(exc), exc.request_id, credentials)
    if isinstance(exc, anthropic.APIConnectionError):
        return _of_connection(exc, credentials, seconds)
    words = _cut(f"{type(exc).__name__}: {exc}")
    if isinstance(exc, json.JSONDecodeError):
        return unreadable(credentials, exc.doc, "")
    if credentials.kind != "key" and _is_about_credentials(exc):
        return _refused(words, None, "", credentials)
    return Failure(Reason.GRADER_ERROR, f"the request could not be made: {words}")


def _of_connection(exc: BaseException, credentials: Credentials, seconds: float) -> Failure:
    cause = exc.__cause__ or exc
    reached = "Connect" not in type(cause).__name__
    if reached and "Timeout" in type(exc).__name__:
        return too_slow(credentials, seconds)
    words = _cut(str(cause) or type(cause).__name__)
    detail = f"no connection to {credentials.host}: {words}"
    return Failure(Reason.GRADER_ERROR, detail, retryable=True, transport=True, billed=reached)


def _of_status(
    status: int, words: str, request_id: str | None, credentials: Credentials
) -> Failure:
    identity = request_id or ""
    if status in (401, 403):
        return _refused(f"{status} {words}", status, identity, credentials)
    if status == 404:
        detail = f"{credentials.host} does not know this model or address (404): {words}"
        recovery = frozenset({"config", "secret"})
        return Failure(
            Reason.UNSUPPORTED, detail, recover_on=recovery, status=status, request_id=identity
        )
    again = status in (408, 409, 429) or status >= 500
    kind = {429: "rate limit", 529: "overloaded"}.get(status, "")
    said = f"{credentials.host} answered {status}{kind and f' ({kind})'}: {words}"
    detail = f"{said} (after every retry)" if again else said
    return Failure(
        Reason.GRADER_ERROR,
        detail,
        retryable=again or status == 402,
        transport=again,
        status=status,
        request_id=identity,
    )


def _refused(words: str, status: int | None, request_id: str, credentials: Credentials) -> Failure:
    """A key that is there and is refused, which a person must look at (D22)."""
    where = f"{credentials.name} of {credentials.source}"
    detail = f"{credentials.host} refuses {where}: {words}"
    recovery = frozenset({"secret"})
    return Failure(
        Reason.MISSING_SECRET, detail, recover_on=recovery, status=status, request_id=request_id
    )


def _is_about_credentials(exc: BaseException) -> bool:
    """Whether an exception of the cloud libraries says that nobody is signed in."""
    words = ("credential", "api token", "access token", "refresherror", "authentication")
    text = f"{type(exc).__name__} {exc}".lower()
    return any(word in text for word in words)


def _words(exc: Any) -> str:
    """The API's own message, else the start of what it sent."""
    body: object = exc.body
    if isinstance(body, dict):
        error = cast("dict[str, object]", body).get("error")
        if isinstance(error, dict):
            message = cast("dict[str, object]", error).get("message")
            if isinstance(message, str) and message:
                return _cut(message)
    return _cut(str(exc.message))


def _cut(text: str, length: int = DETAIL_LENGTH) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
