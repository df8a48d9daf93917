"""Secrets: not in a judge's environment, and not in anything that is kept or printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eval_tui.engine.secrets import Secrets, known_secrets, mask
from tests.support.live import live
from tests.support.small import write_project

CLI = [sys.executable, "-m", "eval_tui.cli"]

IN_DOTENV = "from-the-dotenv-file-0123"
IN_ENVIRONMENT = "sk-from-the-environment-456"
LONG = "sk-long-" + "0123456789" * 12
PRIVATE_KEY = (
    "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASCBKcwggSjAgEA\n-----END KEY-----"
)

JUDGES = {
    "environment": "import os; return True, repr(sorted(os.environ.items()))",
    "rationale": "return True, 'read ' + open('.env').read()",
    "printed": "import sys; print(open('.env').read()); return True",
    "error": "raise ValueError(open('.env').read())",
    "abstains": "return None, open('.env').read()",
    "violates": "return open('.env').read()",
    "traceback": f"assert '{IN_DOTENV}' == ''",
    "cut": "import re; return re.search('LONG=(.*)', open('.env').read())[1]",
    "dies": "import os, sys; print(open('.env').read(), flush=True); os._exit(3)",
}


def project(root: Path) -> Path:
    write_project(root, [{"name": n, "check": c} for n, c in JUDGES.items()], cases=("a",))
    (root / ".env").write_text(f"PLAIN_NAME='{IN_DOTENV}'\nSHORT=seven77\nLONG={LONG}\n")
    return root


def test_nothing_that_is_kept_or_printed_holds_a_secret(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    environ = {**os.environ, "SOME_API_KEY": IN_ENVIRONMENT, "HARMLESS": "harmless-value-1"}
    runs = [
        [*CLI, "score", ".", "--format", "json"],
        [*CLI, "check", "."],
        *([*CLI, "explain", "a", judge, "."] for judge in ("rationale", "printed", "traceback")),
    ]
    texts: list[str] = []
    for argv in runs:
        done = subprocess.run(
            argv, cwd=root, env=environ, capture_output=True, text=True, timeout=60, check=False
        )
        texts += [done.stdout, done.stderr]
    cells = json.loads(texts[0])["cells"]["a"]
    assert "harmless-value-1" in cells["environment"]["rationale"]
    masked = "PLAIN_NAME='<PLAIN_NAME>'\nSHORT=seven77\nLONG=<LONG>\n"
    assert cells["rationale"]["rationale"] == f"read {masked}"
    assert "SOME_API_KEY" not in cells["environment"]["rationale"]
    assert "<PLAIN_NAME>" in texts[6]  # what was printed, as `explain` shows it
    kept = b"".join(p.read_bytes() for p in (root / ".eval-tui").rglob("*") if p.is_file())
    assert b"harmless-value-1" in kept
    for secret in (IN_DOTENV, IN_ENVIRONMENT, LONG[:40]):
        assert secret.encode() not in kept
        for text in texts:
            assert secret not in text


async def test_a_secret_that_appears_later_is_masked_as_well(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    async with live(root) as now:
        assert now.driver.detail("a", "printed").output.startswith("PLAIN_NAME='<PLAIN_NAME>'")
        (root / ".env").write_text("OTHER=another-secret-9876\n")
        await now.until(lambda: "OTHER" in now.driver.detail("a", "printed").output)
        assert now.driver.detail("a", "printed").output == "OTHER=<OTHER>\n\n"
        died = now.driver.detail("a", "dies")
        assert "another-secret-9876" not in repr(died)


def test_what_is_a_secret(tmp_path: Path) -> None:
    environ = {
        "MY_TOKEN": "token-12345",
        "SSH_PASSPHRASE": "correct horse",
        "DATABASE_URL": "postgres://me:hunter22@host/db",
        "AWS_REGION": "eu-central-1",
        "GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path),
        "API_KEY": "short",
        "HOME": "/home/somebody",
    }
    dotenv = {"ANYTHING": "some value", "MODEL": "a-model-name", "PORT": "123456789"}
    found = known_secrets(environ, dotenv)
    assert set(found.values()) == {"MY_TOKEN", "SSH_PASSPHRASE", "DATABASE_URL", "ANYTHING"}


def test_the_longest_is_masked_first_and_in_every_form() -> None:
    secrets = known_secrets({}, {"A": "12345678x", "AB": "12345678x90", "K": PRIVATE_KEY})
    assert mask("12345678x90 12345678x", secrets) == "<AB> <A>"
    assert mask(PRIVATE_KEY, secrets) == "<K>"
    assert mask(repr(PRIVATE_KEY), secrets) == "'<K>'"
    assert mask("line MIIEvQIBADANBgkqhkiG9w0 of it", secrets) == "line <K> of it"


def test_the_beginning_of_a_secret_that_was_cut_is_masked() -> None:
    secrets = known_secrets({"SOME_KEY": "sk-ant-" + "0123456789" * 12}, {})
    assert mask("returned 'sk-ant-0123456789012…, no verdict", secrets) == (
        "returned '<SOME_KEY>…, no verdict"
    )
    assert mask("sk-ant-0123456789 and sk-ant-01234567", secrets) == (
        "sk-ant-0123456789 and <SOME_KEY>"
    )
    assert mask("sk-ant-012 is no key", secrets) == "sk-ant-012 is no key"


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_an_env_file_that_is_none_holds_nothing(tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        (tmp_path / ".env").mkdir()
    elif kind == "pipe":
        os.mkfifo(tmp_path / ".env")
    assert Secrets(str(tmp_path), {}).mask("any text at all") == "any text at all"


def test_inputs_are_left_as_they_are(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("NAME=a-folder-name\n")
    secrets = Secrets(str(tmp_path), {})
    message = {
        "t": "cell",
        "inputs": [["open", "/x/a-folder-name/f", "digest"]],
        "score": {"rationale": "in a-folder-name", "samples": [{"raw": "a-folder-name"}]},
        "out": "a-folder-name",
    }
    assert secrets.mask_message(message) == {
        "t": "cell",
        "inputs": [["open", "/x/a-folder-name/f", "digest"]],
        "score": {"rationale": "in <NAME>", "samples": [{"raw": "<NAME>"}]},
        "out": "<NAME>",
    }
