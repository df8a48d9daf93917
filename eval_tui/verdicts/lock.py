"""`eval-tui.lock`: which ground truth somebody has looked at and accepted (D42).

A small JSON file beside the config, committed with it: what it protects against is a declaration
that changes and nobody notices.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal, cast

from eval_tui.config.graders import grader_bases
from eval_tui.config.schema import EvalConfig, Grader, Judge, Metric
from eval_tui.verdicts import canonical
from eval_tui.verdicts.policy import declarable

VERSION = 1

State = Literal["unreviewed", "accepted", "drifted", "orphaned"]


class UnreadableLock(Exception):
    """The lock is no lock; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A grader's metric that is declared as ground truth, as it is now."""

    grader: str
    metric: str
    spec: Mapping[str, Any]
    """What the declaration says: `{id, config, metrics}`, with this metric alone."""
    spec_digest: str
    files: Mapping[str, str]
    """Digest of every file that its command names, by its path relative to the project."""
    direction: str = ""
    file: str = ""
    """Absolute path of the file that declares it."""
    line: int = 0
    """1-based line of the grader in it."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One entry of the lock."""

    config: str
    """Path of the config, relative to the lock's folder."""
    grader: str
    metric: str
    spec_digest: str
    files: Mapping[str, str]
    accepted_by: str
    accepted_at: str
    """UTC, ISO 8601."""
    authority: str = "ground_truth"
    direction: str = ""
    mode: str = "approved"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Lock:
    """The acceptances of all configs of a folder."""

    entries: tuple[Acceptance, ...] = ()

    def of(self, config: str) -> tuple[Acceptance, ...]:
        return tuple(entry for entry in self.entries if entry.config == config)

    def with_entry(self, new: Acceptance) -> Lock:
        """The lock with an acceptance in place of the one there was for the same metric."""
        others = [one for one in self.entries if _address(one) != _address(new)]
        return Lock((*others, new))

    def without(self, gone: Acceptance) -> Lock:
        return Lock(tuple(one for one in self.entries if one != gone))


@dataclass(frozen=True, slots=True)
class Review:
    """A declaration beside what was accepted."""

    state: State
    grader: str
    metric: str
    declaration: Declaration | None
    """None for what is accepted and no longer declared."""
    acceptance: Acceptance | None
    changed: tuple[str, ...] = ()
    """What drifted: `the declaration`, and names of files."""

    @property
    def settled(self) -> bool:
        return self.state == "accepted"


def declarations(config: EvalConfig) -> tuple[Declaration, ...]:
    """The config's declarations of ground truth; those of reserved metrics are none."""
    return tuple(
        _declaration(config, judge, judge.grader, metric)
        for judge in config.judges
        for metric in (judge.grader.metrics if judge.grader else ())
        if judge.grader and metric.authority == "ground_truth" and not metric.of_cases
        if declarable(metric.id)
    )


def review(config: EvalConfig, declared: Iterable[Declaration], lock: Lock) -> tuple[Review, ...]:
    """Every declaration and every acceptance of a config with its state, in the config's order."""
    accepted = {(one.grader, one.metric): one for one in lock.of(os.path.basename(config.path))}
    found: list[Review] = []
    for one in declared:
        before = accepted.pop((one.grader, one.metric), None)
        changed = _changes(one, before) if before else ()
        state: State = "unreviewed" if before is None else "drifted" if changed else "accepted"
        found.append(Review(state, one.grader, one.metric, one, before, changed))
    found += [Review("orphaned", *address, None, one) for address, one in accepted.items()]
    return tuple(found)


def accepted_now(
    config: EvalConfig, declaration: Declaration, by: str, at: str, note: str = ""
) -> Acceptance:
    """The entry that says that somebody accepts a declaration as it is now."""
    return Acceptance(
        os.path.basename(config.path),
        declaration.grader,
        declaration.metric,
        declaration.spec_digest,
        declaration.files,
        by,
        at,
        direction=declaration.direction,
        note=note,
    )


def read_lock(path: str) -> Lock:
    """The lock of a file; an empty one where there is none. Raises UnreadableLock."""
    try:
        with open(path, encoding="utf-8") as file:
            plain = json.load(file)
    except FileNotFoundError:
        return Lock()
    except (OSError, ValueError) as error:
        raise UnreadableLock(f"{path} cannot be read: {error}") from error
    if not isinstance(plain, dict):
        raise UnreadableLock(f"{path} must hold a JSON object")
    document = cast("dict[str, Any]", plain)
    if document.get("version") != VERSION:
        raise UnreadableLock(f"{path} is of version {document.get('version')!r}, not {VERSION}")
    try:
        return Lock(tuple(_entry(one) for one in document["ground_truth"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise UnreadableLock(
            f"{path}: an entry of `ground_truth` is not as it should be"
        ) from error


def lock_text(lock: Lock) -> str:
    """The file of a lock: sorted, so that a change of it reads well in a diff."""
    entries = [_plain(entry) for entry in sorted(lock.entries, key=_address)]
    document = {"version": VERSION, "ground_truth": entries}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _read(path: str) -> bytes | None:
    """The bytes of a file, or None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _declaration(
    config: EvalConfig,
    judge: Judge,
    grader: Grader,
    metric: Metric,
) -> Declaration:
    from eval_tui.judges.graders.named import named_files  # all implementations come along

    said = {"id": metric.id, "authority": metric.authority, "direction": metric.direction}
    said |= {"pass_if": metric.pass_if}
    spec = {
        "id": grader.id,
        "config": dict(grader.config),
        "metrics": [{key: value for key, value in said.items() if value}],
    }
    files = {
        os.path.relpath(path, config.root): file_digest(_read(path))
        for path in named_files(grader, grader_bases(config.root, os.path.dirname(config.path)))
    }
    return Declaration(
        judge.name,
        metric.id,
        spec,
        canonical.digest(spec),
        files,
        metric.direction or "",
        judge.file or config.path,
        judge.line,
    )


def file_digest(data: bytes | None) -> str:
    """`sha256:` and the digest of a file's bytes; `missing` without any."""
    return "missing" if data is None else f"sha256:{sha256(data).hexdigest()}"


def _changes(now: Declaration, before: Acceptance) -> tuple[str, ...]:
    names = sorted({*now.files, *before.files})
    files = [name for name in names if now.files.get(name) != before.files.get(name)]
    return (*(["the declaration"] if now.spec_digest != before.spec_digest else []), *files)


def _address(entry: Acceptance) -> tuple[str, str, str]:
    return entry.config, entry.grader, entry.metric


def _plain(entry: Acceptance) -> dict[str, Any]:
    plain = asdict(entry)
    plain["files"] = dict(sorted(entry.files.items()))
    return {key: value for key, value in plain.items() if value or key == "files"}


def _entry(plain: Mapping[str, Any]) -> Acceptance:
    texts = {key: plain.get(key, "") for key in ("direction", "note")}
    required = {
        key: plain[key]
        for key in ("config", "grader", "metric", "spec_digest", "accepted_by", "accepted_at")
    }
    if not all(isinstance(value, str) for value in (*texts.values(), *required.values())):
        raise TypeError("not text")
    return Acceptance(
        **required,
        **texts,
        files={str(name): str(digest) for name, digest in plain.get("files", {}).items()},
        authority=str(plain.get("authority", "ground_truth")),
        mode=str(plain.get("mode", "approved")),
    )
