"""Settings of all tests."""

from __future__ import annotations

import compileall
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How fast a machine is says nothing about whether a property holds.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package once, not anew in each of the processes that tests start.

    Where Python may write no bytecode by itself, as in many containers, that was most of their time.
    """
    if not hasattr(config, "workerinput"):
        compile_package()


def compile_package() -> None:
    compileall.compile_dir(Path(__file__).parents[1] / "eval_tui", quiet=2, workers=0)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many tests wait for other processes."""
    return (os.cpu_count() or 1) + 1
