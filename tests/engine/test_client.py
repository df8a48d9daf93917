"""Asking a model, with the real SDK over real HTTP."""

import asyncio
import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from eval_tui.engine.client import Answer
from eval_tui.engine.credentials import Credentials
from eval_tui.engine.failures import Failure
from eval_tui.engine.throttle import Throttle
from eval_tui.scores import Reason
from tests.engine.support_client import (
    KEY,
    HangingServer,
    asking,
    credentials,
    model_client,
    request,
    verdict_request,
)
from tests.support.fake_anthropic import FakeAnthropic


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as server:
        yield server


async def outcome(server: FakeAnthropic, text: str, **options: Any) -> Answer | Failure:
    async with asking(server, **options) as client:
        return await client.ask(request(text))


async def failed(server: FakeAnthropic, text: str, **options: Any) -> Failure:
    failure = await outcome(server, text, **options)
    assert isinstance(failure, Failure)
    assert KEY not in repr(failure)
    return failure


async def test_an_answer_is_plain_data(server: FakeAnthropic) -> None:
    async with asking(server) as client:
        answer = await client.ask(verdict_request("VERDICT: fail\nRATIONALE: short\nUSAGE: 120,30"))
    assert isinstance(answer, Answer)
    (block,) = answer.content
    assert block["input"] == {"passed": False, "rationale": "short"}
    assert (answer.stop_reason, answer.model) == ("tool_use", "claude-haiku-4-5")
    assert (answer.usage["input_tokens"], answer.usage["output_tokens"]) == (120, 30)
    assert answer.request_id.startswith("req_")
    assert Answer.from_plain(answer.to_plain()) == answer


async def test_the_request_arrives_as_it_was_given(server: FakeAnthropic) -> None:
    async with asking(server) as client:
        await client.ask(verdict_request("x"))
    (seen,) = server.requests
    assert (seen["forced"], seen["shape"], seen["temperature"]) == (True, "bool", 0.0)
    assert (seen["max_tokens"], seen["system_chars"]) == (300, len("Judge."))


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_a_missing_secret(server: FakeAnthropic, status: int) -> None:
    failure = await failed(server, f"STATUS: {status}")
    assert (failure.reason, failure.retryable) == (Reason.MISSING_SECRET, False)
    assert failure.recover_on == {"secret"}
    assert "ANTHROPIC_API_KEY of .env" in failure.detail
    assert f"fake error {status}" in failure.detail
    assert len(server.requests) == 1


async def test_an_unknown_model_is_unsupported(server: FakeAnthropic) -> None:
    failure = await failed(server, "STATUS: 404")
    assert (failure.reason, failure.retryable) == (Reason.UNSUPPORTED, False)
    assert "config" in failure.recover_on


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_bad_request_says_why_and_is_not_sent_again(
    server: FakeAnthropic, status: int
) -> None:
    failure = await failed(server, f"STATUS: {status}")
    assert (failure.reason, failure.retryable) == (Reason.GRADER_ERROR, False)
    assert f"fake error {status}" in failure.detail
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 529])
async def test_what_passes_is_retried_and_then_retryable(
    server: FakeAnthropic, status: int
) -> None:
    answer = await outcome(server, f"STATUS: {status}*2", retries=2)
    assert isinstance(answer, Answer) and answer.retries == 2
    failure = await failed(server, f"STATUS: {status}", retries=2)
    assert (failure.reason, failure.retryable) == (Reason.GRADER_ERROR, True)
    assert failure.transport and not failure.billed
    assert len(server.requests) == 6
    score = failure.score(attempts=3)
    assert (score.reason, score.retryable, score.attempts) == (Reason.GRADER_ERROR, True, 3)


async def test_a_dropped_connection_is_retryable(server: FakeAnthropic) -> None:
    failure = await failed(server, "STATUS: drop", retries=0)
    assert (failure.reason, failure.retryable) == (Reason.GRADER_ERROR, True)
    assert failure.transport and failure.billed


async def test_nobody_listening_is_retryable_and_costs_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    client = model_client(credentials(f"http://127.0.0.1:{port}"), 1, retries=0)
    failure = await client.ask(request("x"))
    await client.close()
    assert isinstance(failure, Failure)
    assert failure.retryable and failure.transport and not failure.billed
    assert f"127.0.0.1:{port}" in failure.detail


async def test_a_body_that_is_no_message_is_kept_raw(server: FakeAnthropic) -> None:
    failure = await failed(server, "STATUS: badjson")
    assert (failure.reason, failure.retryable) == (Reason.GRADER_ERROR, True)
    assert not failure.transport  # asked again by key only
    assert "not json" in failure.raw


async def test_a_request_that_cannot_be_made_is_a_failure(server: FakeAnthropic) -> None:
    async with asking(server) as client:
        failure = await client.ask({"model": "m", "max_tokens": 1})
    assert isinstance(failure, Failure) and failure.reason is Reason.GRADER_ERROR


@pytest.mark.parametrize("address", ["localhost:80", "http://[broken", "ftp://127.0.0.1"])
async def test_an_address_that_is_none_is_a_failure(address: str) -> None:
    client = model_client(credentials(address), 1, retries=0)
    failure = await client.ask(request("x"))
    await client.close()
    assert isinstance(failure, Failure)
    assert failure.reason in (Reason.GRADER_ERROR, Reason.UNSUPPORTED)


async def test_a_key_that_the_material_holds_is_not_kept(server: FakeAnthropic) -> None:
    answer = await outcome(server, f"RESPOND: text the key is {KEY}")
    assert isinstance(answer, Answer)
    assert KEY not in repr(answer) and "the key is <ANTHROPIC_API_KEY>" in repr(answer)


async def test_a_storm_of_rate_limits_loses_nothing(server: FakeAnthropic) -> None:
    async with asking(server, concurrency=16) as client:
        asked = (client.ask(request(f"STATUS: 429*2\ncase {i}")) for i in range(64))
        answers = await asyncio.gather(*asked)
        assert all(isinstance(answer, Answer) for answer in answers)
        assert client.throttle.in_flight == 0
    assert len(server.requests) == 64 * 3


async def test_an_overload_slows_down_and_answers_speed_up_again(server: FakeAnthropic) -> None:
    async with asking(server, concurrency=10, retries=0) as client:
        for i in range(40):
            await client.ask(request(f"STATUS: 529 {i}"))
        slow = client.throttle.limit
        assert slow < 5
        for i in range(20):
            await client.ask(request(f"fine {i}"))
        assert client.throttle.limit == 10


async def test_no_more_calls_are_in_flight_than_allowed() -> None:
    with HangingServer() as hanging:
        client = model_client(credentials(hanging.base_url), 3)
        calls = [asyncio.ensure_future(client.ask(request(f"{i}"))) for i in range(8)]
        for _ in range(3):
            await asyncio.to_thread(hanging.came.acquire)
        assert client.throttle.in_flight == 3
        assert not hanging.came.acquire(blocking=False)
        calls[0].cancel()  # the next in line takes its place
        await asyncio.to_thread(hanging.came.acquire)
        assert client.throttle.in_flight == 3
        await client.close()
        await asyncio.gather(*calls, return_exceptions=True)
        assert client.throttle.in_flight == 0


async def test_a_cancelled_call_closes_its_request() -> None:
    with HangingServer() as hanging:
        client = model_client(credentials(hanging.base_url), 1)
        call = asyncio.ensure_future(client.ask(request("x")))
        await asyncio.to_thread(hanging.came.acquire)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.to_thread(hanging.closed.acquire)  # the server sees the end of it
        assert client.throttle.in_flight == 0
        await client.close()


async def test_closing_ends_what_is_in_flight_and_says_so() -> None:
    with HangingServer() as hanging:
        client = model_client(credentials(hanging.base_url), 1)
        calls = [asyncio.ensure_future(client.ask(request(f"{i}"))) for i in range(3)]
        await asyncio.to_thread(hanging.came.acquire)
        await client.close()
        for failure in await asyncio.gather(*calls):
            assert isinstance(failure, Failure) and "stopped" in failure.detail
        await asyncio.to_thread(hanging.closed.acquire)
        assert isinstance(await client.ask(request("late")), Failure)
        await client.close()


@pytest.mark.parametrize("limit", ["attempt_seconds", "call_seconds"])
async def test_a_call_without_end_times_out(limit: str) -> None:
    with HangingServer() as hanging:
        client = model_client(credentials(hanging.base_url), 1, retries=0, **{limit: 0.05})
        failure = await client.ask(request("x"))
        await client.close()
    assert isinstance(failure, Failure)
    assert "timed out" in failure.detail
    assert failure.retryable and not failure.transport and failure.billed


@pytest.mark.parametrize(("kind", "module"), [("vertex", "google.auth"), ("bedrock", "boto3")])
async def test_a_missing_extra_is_named(
    kind: Any, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    client = model_client(Credentials(kind, "NAME", ".env", project="p", region="r"), 1)
    failure = await client.ask(request("x"))
    await client.close()
    assert isinstance(failure, Failure)
    assert failure.reason is Reason.UNSUPPORTED
    assert f"eval-tui[{kind}]" in failure.detail


async def test_nothing_that_is_logged_holds_the_key(
    server: FakeAnthropic, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await outcome(server, "STATUS: 429*1")
    await outcome(server, "STATUS: 401")
    assert KEY not in caplog.text


def test_making_a_client_does_not_load_the_sdk() -> None:
    code = (
        "import sys\n"
        "from eval_tui.engine.client import ModelClient\n"
        "from eval_tui.engine.credentials import Credentials\n"
        "ModelClient(Credentials('key', 'N', 'S', api_key='k'), 4, str)\n"
        "assert not {'anthropic', 'httpx', 'httpx2', 'genai_prices'} & {*sys.modules}\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_a_place_that_comes_with_the_cancelling_is_not_lost() -> None:
    throttle = Throttle(1)
    await throttle.enter()
    waiting = [asyncio.ensure_future(throttle.enter()) for _ in range(3)]
    await asyncio.sleep(0)
    throttle.leave()  # the first in line has the place now, and is cancelled before it knows
    waiting[0].cancel()
    waiting[2].cancel()
    await waiting[1]
    assert throttle.in_flight == 1
    throttle.leave()
    assert throttle.in_flight == 0
    await asyncio.gather(*waiting, return_exceptions=True)
