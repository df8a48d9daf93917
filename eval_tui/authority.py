"""`authority list`, `accept` and `check`: what is declared as ground truth, and who accepts it (D42).

Nothing is judged: what accepting would change is told from the scores that there are.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from typing import Any

from eval_tui.engine.authority import Authority
from eval_tui.engine.driver import Driver
from eval_tui.engine.project import NoSuchThing, Options, with_eval
from eval_tui.output import put, say
from eval_tui.results.authority_words import changed_lines, effect_words, review_words
from eval_tui.results.exit_code import CANNOT_TELL, NOTHING_SELECTED, PASSED, UNUSABLE
from eval_tui.results.verdicts import effect
from eval_tui.verdicts.lock import Review, UnreadableLock

Act = Callable[[Driver], int]


def show(options: Options) -> int:
    """Print every declaration with its state, and what accepting it would change."""
    return asyncio.run(_with_driver(options, _show))


def check(options: Options) -> int:
    """Print what is not settled; 3 when there is anything."""
    return asyncio.run(_with_driver(options, _check))


def accept(options: Options, metric: str, by: str, note: str = "") -> int:
    """Show a declaration and write down that it is accepted; asks on a terminal without `by`."""
    return asyncio.run(_with_driver(options, lambda driver: _accept(driver, metric, by, note)))


async def _with_driver(options: Options, act: Act) -> int:
    try:
        options = with_eval(options)
    except NoSuchThing as error:
        say(str(error))
        return UNUSABLE
    driver = Driver(options, _nothing_runs)
    try:
        await driver.start()
        if driver.config is None:
            say(driver.reader.banner)
            return UNUSABLE
        lock = [p for p in driver.authority.problems if p.code == "lock-unreadable"]
        for problem in lock:
            say(f"{problem.message} ({problem.hint})")
        return UNUSABLE if lock else act(driver)
    finally:
        await driver.close()


def _nothing_runs() -> Any:
    raise RuntimeError("nothing runs here")


def _show(driver: Driver) -> int:
    reviews = driver.authority.reviews
    if not reviews:
        put("no grader of this config declares ground truth")
    for one in reviews:
        for line in (*review_words(one), *_effect(driver, one)):
            put(line)
    return PASSED


def _check(driver: Driver) -> int:
    unsettled = [one for one in driver.authority.reviews if not one.settled]
    for one in unsettled:
        for line in review_words(one):
            put(line)
    return CANNOT_TELL if unsettled else PASSED


def _accept(driver: Driver, metric: str, by: str, note: str) -> int:
    one = _chosen(driver.authority, metric)
    if one is None:
        return NOTHING_SELECTED
    if one.settled:
        say(f"{one.metric} is accepted as it is already")
        return PASSED
    for line in (*review_words(one), *_effect(driver, one), *_texts(driver.authority, one)):
        put(line)
    by = by or _asked(one)
    if not by:
        return UNUSABLE
    try:
        driver.authority.accept(one, by, note)
    except (OSError, UnreadableLock) as error:
        say(f"the lock cannot be written: {error}")
        return UNUSABLE
    done = "accepted" if one.declaration is not None else "no longer held to be ground truth"
    say(f"{one.metric}: {done}; commit eval-tui.lock with the config")
    return PASSED


def _chosen(authority: Authority, metric: str) -> Review | None:
    """The one review that a name means; else what is wrong with the name is said."""
    found = authority.find(metric)
    if len(found) == 1:
        return found[0]
    known = found or authority.reviews
    names = ", ".join(f"{one.grader}/{one.metric}" for one in known) or "none"
    told = "more than one metric is called" if found else "no ground truth is called"
    say(f"{told} {metric!r}; there are: {names}")
    return None


def _asked(one: Review) -> str:
    """Who accepts it, asked on a terminal; empty when nobody does."""
    if not sys.stdin.isatty():
        say("accepting takes a person: say who accepts with --by NAME")
        return ""
    put(f"type {one.metric!r} to accept it, anything else to leave it: ", end="")
    if input().strip() != one.metric:
        say("left as it is")
        return ""
    put("your name: ", end="")
    by = input().strip()
    if not by:
        say("left as it is: an acceptance needs a name")
    return by


def _effect(driver: Driver, one: Review) -> Iterator[str]:
    authority = driver.authority
    now, then = authority.rulebook, authority.book([one])
    if not one.settled and now is not None and then is not None:
        yield f"  {effect_words(effect(driver.grid, now, then), one)}"


def _texts(authority: Authority, one: Review) -> Iterator[str]:
    for changed in authority.texts(one):
        yield from changed_lines(changed)
