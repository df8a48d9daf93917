"""Paid answers: kept, found again, and never bought twice."""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from eval_tui.engine import verdicts as module
from eval_tui.engine.client import Answer
from eval_tui.engine.owners import new_owner
from eval_tui.engine.store import open_store
from eval_tui.engine.verdicts import (
    CLAIM_SECONDS,
    KEEP_PER_REQUEST,
    Verdict,
    Verdicts,
    open_verdicts,
)
from tests.support.fake_anthropic import FakeAnthropic

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = json.dumps(["another machine", 1, "1", "0"])


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def answer(text: str = "fine") -> Answer:
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_creation": {"ephemeral_1h": 0}}
    return Answer(({"type": "text", "text": text},), "end_turn", usage, "model-1", "req_1", 0.5, 1)


def put(
    verdicts: Verdicts,
    digest: str = "d",
    index: int = 0,
    text: str = "fine",
    cost: float | None = 0.01,
    run: str = "run-1",
    case: str = "case-1",
) -> Verdict:
    given = answer(text)
    return verdicts.put(
        digest,
        index,
        given,
        usage=given.usage,
        cost=cost,
        model="model",
        run=run,
        case=case,
        judge="judge",
    )


def text_of(verdict: Verdict | None) -> str:
    assert verdict is not None
    return verdict.answer.content[0]["text"]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "store.db")


def test_an_answer_is_found_again_after_reopening(path: str) -> None:
    first = Verdicts(path)
    assert first.get("d", 0) is None
    stored = put(first)
    first.close()
    again = Verdicts(path)
    found = again.get("d", 0)
    assert found == stored
    assert found is not None and found.answer == answer()
    assert (found.cost, found.model, found.run, found.case, found.judge) == (
        0.01,
        "model",
        "run-1",
        "case-1",
        "judge",
    )
    assert again.get("d", 1) is None and again.get("other", 0) is None
    again.close()


def test_the_answers_lie_beside_the_store_and_outlive_it(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    assert store.path is not None
    folder = str(Path(store.path).parent)
    verdicts = open_verdicts(folder)
    put(verdicts)
    verdicts.close()
    store.close()
    Path(store.path).write_bytes(b"no database " * 1000)
    reopened, again = open_store(str(tmp_path)), open_verdicts(folder)
    assert reopened.notice != "" and again.notice == ""
    assert again.get("d", 0) is not None
    again.close()
    reopened.close()


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / module.FILE).write_bytes(b"no database " * 1000)
    verdicts = open_verdicts(str(tmp_path))
    assert "could not be read" in verdicts.notice
    assert len(list(tmp_path.glob("*.aside-*"))) == 1
    put(verdicts)
    verdicts.close()
    again = open_verdicts(str(tmp_path))
    assert again.notice == "" and again.get("d", 0) is not None
    again.close()


def test_where_there_can_be_no_file_memory_serves(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / module.FILE)
    for folder in (str(tmp_path), str(tmp_path / "missing")):
        verdicts = open_verdicts(folder)
        assert "kept until you quit" in verdicts.notice
        put(verdicts)
        assert verdicts.get("d", 0) is not None
        verdicts.close()
    assert open_verdicts(None).notice == ""


def test_a_forced_rerun_keeps_the_older_answers_as_history(path: str) -> None:
    verdicts = Verdicts(path)
    for number in range(KEEP_PER_REQUEST + 3):
        put(verdicts, text=f"answer {number}")
    put(verdicts, index=1, text="another sample")
    assert text_of(verdicts.get("d", 0)) == f"answer {KEEP_PER_REQUEST + 2}"
    texts = [text_of(verdict) for verdict in verdicts.history("d", 0)]
    assert texts == [f"answer {n}" for n in range(KEEP_PER_REQUEST + 2, 2, -1)]
    verdicts.close()


def test_texts_and_names_may_hold_anything(path: str) -> None:
    verdicts = Verdicts(path)
    put(verdicts, text="half \ud83d \x00 \u202e", case="name \udce4")
    assert text_of(verdicts.get("d", 0)) == "half \ud83d \x00 \u202e"
    verdicts.close()


def test_what_is_used_is_kept_when_room_runs_out(path: str) -> None:
    clock = Clock()
    verdicts = Verdicts(path, clock, keep_bytes=20_000)
    for number in range(3 * module.TRIM_EVERY):
        clock.now += 1
        verdicts.get("digest-0", 0)
        put(verdicts, f"digest-{number}", text="x" * 100)
    assert verdicts.get("digest-0", 0) is not None
    assert verdicts.get(f"digest-{3 * module.TRIM_EVERY - 1}", 0) is not None
    assert verdicts.get("digest-1", 0) is None
    verdicts.close()
    db = sqlite3.connect(path)
    assert db.execute("SELECT TOTAL(LENGTH(answer)) FROM verdicts").fetchone()[0] <= 20_000
    db.close()


def test_what_cannot_be_written_is_kept_and_written_later(path: str) -> None:
    verdicts, other = Verdicts(path), sqlite3.connect(path)
    full = "BEGIN SELECT RAISE(FAIL, 'no room'); END"
    other.execute(f"CREATE TRIGGER full BEFORE INSERT ON verdicts {full}")
    other.commit()
    put(verdicts, text="paid")
    assert "cannot be stored" in verdicts.notice
    assert text_of(verdicts.get("d", 0)) == "paid"
    assert not verdicts.claim("d", 0, new_owner())
    other.execute("DROP TRIGGER full")
    other.commit()
    verdicts.close()
    again = Verdicts(path)
    assert text_of(again.get("d", 0)) == "paid"
    again.close()
    other.close()


def test_without_a_file_it_works_in_memory() -> None:
    verdicts, owner = Verdicts(None), new_owner()
    assert verdicts.claim("d", 0, owner)
    put(verdicts)
    verdicts.release("d", 0, owner)
    assert verdicts.get("d", 0) is not None
    verdicts.close()


def test_one_of_two_instances_gets_the_claim(path: str) -> None:
    one, two = Verdicts(path), Verdicts(path)
    mine, theirs = new_owner(), new_owner()
    assert one.claim("d", 0, mine)
    assert not two.claim("d", 0, theirs)
    assert two.claim("d", 1, theirs)
    one.release("d", 0, theirs)  # not theirs to give back
    assert not two.claim("d", 0, theirs)
    one.release("d", 0, mine)
    assert two.claim("d", 0, theirs)
    one.close()
    two.close()


def test_what_is_there_is_claimed_only_by_force(path: str) -> None:
    verdicts, owner = Verdicts(path), new_owner()
    put(verdicts)
    assert not verdicts.claim("d", 0, owner)
    assert verdicts.claim("d", 0, owner, forced=True)
    verdicts.close()


def test_a_claim_from_elsewhere_expires(path: str) -> None:
    clock = Clock()
    one, two = Verdicts(path, clock), Verdicts(path, clock)
    assert one.claim("d", 0, FOREIGN)
    clock.now += CLAIM_SECONDS - 1
    assert not two.claim("d", 0, new_owner())
    clock.now += 2
    assert two.claim("d", 0, new_owner())
    one.close()
    two.close()


def test_a_claim_holds_as_long_as_its_owner_gets_on(path: str) -> None:
    clock = Clock()
    one, two = Verdicts(path, clock), Verdicts(path, clock)
    assert one.claim("long", 0, FOREIGN)
    for number in range(10):
        clock.now += CLAIM_SECONDS / 2
        put(one, f"other-{number}")
        assert not two.claim("long", 0, new_owner())
    one.close()
    two.close()


def test_the_claim_of_a_process_that_died_is_void_at_once(path: str) -> None:
    code = (
        "import os, sys\n"
        "from eval_tui.engine.owners import new_owner\n"
        "from eval_tui.engine.verdicts import Verdicts\n"
        "assert Verdicts(sys.argv[1]).claim('d', 0, new_owner())\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", code, path], check=False, cwd=ROOT)
    db = sqlite3.connect(path)
    assert db.execute("SELECT COUNT(*) FROM claims").fetchone() == (1,)
    db.close()
    verdicts = Verdicts(path)
    assert verdicts.claim("d", 0, new_owner())
    verdicts.close()


async def test_who_waits_gets_the_others_answer(path: str) -> None:
    one, two = Verdicts(path), Verdicts(path)
    mine = new_owner()
    assert await one.get_or_claim("d", 0, mine) is None
    waiting = asyncio.ensure_future(two.get_or_claim("d", 0, new_owner()))
    put(one, text="bought once")
    one.release("d", 0, mine)
    assert text_of(await waiting) == "bought once"
    one.close()
    two.close()


async def test_who_waits_buys_when_the_other_gives_up(path: str) -> None:
    one, two = Verdicts(path), Verdicts(path)
    mine = new_owner()
    assert await one.get_or_claim("d", 0, mine) is None
    waiting = asyncio.ensure_future(two.get_or_claim("d", 0, new_owner()))
    await asyncio.sleep(0)
    one.release("d", 0, mine)
    assert await waiting is None
    one.close()
    two.close()


async def test_two_equal_requests_of_one_instance_are_one_purchase(path: str) -> None:
    verdicts, owner = Verdicts(path), new_owner()
    assert await verdicts.get_or_claim("d", 0, owner) is None
    waiting = asyncio.ensure_future(verdicts.get_or_claim("d", 0, owner))
    await asyncio.sleep(0)
    assert not waiting.done()
    put(verdicts, text="for both")
    verdicts.release("d", 0, owner)
    assert text_of(await waiting) == "for both"
    verdicts.close()


async def test_a_forced_rerun_buys_although_there_is_an_answer(path: str) -> None:
    verdicts, owner = Verdicts(path), new_owner()
    put(verdicts, text="old")
    assert await verdicts.get_or_claim("d", 0, owner, forced=True) is None
    put(verdicts, text="new")
    verdicts.release("d", 0, owner)
    assert text_of(await verdicts.get_or_claim("d", 0, owner)) == "new"
    verdicts.close()


def test_two_processes_buy_each_request_once(path: str) -> None:
    count = 50
    with FakeAnthropic() as server:
        command = [sys.executable, "-m", "tests.engine.support_buyer", path, server.base_url]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
        instances = [subprocess.Popen([*command, str(count)], **pipes) for _ in range(2)]
        for instance in instances:
            assert instance.stdout is not None
            assert instance.stdout.readline() == "ready\n"
        for instance in instances:
            assert instance.stdin is not None
            instance.stdin.write("go\n")
            instance.stdin.flush()
        results = [json.loads(instance.communicate()[0]) for instance in instances]
        times = Counter(entry["sha"] for entry in server.requests)
    assert set(times.values()) == {1}
    assert len(times) == count
    assert sum(bought for bought, _ in results) == count
    assert results[0][1] == results[1][1]
