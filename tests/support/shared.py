"""The shared material that some tests read: beside the project, absent on most machines."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def shared_dir(*parts: str) -> Path:
    """The folder or file below the shared material; skips the test where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs the shared material at {SHARED}, which is not here")
    return path
