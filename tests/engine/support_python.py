"""Other interpreters on this machine."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest


def interpreter(version: str) -> str:
    """The path of a Python of this minor version; skips the test where there is none."""
    candidates = [
        *sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python")),
        *filter(None, [shutil.which(f"python{version}")]),
    ]
    for candidate in candidates:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            command = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
            if done.stdout.strip() == version:
                return str(candidate)
    pytest.skip(f"needs a Python {version} on the path or in ~/.pyenv")
