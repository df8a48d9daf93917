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
    "*APIKEY",
    "*_KEY",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
    "*TOKEN",
    "*_TOKEN_*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*CREDENTIAL*",
)
"""Names of environment variables that judges do not get."""

MARK = "EVAL_TUI_WORKER"
"""A variable by which processes that judges started are known, whoever their parent is by then."""

FIXED = {
    MARK: "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
}
"""The same everywhere, so that equal inputs give equal words."""

_WITH_PASSWORD = re.compile(r"://[^/@\s]*:([^/@\s]+)@")


def is_secret(name: str) -> bool:
    """Whether a variable of this name is taken for a credential."""
    return any(fnmatchcase(name.upper(), pattern) for pattern in SECRET_NAMES)


def has_password(value: str) -> bool:
    """Whether a value is an address with a password in it."""
    return password_in(value) != ""


def password_in(value: str) -> str:
    """The password in an address; empty when there is none."""
    found = _WITH_PASSWORD.search(value)
    return found[1] if found else ""


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
        if name not in left_out
        and not name.startswith("LC_")
        and not (is_secret(name) or has_password(value))
    }
    return {**kept, **FIXED}


VENV_FOLDERS = (".venv", "venv")
"""Where a project keeps its own interpreter, the first that works (D50)."""


def find_python(root: str, python: str | None, environ: Mapping[str, str]) -> str:
    """The interpreter for judges (D50): the one given, `EVAL_TUI_PYTHON`, the project's, ours.

    A path from outside is not checked here: starting it tells.
    """
    if given := python or environ.get("EVAL_TUI_PYTHON"):
        return os.path.abspath(os.path.expanduser(given)) if os.sep in given else given
    for folder in VENV_FOLDERS:
        candidate = os.path.join(root, folder, "bin", "python")
        if os.access(candidate, os.X_OK):
            return candidate
    return sys.executable


def interpreter_note(root: str, python: str | None, environ: Mapping[str, str]) -> str:
    """What to tell when a project's own interpreter is there but cannot be run; else empty."""
    if python or environ.get("EVAL_TUI_PYTHON"):
        return ""
    for folder in VENV_FOLDERS:
        candidate = os.path.join(root, folder, "bin", "python")
        if os.access(candidate, os.X_OK):
            return ""
        why = _why_not(candidate)
        if why:
            chosen = find_python(root, python, environ)
            return f"{folder}/bin/python cannot be run: {why}. Judges run under {chosen}"
    return ""


def _why_not(candidate: str) -> str:
    if os.path.exists(candidate):
        return "it is not executable"
    if os.path.islink(candidate):
        return f"it leads to {os.path.realpath(candidate)}, which is not there"
    venv = os.path.dirname(os.path.dirname(candidate))
    return "it is missing" if os.path.exists(os.path.join(venv, "pyvenv.cfg")) else ""
