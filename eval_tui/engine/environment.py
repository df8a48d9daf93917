"""The environment and the interpreter of the processes that run user code."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

SECRET_NAMES = (
    "ANTHROPIC_*",
    "OPENAI_*",
    "AWS_*",
    "AZURE_*",
    "GOOGLE_*",
    "GEMINI_*",
    "*API_KEY",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
    "*TOKEN",
    "*_TOKEN_*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*CREDENTIAL*",
)
"""Names of environment variables that judges do not get."""

FIXED = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
}
"""The same everywhere, so that equal inputs give equal words."""

_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=")


def is_secret(name: str) -> bool:
    """Whether a variable of this name is taken for a credential."""
    return any(fnmatchcase(name.upper(), pattern) for pattern in SECRET_NAMES)


def dotenv_names(root: str) -> frozenset[str]:
    """The names that `.env` at the project root sets; empty when there is none to read."""
    try:
        with open(os.path.join(root, ".env"), encoding="utf-8", errors="replace") as file:
            matches = [_ASSIGNMENT.match(line) for line in file.read(1 << 20).splitlines()]
    except OSError:
        return frozenset()
    return frozenset(match[1] for match in matches if match)


def worker_environment(
    environ: Mapping[str, str], withheld: Iterable[str] = (), *, own_interpreter: bool = True
) -> dict[str, str]:
    """`environ` without credentials and without the names in `withheld`, with `FIXED` in force."""
    left_out = {*withheld}
    if not own_interpreter:
        left_out |= {"PYTHONHOME", "PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__"}
    kept = {
        name: value
        for name, value in environ.items()
        if name not in left_out and not is_secret(name) and not name.startswith("LC_")
    }
    return {**kept, **FIXED}


def find_python(root: str, python: str | None, environ: Mapping[str, str]) -> str:
    """The interpreter for judges (D50): the one given, `EVAL_TUI_PYTHON`, the project's, ours.

    A path from outside is not checked here: starting it tells.
    """
    if given := python or environ.get("EVAL_TUI_PYTHON"):
        return os.path.abspath(os.path.expanduser(given)) if os.sep in given else given
    for folder in (".venv", "venv"):
        candidate = os.path.join(root, folder, "bin", "python")
        if os.access(candidate, os.X_OK):
            return candidate
    return sys.executable
