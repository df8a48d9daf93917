from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.support_pool import PROJECT


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty project folder; the supervisor can import the tests' stand-in evaluation."""
    monkeypatch.setenv("PYTHONPATH", PROJECT)
    folder = tmp_path / "project"
    folder.mkdir()
    return str(folder.resolve())
