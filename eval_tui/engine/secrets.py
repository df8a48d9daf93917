"""Secrets that are known by value, and their absence from whatever is kept or shown.

Judges do not get credentials in their environment, but they can read `.env` themselves, and an
error message can hold an address with its password. Worker messages are therefore masked once,
where they enter the app: the store, the screens, exports and logs hold what came through there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, cast
from urllib.parse import quote

from eval_tui.engine.dotenv import read_env_file
from eval_tui.engine.environment import has_password, is_secret, password_in

SHORTEST = 8
"""Characters of the shortest value that is masked: shorter ones are words that may stand anywhere."""

_LINE = 16
"""Characters of the shortest line of a value of several lines that is masked on its own."""

_HEAD = 12
"""Characters by which a long value is known that was cut off."""

_NO_SECRET = (
    "*_REGION",
    "*_PROFILE",
    "*MODEL*",
    "*_URL",
    "*_URI",
    "*_ENDPOINT",
    "*_HOST",
    "*_PROJECT",
    "*_PROJECT_ID",
    "*_LOCATION",
    "*_VERSION",
    "*_FILE",
    "*_DIR",
    "*_PATH",
    "LOG_*",
)
"""Names whose values are no secrets, although judges do not get them, unless they hold a password."""

_TEXTS = frozenset({"out", "output", "text", "traceback", "detail", "hint"})
_NESTED = frozenset({"score", "notes", "opaque", "unusable"})


def known_secrets(environ: Mapping[str, str], dotenv: Mapping[str, str]) -> dict[str, str]:
    """Secret value -> the name it is known by, the longest first.

    Those are the values of variables that look like credentials and everything that `.env` holds,
    except numbers, paths that exist and what is plainly a setting.
    """
    named = {n: value for n, value in environ.items() if is_secret(n) or has_password(value)}
    found: dict[str, str] = {}
    for name, value in [*named.items(), *dotenv.items()]:
        if _is_kept_back(name, value):
            for form in _forms(value):
                found.setdefault(form, name)
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def _is_kept_back(name: str, value: str) -> bool:
    if len(value) < SHORTEST or value.isdigit():
        return False
    if any(fnmatchcase(name.upper(), pattern) for pattern in _NO_SECRET):
        return has_password(value)
    return not (value.startswith(("/", "~")) and os.path.exists(os.path.expanduser(value)))


def _forms(value: str) -> Iterable[str]:
    """A value as it is, as `repr`, JSON and addresses show it, and in its parts."""
    yield value
    yield repr(value)[1:-1]
    yield json.dumps(value)[1:-1]
    yield quote(value, safe="")
    password = password_in(value)
    if len(password) >= SHORTEST:
        yield password
    lines = [line.strip() for line in value.splitlines()]
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= _LINE and not line.startswith("--"))


def mask(text: str, secrets: Mapping[str, str]) -> str:
    """The text with each of `secrets` (see `known_secrets`) replaced by its name."""
    for value, name in secrets.items():
        if value[:_HEAD] in text:
            text = _mask_cut(text.replace(value, f"<{name}>"), value, f"<{name}>")
    return text


def _mask_cut(text: str, value: str, name: str) -> str:
    """The same for the beginning of a long value where a text was cut inside of it."""
    if len(value) <= _HEAD:
        return text
    pieces: list[str] = []
    done = 0
    at = text.find(value[:_HEAD])
    while at >= 0:
        end = at + _HEAD
        while end < len(text) and end - at < len(value) and text[end] == value[end - at]:
            end += 1
        if end == len(text) or text[end] == "…":
            pieces += [text[done:at], name]
            done = end
        at = text.find(value[:_HEAD], end)
    return "".join([*pieces, text[done:]])


class Secrets:
    """The secrets of a project, read anew when asked to."""

    def __init__(self, root: str, environ: Mapping[str, str] | None = None) -> None:
        self._root = root
        self._environ = os.environ if environ is None else environ
        self._known: dict[str, str] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read `.env` again. What was known stays known: it may have been rotated just now."""
        found = known_secrets(self._environ, read_env_file(self._root, {}))
        merged = {**self._known, **found}
        self._known = dict(sorted(merged.items(), key=lambda item: -len(item[0])))

    def mask(self, text: str) -> str:
        """The text with each known secret replaced by the name of its variable."""
        return mask(text, self._known)

    def mask_message(self, message: dict[str, Any]) -> dict[str, Any]:
        """A worker's message with the texts in it masked that are kept; the rest as it is.

        Paths and digests that cells are compared by are left alone, as nobody could find them
        again.
        """
        if not self._known:
            return message
        for word in message.keys() & _TEXTS:
            if isinstance(message[word], str):
                message[word] = self.mask(message[word])
        for word in message.keys() & _NESTED:
            message[word] = _map_texts(message[word], self.mask)
        return message

    def mask_texts(self, value: object) -> object:
        """Plain data with every text in it masked."""
        return _map_texts(value, self.mask)


def _map_texts(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_texts(item, change) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return {key: _map_texts(item, change) for key, item in pairs}
    return value
