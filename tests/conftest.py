"""Settings of all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# How fast a machine is says nothing about whether a property holds.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many tests wait for other processes."""
    return (os.cpu_count() or 1) + 1
