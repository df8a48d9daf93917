"""Vertex and Bedrock: requests go out by the SDK's own clients, and answers come back."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from eval_tui.engine.client import Answer
from eval_tui.engine.credentials import AwsIdentity, Credentials
from eval_tui.engine.failures import Failure
from eval_tui.scores import Reason
from tests.engine.support_client import model_client, verdict_request

MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "the-model",
    "content": [{"type": "tool_use", "id": "t", "name": "verdict", "input": {"passed": True}}],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 12, "output_tokens": 3},
}


class Cloud:
    """Answers whatever is posted to it, and remembers address, headers and body."""

    def __init__(self, status: int) -> None:
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        cloud = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                cloud.seen.append((self.path, headers, body))
                refusal = {"error": {"type": "permission_error", "message": "expired"}}
                data = json.dumps(MESSAGE if status == 200 else refusal).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"


@contextmanager
def cloud(status: int = 200) -> Iterator[Cloud]:
    here = Cloud(status)
    thread = threading.Thread(target=here._server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield here
    finally:
        here._server.shutdown()
        thread.join()
        here._server.server_close()


def vertex(address: str, **given: Any) -> Credentials:
    place = {"base_url": address, "project": "mine", "region": "europe-west1"}
    return Credentials("vertex", "ANTHROPIC_VERTEX_PROJECT_ID", ".env", **{**place, **given})


def bedrock(address: str, **given: Any) -> Credentials:
    place = {"base_url": address, "region": "eu-central-1"}
    return Credentials("bedrock", "AWS_BEARER_TOKEN_BEDROCK", ".env", **{**place, **given})


async def outcome(credentials: Credentials) -> Answer | Failure:
    client = model_client(credentials, 1, retries=0)
    try:
        return await client.ask(verdict_request("x"))
    finally:
        await client.close()


async def test_vertex_is_asked_with_an_access_token() -> None:
    with cloud() as here:
        answer = await outcome(vertex(here.address, api_key="ya29.0123456789"))
    assert isinstance(answer, Answer), answer
    assert answer.content[0]["input"] == {"passed": True}
    assert answer.usage["input_tokens"] == 12
    ((path, headers, body),) = here.seen
    place = "projects/mine/locations/europe-west1/publishers/anthropic/models/claude-haiku-4-5"
    assert path.endswith(f"{place}:rawPredict")
    assert headers["authorization"] == "Bearer ya29.0123456789"
    assert "model" not in body and body["tool_choice"] == {"type": "tool", "name": "verdict"}


async def test_bedrock_is_asked_with_a_bearer_token() -> None:
    with cloud() as here:
        answer = await outcome(bedrock(here.address, api_key="bearer-0123456789"))
    assert isinstance(answer, Answer), answer
    assert answer.content[0]["input"] == {"passed": True}
    ((path, headers, body),) = here.seen
    assert path == "/model/claude-haiku-4-5/invoke"
    assert headers["authorization"] == "Bearer bearer-0123456789"
    assert "anthropic_version" in body and "model" not in body


async def test_bedrock_requests_are_signed_with_an_aws_identity() -> None:
    pytest.importorskip("boto3", reason="needs the extra: pip install 'eval-tui[bedrock]'")
    identity = AwsIdentity("AKIAEXAMPLE", "secret-0123456789", "session-0123456789")
    with cloud() as here:
        answer = await outcome(bedrock(here.address, aws=identity))
    assert isinstance(answer, Answer), answer
    ((_, headers, _),) = here.seen
    signed = headers["authorization"]
    assert signed.startswith("AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/")
    assert "/eu-central-1/bedrock/" in signed and "secret-0123456789" not in str(headers)
    assert headers["x-amz-security-token"] == "session-0123456789"


async def test_vertex_without_a_token_needs_somebody_who_is_signed_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("google.auth", reason="needs the extra: pip install 'eval-tui[vertex]'")
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/key.json")
    with cloud() as here:
        failure = await outcome(vertex(here.address))
    assert isinstance(failure, Failure) and not here.seen
    assert failure.reason is Reason.MISSING_SECRET, failure
    assert "ANTHROPIC_VERTEX_PROJECT_ID of .env" in failure.detail


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("kind", [vertex, bedrock])
async def test_what_the_cloud_refuses_is_a_missing_secret(kind: Any, status: int) -> None:
    with cloud(status) as here:
        failure = await outcome(kind(here.address, api_key="token-0123456789"))
    assert isinstance(failure, Failure)
    assert failure.reason is Reason.MISSING_SECRET, failure
    assert "expired" in failure.detail and "0123456789" not in failure.detail
