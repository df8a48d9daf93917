"""What may come next in the filter line."""

from __future__ import annotations

from collections.abc import Iterable

from eval_tui.results.compare import CHANGED
from eval_tui.results.filter.parse import FIELDS, REASONS
from eval_tui.results.filter.terms import STATES, quoted

_WORDS = (*STATES, "unmeasured", "skipped", "changed", "disagree", "not", "and", "or")


def completions(
    text: str, judges: Iterable[str] = (), annotations: Iterable[str] = ()
) -> list[str]:
    """The line as it could go on: each completes its last word. Empty while nothing is begun."""
    before, last = _last_word(text)
    if not last:
        return []
    fold = last.lower()
    field, colon, value = last.partition(":")
    if colon:
        name = field.lower()
        if name == "judge":
            offers = _of_judge(value, judges)
        elif name == "unmeasured":
            offers = list(REASONS)
        elif name == "changed":
            offers = list(CHANGED)
        else:
            offers = []
        whole = [f"{field}:{offer}" for offer in offers]
    else:
        paths = [f"annotations.{quoted(key, '.')}:" for key in annotations]
        whole = [*_WORDS, *FIELDS, *paths]
    return [
        before + last + offer[len(last) :]
        for offer in whole
        if offer.lower().startswith(fold) and offer.lower() != fold
    ]


def _of_judge(value: str, judges: Iterable[str]) -> list[str]:
    names = [quoted(name) for name in judges]
    for name in names:
        if value.startswith(f"{name}:"):
            return [f"{name}:{word}" for word in (*STATES, "unmeasured", "changed")]
    return names


def _last_word(text: str) -> tuple[str, str]:
    """What stands before the word that is being typed, and that word."""
    start = at = 0
    inside = False
    while at < len(text):
        character = text[at]
        if character == '"':
            inside = not inside
        elif character == "\\" and inside:
            at += 1
        elif not inside and (character.isspace() or character in "()"):
            start = at + 1
        at += 1
    return text[:start], text[start:]
