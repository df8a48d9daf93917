"""Who may say what passing means: the declarations of ground truth, and the lock beside the config.

Reads small files and nothing else. Nothing is ever accepted by itself: `accept` is called when a
person has typed the metric's name (D42).
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eval_tui.atomic import write_whole
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.storage import prepare

if TYPE_CHECKING:
    from eval_tui.verdicts.compile import Rulebook
    from eval_tui.verdicts.lock import Declaration, Review

LOCK_NAME = "eval-tui.lock"
KEPT_BYTES = 1_000_000
"""Of larger files no older text is kept to compare with; they are pinned by their digest alone."""

STATE_WORDS = {
    "unreviewed": "nobody has accepted it yet",
    "accepted": "accepted as it is",
    "drifted": "it has changed since it was accepted",
    "orphaned": "it was accepted and is no longer declared",
}


@dataclass(frozen=True, slots=True)
class Changed:
    """One text behind a declaration: as it was accepted and as it is now."""

    name: str
    """`the declaration`, or a file relative to the project."""
    before: str | None
    """None where it is not known any more, or nothing was accepted."""
    now: str | None
    """None where the file is gone, or is no text."""
    accepted: bool = True
    """Something of this name was accepted, whether or not its text is still known."""


class Authority:
    """What the config in force declares as ground truth, and what of it was accepted."""

    def __init__(self, given: Rulebook | None = None) -> None:
        """`given`: of a document that brings its own; it declares nothing."""
        self.config: EvalConfig | None = None
        self.reviews: tuple[Review, ...] = ()
        self.problems: tuple[Problem, ...] = ()
        self._rulebook = given

    @property
    def rulebook(self) -> Rulebook | None:
        """What verdicts are made by: the same one until something changes; None without a config."""
        if self._rulebook is None:
            self._rulebook = self.book()
        return self._rulebook

    def read(self, config: EvalConfig | None) -> None:
        """Look at the declarations of a config, and at the lock, as they are now."""
        self.config = config
        self.reviews, self._rulebook, self.problems = (), None, ()
        if config is None or not (_declares(config) or os.path.lexists(_lock_path(config))):
            return  # most projects: nothing more is imported then
        from eval_tui.verdicts import lock

        known, unreadable = lock.Lock(), ""
        try:
            known = lock.read_lock(_lock_path(config))
        except lock.UnreadableLock as error:
            unreadable = str(error)
        self.reviews = lock.review(config, lock.declarations(config), known)
        self.problems = tuple(_problems(self.reviews, _lock_path(config), unreadable))

    def book(self, settled: Collection[Review] = ()) -> Rulebook | None:
        """What verdicts would be made by if these were accepted as well."""
        if self.config is None:
            return None
        from eval_tui.verdicts.compile import rulebook

        open_ones = [one for one in self.reviews if not one.settled and one not in settled]
        return rulebook(self.config, {(one.grader, one.metric) for one in open_ones})

    def paths(self) -> Iterable[str]:
        """Files that what is known rests on, besides the config's own."""
        if self.config is None:
            return ()
        named = [
            os.path.join(self.config.root, name)
            for one in self.reviews
            for name in {
                **_files(one.declaration),
                **(one.acceptance.files if one.acceptance else {}),
            }
        ]
        return (_lock_path(self.config), *named)

    def concerns(self, paths: frozenset[str]) -> bool:
        """Whether a declaration or an acceptance may be another now."""
        return not paths.isdisjoint(self.paths())

    def find(self, metric: str) -> tuple[Review, ...]:
        """The reviews of a metric, or of `GRADER/METRIC`."""
        return tuple(
            one for one in self.reviews if metric in (one.metric, f"{one.grader}/{one.metric}")
        )

    def accept(self, chosen: Review, by: str, note: str = "") -> None:
        """Write down that somebody accepts a declaration as it is now, or that one is gone.

        Raises OSError where the lock cannot be written, UnreadableLock where what is there would
        be lost.
        """
        from eval_tui.verdicts.lock import accepted_now, lock_text, read_lock

        config = self.config
        assert config is not None
        path = _lock_path(config)
        lock = read_lock(path)
        if chosen.declaration is None:
            assert chosen.acceptance is not None
            lock = lock.without(chosen.acceptance)
        else:
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            lock = lock.with_entry(accepted_now(config, chosen.declaration, by, at, note))
            _keep(config.root, chosen.declaration)
        write_whole(path, lock_text(lock))
        self.read(config)

    def texts(self, one: Review) -> tuple[Changed, ...]:
        """Every text behind a declaration, as it was accepted and as it is now."""
        if self.config is None:
            return ()
        root, declaration, acceptance = self.config.root, one.declaration, one.acceptance
        now = _spec_text(declaration.spec) if declaration else None
        before = _kept(root, acceptance.spec_digest) if acceptance else None
        if acceptance and declaration and "the declaration" not in one.changed:
            before = now
        found = [Changed("the declaration", before, now, acceptance is not None)]
        accepted: Mapping[str, str] = acceptance.files if acceptance else {}
        for name in sorted({**_files(declaration), **accepted}):
            older = _kept(root, accepted[name]) if name in accepted else None
            text = _text(_bytes(os.path.join(root, name)))
            if declaration and name in accepted and name not in one.changed:
                older = text
            found.append(Changed(name, older, text, name in accepted))
        return tuple(found)


def _declares(config: EvalConfig) -> bool:
    """Whether any grader declares ground truth."""
    graders = (judge.grader for judge in config.judges if judge.grader is not None)
    declared = (metric for grader in graders for metric in grader.metrics)
    return any(one.authority == "ground_truth" and not one.of_cases for one in declared)


def _lock_path(config: EvalConfig) -> str:
    """Where the lock of a config is."""
    return os.path.join(os.path.dirname(config.path), LOCK_NAME)


def person(environ: Mapping[str, str] | None = None) -> str:
    """Who sits here, as far as git or the system knows."""
    import configparser  # for the rare moment in which somebody accepts
    import getpass

    env = os.environ if environ is None else environ
    name, email = env.get("GIT_AUTHOR_NAME", ""), env.get("GIT_AUTHOR_EMAIL", "")
    if not name:
        config = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        with contextlib.suppress(configparser.Error, OSError, UnicodeError):
            config.read(os.path.expanduser("~/.gitconfig"), encoding="utf-8")
        name = (config.get("user", "name", fallback="") or "").strip('" ')
        email = email or (config.get("user", "email", fallback="") or "").strip('" ')
    with contextlib.suppress(OSError, KeyError, ImportError):
        name = name or getpass.getuser()
    return f"{name or 'somebody'} <{email}>" if email else name or "somebody"


def _files(declaration: Declaration | None) -> Mapping[str, str]:
    return declaration.files if declaration is not None else {}


def _problems(reviews: Iterable[Review], path: str, unreadable: str) -> Iterable[Problem]:
    if unreadable:
        hint = "restore it from version control, or remove it and accept again"
        yield Problem("error", "lock-unreadable", unreadable, path, hint=hint)
    for one in reviews:
        if one.settled:
            continue
        what = f"ground truth `{one.metric}`: {STATE_WORDS[one.state]}"
        if one.changed:
            what += f" ({', '.join(one.changed)})"
        line = one.declaration.line if one.declaration else 0
        place = one.declaration.file if one.declaration else path
        hint = f"review it with A in the app, or `eval-tui authority accept {one.metric}`"
        code = f"authority-{one.state}"
        yield Problem("warning", code, what, place, line, judge=one.grader, hint=hint)


# What was accepted, kept to show what changed: a cache, of which the lock has the digests


def _folder(root: str) -> str:
    return os.path.join(root, ".eval-tui", "accepted")


def _keep(root: str, declaration: Declaration) -> None:
    from eval_tui.verdicts.lock import file_digest

    texts = {declaration.spec_digest: _spec_text(declaration.spec).encode()}
    for name, digest in declaration.files.items():
        data = _bytes(os.path.join(root, name))
        if data is not None and len(data) <= KEPT_BYTES and file_digest(data) == digest:
            texts[digest] = data
    with contextlib.suppress(OSError):  # without it the whole text is shown instead of a diff
        prepare(os.path.dirname(_folder(root)))
        os.makedirs(_folder(root), exist_ok=True)
        for digest, data in texts.items():
            with open(os.path.join(_folder(root), _name(digest)), "wb") as file:
                file.write(data)


def _kept(root: str, digest: str) -> str | None:
    name = _name(digest)
    return _text(_bytes(os.path.join(_folder(root), name))) if name.isalnum() else None


def _name(digest: str) -> str:
    return digest.removeprefix("sha256:")


def _bytes(path: str) -> bytes | None:
    """The bytes of a file, or None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _text(data: bytes | None) -> str | None:
    if data is None or b"\0" in data[:8000] or len(data) > KEPT_BYTES:
        return None
    return data.decode("utf-8", "replace")


def _spec_text(spec: Mapping[str, object]) -> str:
    return json.dumps(spec, indent=2, ensure_ascii=False, sort_keys=True, default=str) + "\n"
