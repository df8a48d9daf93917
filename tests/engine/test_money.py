"""What calls cost, what they would cost, and the budget for them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tui.engine.credentials import Credentials
from eval_tui.engine.money import (
    EXPECTED_OUTPUT,
    Budget,
    Estimate,
    Policy,
    Reservation,
    cache_saving,
    cost_of,
    decide,
    estimate,
    load_prices,
    total,
)

MODEL = "claude-3-5-haiku-20241022"  # 0.80 and 4.00 dollars for a million tokens
KEY = Credentials("key", "ANTHROPIC_API_KEY", ".env", api_key="k")


def usage(fresh: int = 0, output: int = 0, **more: Any) -> dict[str, Any]:
    return {"input_tokens": fresh, "output_tokens": output, **more}


def request(text: str, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return {"model": MODEL, "max_tokens": 4096, "messages": [message], **more}


async def test_prices_can_be_loaded_ahead() -> None:
    await load_prices()


def test_a_call_costs_what_its_usage_says() -> None:
    assert cost_of(MODEL, usage(1_000_000), KEY) == pytest.approx(0.80)
    assert cost_of(MODEL, usage(0, 1_000_000), KEY) == pytest.approx(4.00)
    assert cost_of(MODEL, usage(500, 100), KEY) == pytest.approx(0.0008)


def test_cached_tokens_have_their_own_prices() -> None:
    read = usage(cache_read_input_tokens=1_000_000, cache_creation_input_tokens=None)
    assert cost_of(MODEL, read, KEY) == pytest.approx(0.08)
    assert cache_saving(MODEL, read, KEY) == pytest.approx(0.72)
    written = usage(cache_creation_input_tokens=1_000_000)
    assert cost_of(MODEL, written, KEY) == pytest.approx(1.00)
    assert cache_saving(MODEL, written, KEY) == pytest.approx(-0.20)
    hour = usage(
        cache_creation_input_tokens=100_000,
        cache_creation={"ephemeral_1h_input_tokens": 100_000, "ephemeral_5m_input_tokens": 0},
    )
    assert cost_of("claude-sonnet-4-5", hour, KEY) == pytest.approx(0.60)


def test_an_unknown_price_is_none_and_not_nothing() -> None:
    assert cost_of("my-own-model", usage(10, 10), KEY) is None
    assert cost_of(MODEL, {}, KEY) is None
    assert estimate({**request("x"), "model": "my-own-model"}, KEY).cost is None


@pytest.mark.parametrize(
    ("kind", "address", "model"),
    [
        ("key", "http://127.0.0.1:8080", MODEL),
        ("vertex", "", "claude-sonnet-4-5@20250929"),
        ("bedrock", "", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ],
)
def test_other_ways_to_the_same_models_have_prices(kind: Any, address: str, model: str) -> None:
    credentials = Credentials(kind, "N", ".env", base_url=address)
    cost = cost_of(model, usage(1000, 100), credentials)
    assert cost is not None and cost > 0


def test_an_estimate_grows_with_the_text() -> None:
    short, long = estimate(request("word " * 100), KEY), estimate(request("word " * 1000), KEY)
    assert 100 <= short.input_tokens <= 200
    assert 1000 <= long.input_tokens <= 1600
    assert short.cost is not None and long.cost is not None
    assert 0 < short.cost < long.cost
    assert short.output_tokens == EXPECTED_OUTPUT


def test_an_estimate_counts_everything_that_is_sent() -> None:
    plain = estimate(request("x"), KEY).input_tokens
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 4_000_000}}
    pictured = {**request("x"), "messages": [{"role": "user", "content": [image]}]}
    assert plain + 1000 < estimate(pictured, KEY).input_tokens < 10_000
    tool = {"name": "verdict", "input_schema": {"type": "object"}}
    assert estimate(request("x", tools=[tool]), KEY).input_tokens > plain + 300
    assert estimate(request("x", system="word " * 100), KEY).input_tokens > plain + 100
    assert estimate(request("語" * 1000), KEY).input_tokens >= 1000


def test_the_output_is_bounded_by_what_is_allowed() -> None:
    assert estimate(request("x", max_tokens=50), KEY).output_tokens == 50
    assert estimate(request("x"), KEY, expected_output=900).output_tokens == 900


def test_estimates_add_up_and_an_unknown_one_makes_the_sum_unknown() -> None:
    one, unknown = Estimate(1, 10, 5, 0.25), Estimate(1, 10, 5, None)
    assert total([one, one]) == Estimate(2, 20, 10, 0.5)
    assert total([one, unknown]) == Estimate(2, 20, 10, None)
    assert total([]).cost == 0


def test_a_budget_holds_with_calls_in_flight() -> None:
    budget = Budget(1.0)
    flying = [made for _ in range(500) if (made := budget.reserve(0.006)) is not None]
    assert len(flying) == 166
    assert budget.reserved == pytest.approx(0.996)
    for reservation in flying[:100]:
        budget.settle(reservation, 0.003)
    assert (budget.spent, budget.reserved) == (pytest.approx(0.3), pytest.approx(0.396))
    assert budget.fits(0.3) and not budget.fits(0.31)


def test_a_budget_is_used_to_the_last_cent() -> None:
    budget = Budget(1.0)
    assert all(budget.reserve(0.002) for _ in range(500))
    assert budget.reserve(0.002) is None
    assert budget.left == 0


def test_what_never_began_costs_nothing_and_what_was_cut_off_its_estimate() -> None:
    budget = Budget(1.0)
    turned_away, cut_off = budget.reserve(0.4), budget.reserve(0.4)
    assert turned_away is not None and cut_off is not None
    budget.release(turned_away)
    budget.settle(cut_off)
    budget.settle(cut_off, 100.0)  # only once
    assert (budget.spent, budget.reserved) == (0.4, 0.0)


def test_a_call_dearer_than_thought_stops_the_next() -> None:
    budget = Budget(1.0)
    call = budget.reserve(0.5)
    assert call is not None
    budget.settle(call, 1.5)
    assert (budget.left, budget.reserve(0.001)) == (0, None)


def test_confirmed_calls_leave_the_budget_alone() -> None:
    budget = Budget(1.0)
    confirmed, unpriced = (budget.reserve(cost, confirmed=True) for cost in (3.0, None))
    assert confirmed is not None and unpriced is not None
    budget.settle(confirmed, 2.5)
    budget.settle(unpriced)
    assert (budget.confirmed, budget.spent, budget.left) == (2.5, 0, 1.0)


def test_an_unknown_price_is_never_reserved_by_itself() -> None:
    assert Budget(1.0).reserve(None) is None


amounts = st.floats(0, 2, allow_nan=False)


@given(st.lists(st.tuples(amounts, amounts, st.sampled_from(["settle", "release", "keep"]))))
def test_commitments_never_exceed_the_limit(calls: list[tuple[float, float, str]]) -> None:
    budget = Budget(1.0)
    for expected, part, end in calls:
        call: Reservation | None = budget.reserve(expected)
        assert (call is None) == (expected > budget.left + (expected if call else 0) + 1e-9)
        if call is not None and end == "settle":
            budget.settle(call, min(part, expected))
        elif call is not None and end == "release":
            budget.release(call)
        assert budget.spent + budget.reserved <= 1.0 + 1e-9


@pytest.mark.parametrize(
    ("auto", "cost", "key", "confirmed", "decision"),
    [
        ("paid", 0.1, True, False, "go"),
        ("paid", 1.1, True, False, "money"),
        ("paid", None, True, False, "money"),
        ("free", 0.0, True, False, "money"),
        ("off", 0.0, True, False, "off"),
        ("off", 0.0, False, False, "off"),
        ("off", 0.0, False, True, "secret"),
        ("paid", 0.1, False, False, "secret"),
        ("free", None, True, True, "go"),
        ("off", 9.0, True, True, "go"),
        ("free", 0.1, False, True, "secret"),
    ],
)
def test_what_becomes_of_a_request(
    auto: Any, cost: float | None, key: bool, confirmed: bool, decision: str
) -> None:
    policy = Policy(auto, Budget(1.0))
    assert decide(policy, cost, key, confirmed=confirmed) == decision


def test_paid_without_a_budget_waits() -> None:
    assert decide(Policy("paid"), 0.1, True) == "money"
