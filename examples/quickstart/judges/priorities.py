"""The four priorities, and how far two of them are apart."""

LEVELS = ["low", "normal", "high", "urgent"]


def steps_between(one: str, other: str) -> int:
    """0 for the same priority, up to 3 for `low` and `urgent`."""
    return abs(LEVELS.index(one) - LEVELS.index(other))
