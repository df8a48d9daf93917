"""`.env` at the project's root: names and values, as other tools read them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping

ENV_FILE = ".env"
_MOST = 1 << 20
"""Bytes of it that are read."""

_ASSIGNMENT = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*)")
_QUOTED = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)\"""")
_COMMENT = re.compile(r"(?:^|\s)#")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def read_env_file(root: str, environ: Mapping[str, str]) -> dict[str, str]:
    """What `.env` in the folder `root` sets; empty when there is no such file to read.

    Understood are `export`, quotes, comments, escapes in double quotes, and `${NAME}` and
    `${NAME:-default}` outside of single quotes. The last of several equal names counts.
    """
    path = os.path.join(root, ENV_FILE)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its writer
            return {}
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            lines = file.read(_MOST).split("\n")
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in lines:
        if match := _ASSIGNMENT.fullmatch(line.strip()):
            found[match[1]] = _value(match[2], {**found, **environ})
    return found


def _value(written: str, known: Mapping[str, str]) -> str:
    quoted = _QUOTED.match(written)
    if quoted is None:
        return _filled_in(_COMMENT.split(written, maxsplit=1)[0].strip(), known)
    if quoted[1] is not None:
        return quoted[1]
    plain = _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), quoted[2])
    return _filled_in(plain, known)


def _filled_in(text: str, known: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda match: known.get(match[1]) or match[2] or "", text)
