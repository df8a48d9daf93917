"""What model calls cost: before, as an estimate, and after, by usage; and the budget for them.

All amounts are US dollars. Prices come from the `genai-prices` library, which is imported when
the first price is asked for (a few tenths of a second: `load_prices` does it in a thread). A
price that is not known is None, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

from eval_tui.engine.credentials import Credentials
from eval_tui.engine.threads import in_thread

Auto = Literal["free", "paid", "off"]
Decision = Literal["go", "money", "off", "secret"]

DEFAULT_BUDGET = 1.0
"""US dollars that `--auto paid` may spend on its own unless told otherwise (D48)."""
EXPECTED_OUTPUT = 500
"""Tokens that a verdict with its rationale takes; `max_tokens` is a bound, not a guess."""
CHARACTERS_PER_TOKEN = 3.5
"""Of ASCII text: prose has about four, code and JSON about three."""
TOKENS_PER_OTHER_CHARACTER = 1.0
"""For text outside of ASCII, where a character may be anything from a third to two tokens."""
TOKENS_PER_IMAGE = 1600
TOOL_TOKENS = 350
"""What the API adds to a request that has tools."""
_NANO = 1_000_000_000


@dataclass(frozen=True)
class Estimate:
    """What one or several requests are expected to take."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    """None when the price of any of them is not known."""
    keyless: int = 0
    """Cells whose model cannot be asked, for there is no API key; no calls are counted for them."""

    def __add__(self, other: Estimate) -> Estimate:
        known = self.cost is not None and other.cost is not None
        return Estimate(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            cast(float, self.cost) + cast(float, other.cost) if known else None,
            self.keyless + other.keyless,
        )


NOTHING = Estimate(0, 0, 0, 0.0)


async def load_prices() -> None:
    """Import the price library in a thread, so that later look-ups are quick."""
    await in_thread(lambda: _price("anthropic", "", "claude-sonnet-4-5", (1, 1, 0, 0, 0)))


def cost_of(model: str, usage: Mapping[str, Any], credentials: Credentials) -> float | None:
    """What a call cost, by the usage that its answer reports; None for an unknown price."""
    counts = (
        token_count(usage, "input_tokens"),
        token_count(usage, "output_tokens"),
        cached_tokens(usage),
        *_cache_writes(usage),
    )
    if counts[:2] == (0, 0) and "input_tokens" not in usage:
        return None
    return _price(_PROVIDERS[credentials.kind], credentials.base_url, model, counts)


def cache_saving(model: str, usage: Mapping[str, Any], credentials: Credentials) -> float | None:
    """What reading from the prompt cache saved in a call, less what writing to it cost more."""
    paid = cost_of(model, usage, credentials)
    plain = {
        "input_tokens": prompt_tokens(usage),
        "output_tokens": token_count(usage, "output_tokens"),
    }
    full = cost_of(model, plain, credentials)
    return None if paid is None or full is None else full - paid


def estimate(
    params: Mapping[str, Any], credentials: Credentials, expected_output: int = EXPECTED_OUTPUT
) -> Estimate:
    """What a request would take, from its text alone; for an agent what it may take at most."""
    if "agent" in params:
        return most_for_agent(params)
    given = params.get("max_tokens")
    most = given if isinstance(given, int) else expected_output
    output = min(most, expected_output)
    counted = _tokens(params.get("system")) + _tokens(params.get("messages"))
    if tools := params.get("tools"):
        counted += _tokens(tools) + TOOL_TOKENS
    tokens = max(1, math.ceil(counted))
    usage = {"input_tokens": tokens, "output_tokens": output}
    return Estimate(1, tokens, output, cost_of(str(params.get("model", "")), usage, credentials))


def most_for_agent(params: Mapping[str, Any]) -> Estimate:
    """The limit of one run of an agent: nobody knows before what it will take."""
    return Estimate(1, 0, 0, cast("float | None", params["agent"]["max_budget_usd"]))


def total(estimates: Iterable[Estimate]) -> Estimate:
    """All of them together."""
    return sum(estimates, NOTHING)


@dataclass(eq=False)
class Reservation:
    """Money set aside for one call that is about to start. Settled or released once."""

    amount: int
    """In billionths of a dollar, so that sums are exact."""
    automatic: bool
    done: bool = False


@dataclass(eq=False)
class Budget:
    """What may be spent without asking, and what has been.

    Calls that the person confirmed are counted, and leave the limit alone. The sum of what was
    spent and what is reserved never exceeds the limit, except by calls that turn out to cost
    more than their estimate; after such a call nothing starts until there is room again.
    """

    limit: float = DEFAULT_BUDGET
    _spent: int = 0
    _confirmed: int = 0
    _reserved: int = 0

    @property
    def spent(self) -> float:
        """Of the limit, by usage where it is known, else by estimate."""
        return self._spent / _NANO

    @property
    def confirmed(self) -> float:
        """Spent by calls that the person confirmed."""
        return self._confirmed / _NANO

    @property
    def reserved(self) -> float:
        """Set aside for automatic calls in flight."""
        return self._reserved / _NANO

    @property
    def left(self) -> float:
        """What automatic calls may still commit; never negative."""
        return max(0, self._room()) / _NANO

    def fits(self, estimate: float) -> bool:
        """Whether a call of this estimate may start on its own now."""
        return _nano(estimate) <= self._room()

    def reserve(self, estimate: float | None, *, confirmed: bool = False) -> Reservation | None:
        """Set money aside before a call starts; None when it does not fit or has no price.

        What the person confirmed always fits.
        """
        if confirmed:
            return Reservation(_nano(estimate or 0.0), automatic=False)
        if estimate is None or not self.fits(estimate):
            return None
        reservation = Reservation(_nano(estimate), automatic=True)
        self._reserved += reservation.amount
        return reservation

    def settle(self, reservation: Reservation, actual: float | None = None) -> None:
        """The call has ended. Without `actual` its estimate is taken for spent.

        That is right for a call that was cancelled or cut off: it may have been billed.
        """
        if reservation.done:
            return
        reservation.done = True
        amount = reservation.amount if actual is None else _nano(actual)
        if reservation.automatic:
            self._reserved -= reservation.amount
            self._spent += amount
        else:
            self._confirmed += amount

    def release(self, reservation: Reservation) -> None:
        """The call never began, or the API turned it away: nothing was spent."""
        self.settle(reservation, 0.0)

    def _room(self) -> int:
        return _nano(self.limit) - self._spent - self._reserved


@dataclass(frozen=True)
class Policy:
    """What may be called without being asked for."""

    auto: Auto = "free"
    budget: Budget | None = None
    """The budget of `paid`; None allows nothing."""


def decide(
    policy: Policy, estimate: float | None, key_present: bool, *, confirmed: bool = False
) -> Decision:
    """What becomes of a request that no stored verdict answers (D22, D48).

    `secret`: nothing can be asked. `off`: nothing runs on its own. `money`: it waits for the
    person. `go`: reserve the estimate and call.
    """
    if policy.auto == "off" and not confirmed:
        return "off"  # what is left out needs no key
    if not key_present:
        return "secret"
    if confirmed:
        return "go"
    if policy.auto == "free" or estimate is None or policy.budget is None:
        return "money"
    return "go" if policy.budget.fits(estimate) else "money"


_PROVIDERS = {"key": "anthropic", "vertex": "google", "bedrock": "aws"}


@lru_cache(maxsize=4096)
def _price(
    provider: str, base_url: str, model: str, counts: tuple[int, int, int, int, int]
) -> float | None:
    """`counts`: input without cache, output, cache read, cache written for 5 minutes, 1 hour."""
    from genai_prices import Usage, calc_price

    fresh, output, read, short, long = counts
    usage = Usage(
        input_tokens=fresh + read + short + long,
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=short + long,
        cache_write_5m_tokens=short,
        cache_write_1h_tokens=long,
    )
    if base_url and provider == "anthropic":
        try:
            return float(calc_price(usage, model, provider_api_url=base_url).total_price)
        except (LookupError, ValueError):
            pass  # a proxy in front of the usual API
    try:
        return float(calc_price(usage, model, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None


def token_count(usage: Mapping[str, Any], name: str) -> int:
    """A count in the usage of an answer; 0 where it has none."""
    value = usage.get(name)
    return max(0, value) if isinstance(value, int) else 0


def cached_tokens(usage: Mapping[str, Any]) -> int:
    """Tokens that were read from the prompt cache."""
    return token_count(usage, "cache_read_input_tokens")


def prompt_tokens(usage: Mapping[str, Any]) -> int:
    """All tokens that were sent, whether or not the prompt cache had or took them."""
    return token_count(usage, "input_tokens") + cached_tokens(usage) + sum(_cache_writes(usage))


def _cache_writes(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens written to the prompt cache for five minutes and for an hour."""
    whole = token_count(usage, "cache_creation_input_tokens")
    detail = usage.get("cache_creation")
    long = 0
    if isinstance(detail, Mapping):
        long = token_count(cast("Mapping[str, Any]", detail), "ephemeral_1h_input_tokens")
    return max(0, whole - long), long


def _tokens(value: object) -> float:
    """Tokens of all text in a part of a request; images count as a whole."""
    if isinstance(value, str):
        ascii_only = len(value.encode("ascii", "ignore"))
        others = len(value) - ascii_only
        return ascii_only / CHARACTERS_PER_TOKEN + others * TOKENS_PER_OTHER_CHARACTER
    if isinstance(value, Mapping):
        block = cast("Mapping[str, object]", value)
        if block.get("type") == "image":
            return TOKENS_PER_IMAGE
        return sum(_tokens(key) + _tokens(part) + 1 for key, part in block.items())
    if isinstance(value, (list, tuple)):
        return sum(_tokens(part) for part in cast("list[object]", value))
    return 1.0


def _nano(usd: float) -> int:
    return round(usd * _NANO)
