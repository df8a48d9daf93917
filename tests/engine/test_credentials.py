"""Credentials: where they are found, which of several count, and that nothing shows them."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from eval_tui.engine.credentials import Credentials, find_credentials
from eval_tui.engine.dotenv import read_env_file
from eval_tui.engine.secrets import known_secrets, mask

KEY = "sk-ant-0123456789"


def found(root: Path, env_file: str = "", **environ: str) -> Credentials:
    if env_file:
        (root / ".env").write_text(env_file, "utf-8")
    credentials = find_credentials(environ, str(root))
    assert credentials is not None
    return credentials


def test_without_anything_there_are_no_credentials(tmp_path: Path) -> None:
    assert find_credentials({}, str(tmp_path)) is None
    assert find_credentials({"ANTHROPIC_API_KEY": " "}, str(tmp_path)) is None
    assert find_credentials({"ANTHROPIC_BASE_URL": "http://localhost:1"}, str(tmp_path)) is None


def test_a_key_comes_from_the_environment_or_the_env_file(tmp_path: Path) -> None:
    ours = found(tmp_path, ANTHROPIC_API_KEY=f"{KEY}\n", ANTHROPIC_BASE_URL="http://localhost:1")
    assert (ours.kind, ours.api_key, ours.source) == ("key", KEY, "the environment")
    assert (ours.base_url, ours.host) == ("http://localhost:1", "localhost:1")
    stored = found(tmp_path, "ANTHROPIC_AUTH_TOKEN=token-of-the-file\n")
    assert (stored.auth_token, stored.api_key) == ("token-of-the-file", "")
    assert (stored.source, stored.host) == (".env", "api.anthropic.com")


def test_the_environment_wins_over_the_file_and_an_empty_value_does_not(tmp_path: Path) -> None:
    text = "ANTHROPIC_API_KEY=of-the-file\n"
    assert found(tmp_path, text, ANTHROPIC_API_KEY=KEY).api_key == KEY
    assert found(tmp_path, text, ANTHROPIC_API_KEY="").api_key == "of-the-file"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("ANTHROPIC_API_KEY=plain", "plain"),
        ("  export ANTHROPIC_API_KEY = spaced  ", "spaced"),
        ("ANTHROPIC_API_KEY='sin#gle $x' # comment", "sin#gle $x"),
        ('ANTHROPIC_API_KEY="dou#ble\\"q" # comment', 'dou#ble"q'),
        ("ANTHROPIC_API_KEY=bare#kept # comment", "bare#kept"),
        ("ANTHROPIC_API_KEY=windows\r", "windows"),
        ("\ufeffANTHROPIC_API_KEY=marked", "marked"),
        ("ANTHROPIC_API_KEY=first\nANTHROPIC_API_KEY=last", "last"),
        ("MINE=inner\nANTHROPIC_API_KEY=${MINE}-${NONE:-rest}", "inner-rest"),
        ("ANTHROPIC_API_KEY='${MINE}'", "${MINE}"),
        ("ANTHROPIC_API_KEY='unclosed\nANTHROPIC_API_KEY=good", "good"),
    ],
)
def test_the_env_file_is_read_as_others_read_it(tmp_path: Path, line: str, value: str) -> None:
    assert found(tmp_path, line).api_key == value


@pytest.mark.parametrize("line", ["# ANTHROPIC_API_KEY=x", "ANTHROPIC_API_KEY=", "nonsense", "=x"])
def test_lines_that_set_no_key(tmp_path: Path, line: str) -> None:
    (tmp_path / ".env").write_text(line, "utf-8")
    assert find_credentials({}, str(tmp_path)) is None


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")  # opening it would wait for ever
    assert read_env_file(str(tmp_path), {}) == {}
    (tmp_path / ".env").unlink()
    (tmp_path / ".env").mkdir()
    assert read_env_file(str(tmp_path), {}) == {}


def test_vertex_wins_and_has_a_region(tmp_path: Path) -> None:
    vertex = found(tmp_path, ANTHROPIC_VERTEX_PROJECT_ID="mine", ANTHROPIC_API_KEY=KEY)
    assert (vertex.kind, vertex.project, vertex.region) == ("vertex", "mine", "us-east5")
    assert vertex.api_key == ""
    text = "CLOUD_ML_REGION=europe-west1\nGCP_SA_ACCESS_TOKEN=ya29.0123456789\n"
    placed = found(tmp_path, text, ANTHROPIC_VERTEX_PROJECT_ID="mine")
    assert (placed.region, placed.api_key) == ("europe-west1", "ya29.0123456789")


def test_bedrock_by_its_own_token(tmp_path: Path) -> None:
    bedrock = found(tmp_path, AWS_BEARER_TOKEN_BEDROCK="bearer-0123456789", AWS_REGION="eu-north-1")
    assert (bedrock.kind, bedrock.region) == ("bedrock", "eu-north-1")
    assert found(tmp_path, ANTHROPIC_API_KEY=KEY, AWS_BEARER_TOKEN_BEDROCK="x").kind == "key"


def test_aws_keys_for_something_else_are_no_credentials(tmp_path: Path) -> None:
    environ = {"AWS_ACCESS_KEY_ID": "AKIA0123456789", "AWS_SECRET_ACCESS_KEY": "secret-0123456789"}
    credentials = find_credentials(environ, str(tmp_path))
    assert (credentials is not None) == (find_spec("boto3") is not None)


def test_no_secret_is_shown(tmp_path: Path) -> None:
    secret = 'se"cret/0123456789'
    address = "https://user:pass-word-0@gate.example:8443/v1"
    credentials = found(tmp_path, ANTHROPIC_API_KEY=secret, ANTHROPIC_BASE_URL=address)
    shown = f"{credentials!r} {credentials} {credentials.host}"
    assert "0123456789" not in shown and "pass-word" not in shown
    assert credentials.host == "gate.example:8443"
    text = f'a {secret} b "se\\"cret/0123456789" c se%22cret%2F0123456789 d {address}'
    secrets = known_secrets({"ANTHROPIC_API_KEY": secret, "ANTHROPIC_BASE_URL": address}, {})
    masked = mask(f"{text} pass-word-0", secrets)
    assert "0123456789" not in masked and "pass-word" not in masked
    assert mask("a rationale", secrets) == "a rationale"


def test_a_changed_key_makes_other_credentials(tmp_path: Path) -> None:
    one, same = (found(tmp_path, ANTHROPIC_API_KEY=KEY) for _ in "12")
    assert one == same
    assert one != found(tmp_path, ANTHROPIC_API_KEY=f"{KEY}x")
