"""Whether a difference is more than noise, and how often something passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Z_LIMIT = 1.96
ALPHA = math.erfc(Z_LIMIT / math.sqrt(2))
"""The chance that a normal variable lies beyond Z_LIMIT, on either side."""
FEW = 30
"""Below so many trials on either side the exact test decides."""


class Tally(NamedTuple):
    """Passes among trials that were evaluated."""

    passed: int
    trials: int

    @property
    def rate(self) -> float | None:
        """None over nothing, never 0."""
        return self.passed / self.trials if self.trials else None


def pass_at_k(trials: int, passed: int, k: int) -> float:
    """The chance that at least one of `k` of these trials passes; `k` is cut to the trials there are.

    Raises ValueError without any trial: there is no chance to speak of.
    """
    if trials <= 0:
        raise ValueError("no trial was evaluated")
    failing = 1.0
    for at in range(min(k, trials)):
        failing *= max(0, trials - passed - at) / (trials - at)
    return 1.0 - failing


def fisher(first: Tally, second: Tally) -> float:
    """The two-sided p value of Fisher's exact test."""
    total, passed = first.trials + second.trials, first.passed + second.passed
    least, most = max(0, passed - second.trials), min(passed, first.trials)
    whole = math.comb(total, passed)

    def chance(here: int) -> int:
        return math.comb(first.trials, here) * math.comb(second.trials, passed - here)

    seen = chance(first.passed)
    # Whole numbers: two tables that are equally likely are so exactly.
    return sum(c for c in map(chance, range(least, most + 1)) if c <= seen) / whole


def two_proportions(first: Tally, second: Tally) -> float:
    """The two-sided p value of the two-proportion z test."""
    pooled = (first.passed + second.passed) / (first.trials + second.trials)
    spread = math.sqrt(pooled * (1 - pooled) * (1 / first.trials + 1 / second.trials))
    if spread == 0:
        return 1.0
    z = (first.passed / first.trials - second.passed / second.trials) / spread
    return math.erfc(abs(z) / math.sqrt(2))


def sign_test(down: int, up: int) -> float:
    """The two-sided p value of so many moves each way where both ways are equally likely."""
    moves = down + up
    tail = sum(math.comb(moves, at) for at in range(min(down, up) + 1))
    return min(1.0, 2 * tail / 2**moves)


def p_value(first: Tally, second: Tally) -> float | None:
    """By the test that fits the number of trials; None where one side has none."""
    if not first.trials or not second.trials:
        return None
    few = min(first.trials, second.trials) < FEW
    return fisher(first, second) if few else two_proportions(first, second)


def beyond_noise(first: Tally, second: Tally, min_delta: float = 0.0) -> bool:
    """Whether two rates differ by more than chance explains, and by at least `min_delta`."""
    p = p_value(first, second)
    if p is None:
        return False
    delta = abs(first.passed / first.trials - second.passed / second.trials)
    return p <= ALPHA and delta >= min_delta


def benjamini_hochberg(p_values: Sequence[float], alpha: float = 0.05) -> list[bool]:
    """Which of many differences stand when as many are looked at, at this rate of false ones."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    last = 0
    for rank, at in enumerate(order, 1):
        if p_values[at] <= alpha * rank / len(order):
            last = rank
    stands = set(order[:last])
    return [at in stands for at in range(len(p_values))]
