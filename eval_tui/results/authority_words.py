"""Declarations of ground truth in words: what is declared, what changed, and what accepting it does."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from eval_tui.engine.authority import STATE_WORDS, Changed
from eval_tui.results.verdicts import Effect
from eval_tui.results.words import count
from eval_tui.verdicts.lock import Review

CONTEXT = 3
"""Lines around a change that are shown with it."""


def review_words(one: Review) -> Iterator[str]:
    """The lines that say what is declared, by whom it was accepted, and what has changed since."""
    yield f"{one.state:<10} {one.metric}  (grader {one.grader})"
    yield f"  {STATE_WORDS[one.state]}"
    if one.declaration is not None:
        files = one.declaration.files
        pinned = ", ".join(sorted(files)) if files else "none that can be seen: not pinned"
        yield f"  files: {pinned}"
    if one.acceptance is not None:
        entry = one.acceptance
        note = f": {entry.note}" if entry.note else ""
        yield f"  accepted by {entry.accepted_by}, {entry.accepted_at}{note}"
    if one.changed:
        yield f"  changed: {', '.join(one.changed)}"


def effect_words(effect: Effect, one: Review) -> str:
    """How many verdicts would change which way, in a sentence."""
    act = "accepting this" if one.declaration is not None else "dropping this"
    total = effect.changed + effect.same
    if not total:
        return f"{act}: there are no scored cases to tell what it changes"
    ways = (
        (effect.to_passed, "become passed"),
        (effect.to_failed, "become failed"),
        (effect.to_open, "become not evaluated"),
    )
    told = [f"{n:,} {words}" for n, words in ways if n]
    change = ", ".join(told) if told else "no verdict changes"
    return f"{act}: {change} (of {count(total, 'case')})"


def changed_lines(changed: Changed) -> Iterator[str]:
    """A text as a diff against what was accepted; whole where that is not known any more."""
    if changed.now is None:
        yield f"--- {changed.name}: gone, or no text"
        return
    now = changed.now.splitlines()
    if changed.before is None:
        known = "what was accepted is not at hand; " if changed.accepted else ""
        yield f"--- {changed.name}: {known}as it is now:"
        yield from (f"  {line}" for line in now)
        return
    before = changed.before.splitlines()
    if before == now:
        yield f"--- {changed.name}: as it was accepted"
        return
    names = (f"{changed.name} (accepted)", f"{changed.name} (now)")
    yield from difflib.unified_diff(before, now, *names, lineterm="", n=CONTEXT)
