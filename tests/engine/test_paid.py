"""What calls took: of one score, and of a run over all sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.client import Answer
from eval_tui.engine.credentials import Credentials
from eval_tui.engine.grid import Costs, Paid
from eval_tui.engine.money import cache_saving
from eval_tui.engine.paid import RunCosts, Spent, paid_from, paid_plain, spent_on
from eval_tui.engine.verdicts import FILE, Verdict, Verdicts

MODEL = "claude-sonnet-4-5"
KEY = Credentials("key", "ANTHROPIC_API_KEY", ".env", "k")
PLAIN = {"input_tokens": 9_000, "output_tokens": 100}
CACHED = {"input_tokens": 1_000, "output_tokens": 100, "cache_read_input_tokens": 8_000}


def put(verdicts: Verdicts, digest: str, **more: Any) -> Verdict:
    facts: dict[str, Any] = {
        "usage": PLAIN,
        "cost": 0.25,
        "model": MODEL,
        "run": "run-1",
        "case": "a",
        "judge": "j",
        **more,
    }
    answer = Answer((), "end_turn", {}, MODEL)
    return verdicts.put(digest, 0, answer, **facts)


def test_what_a_score_took_is_kept_and_read_again() -> None:
    verdicts = Verdicts(None)
    found = [put(verdicts, "a"), put(verdicts, "b", usage=CACHED, cost=0.05)]
    paid = paid_from(paid_plain(found, 0.02))
    assert paid == Paid(MODEL, 2, 0.30, 18_000, 8_000, 200, 0.02)
    unpriced = [*found, put(verdicts, "c", cost=None)]
    assert paid_from(paid_plain(unpriced, None)) == Paid(MODEL, 3, None, 27_000, 8_000, 300)
    assert paid_from({"out": "printed"}) is None
    verdicts.close()


def test_scores_kept_before_tokens_were_are_read() -> None:
    assert paid_from({"model": MODEL, "cost": 0.5, "calls": 3}) == Paid(MODEL, 3, 0.5)


async def test_a_run_costs_what_all_sessions_paid_for_it(tmp_path: Path) -> None:
    verdicts = Verdicts(str(tmp_path / FILE))
    put(verdicts, "a")
    put(verdicts, "b", usage=CACHED, cost=0.05)
    put(verdicts, "c", cost=None)
    put(verdicts, "d", cost=4.0, run="another")
    spent = spent_on(4.0)  # in this session, on another run
    costs = RunCosts(str(tmp_path))
    await costs.open("run-1", lambda: spent, KEY)
    saved = cache_saving(MODEL, CACHED, KEY)
    assert saved and saved > 0
    assert costs.now("run-1", spent, 1.5) == Costs(
        1.5, pytest.approx(0.30), 1, pytest.approx(saved)
    )
    spent += spent_on(0.2)
    assert costs.now("run-1", spent, None).judges == pytest.approx(0.50)
    assert costs.now("run-2", spent, None) == Costs(), "another run is on screen by now"
    verdicts.close()


async def test_no_calls_and_no_file_cost_nothing_rather_than_zero(tmp_path: Path) -> None:
    for folder in (None, str(tmp_path)):
        costs = RunCosts(folder)
        await costs.open("run-1", Spent, None)
        assert costs.now("run-1", Spent(), None) == Costs()
    (tmp_path / FILE).write_bytes(b"no database")
    await costs.open("run-1", Spent, None)
    assert costs.now("run-1", Spent(), None) == Costs()


async def test_a_call_that_ends_meanwhile_is_counted_once(tmp_path: Path) -> None:
    verdicts = Verdicts(str(tmp_path / FILE))
    put(verdicts, "a")
    told = [Spent()]

    def session() -> Spent:
        if len(told) == 1:  # the answer comes while the file is being read
            put(verdicts, "b", cost=0.5)
            told.append(spent_on(0.5))
            return told[0]
        return told[1]

    costs = RunCosts(str(tmp_path))
    await costs.open("run-1", session, KEY)
    assert costs.now("run-1", told[1], None).judges == pytest.approx(0.75)
    verdicts.close()


def test_texts_of_requests_are_kept_within_bounds(tmp_path: Path) -> None:
    verdicts = Verdicts(str(tmp_path / FILE))
    put(verdicts, "a", request="What do you say? \ud800")
    put(verdicts, "b", request="x" * 2_000_000)
    put(verdicts, "c")
    verdicts.close()
    verdicts = Verdicts(str(tmp_path / FILE))
    assert verdicts.asked("a") == "What do you say? \ud800"
    assert verdicts.asked("b") is None, "too long to be kept"
    assert verdicts.asked("c") is None
    assert verdicts.asked("never") is None
    verdicts.close()
