"""Paid answers, so that nothing is paid for twice: by any number of instances at once.

An answer is kept under the digest of the request that it answers and the index of the sample.
Before a request is made it is claimed; who does not get the claim waits for the other's answer.
They lie in a file of their own beside the store, which another form of the store or damage to
it leaves alone: losing results costs a moment, losing answers costs money.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eval_tui.engine import asked, storage
from eval_tui.engine.client import CALL_SECONDS, Answer
from eval_tui.engine.owners import is_dead
from eval_tui.engine.paid import FILE, as_stored
from eval_tui.engine.verdict_file import Writing, connect

CLAIM_SECONDS = 2 * CALL_SECONDS + 60
"""How long a claim holds without being renewed, where nothing tells that its owner has died."""
RENEW_SECONDS = CALL_SECONDS / 2
"""How often an owner renews its claims, at the latest when its next call ends."""
POLL_SECONDS = 0.2
"""How often a waiting instance looks for the other's answer."""
KEEP_PER_REQUEST = 8
"""Answers kept of one request and sample: the present one and those before forced reruns."""
KEEP_BYTES = 256 << 20
"""Answers of about this many bytes are kept; those not used for longest go first."""
TRIM_EVERY = 200
"""Answers between two looks at the size."""

_COLUMNS = "id, digest, sample, answer, usage, cost, model, at, run, case_id, judge, subject"


@dataclass(frozen=True)
class Verdict:
    """One paid answer."""

    id: int
    digest: str
    index: int
    answer: Answer
    usage: Mapping[str, Any]
    cost: float | None
    """US dollars; None when the price is not known."""
    model: str
    """The model that was asked."""
    at: float
    """When the answer came, in seconds since the epoch."""
    run: str
    case: str
    judge: str
    subject: str = ""
    """What was asked about, apart from our own words (D49); empty if that is not known."""


def open_verdicts(folder: str | None) -> Verdicts:
    """The paid answers in `folder`, where the store lies; in memory without one. Never raises.

    A damaged file is set aside; `notice` says so, and also when only memory is left.
    """
    if folder is None:
        return Verdicts(None)
    path = os.path.join(folder, FILE)
    try:
        with storage.one_at_a_time(folder):
            try:
                return Verdicts(path)
            except sqlite3.Error as exc:
                if not storage.is_damage(exc):
                    raise
                aside = storage.set_aside(path)
                verdicts = Verdicts(path)
                verdicts.notice = f"earlier model answers could not be read ({exc}), see {aside}"
                return verdicts
    except (OSError, sqlite3.Error) as exc:
        verdicts = Verdicts(None)
        verdicts.notice = f"model answers cannot be stored ({exc}); kept until you quit"
        return verdicts


class Verdicts:
    """Access to the paid answers in the database at `path`; None keeps them in memory.

    Raises sqlite3.Error when the file cannot be used (`open_verdicts` does not). What cannot be
    written later is kept in memory and tried again.
    """

    def __init__(
        self,
        path: str | None,
        clock: Callable[[], float] = time.time,
        keep_bytes: int = KEEP_BYTES,
    ) -> None:
        self.notice = ""
        """What the person should know about where answers are kept, or empty."""
        self._clock = clock
        self._pending: list[Verdict] = []
        self._texts: dict[str, bytes] = {}
        """Texts of requests that are not written yet."""
        self._used: set[int] = set()
        self._keep = keep_bytes
        self._puts = 0
        self._held: dict[tuple[str, int], str] = {}
        self._renewed = clock()
        self._db = connect(path)

    def get(self, digest: str, index: int) -> Verdict | None:
        """The newest answer to a request's sample."""
        found = self.history(digest, index, 1)
        if not found:
            return None
        self._used.add(found[0].id)
        return found[0]

    def history(self, digest: str, index: int, limit: int = KEEP_PER_REQUEST) -> list[Verdict]:
        """The answers to a request's sample, newest first."""
        waiting = [v for v in reversed(self._pending) if (v.digest, v.index) == (digest, index)]
        return (waiting + self._stored("digest", digest, index, limit))[:limit]

    def about(self, subject: str, index: int) -> Verdict | None:
        """The newest answer about a subject, whatever words of ours it was asked in (D49)."""
        found = self._stored("subject", subject, index, 1)
        self._used.update(verdict.id for verdict in found)
        return found[0] if found else None

    def _stored(self, column: str, value: str, index: int, limit: int) -> list[Verdict]:
        query = f"SELECT {_COLUMNS} FROM verdicts WHERE {column}=? AND sample=?"
        try:
            rows = self._db.execute(f"{query} ORDER BY id DESC LIMIT ?", (value, index, limit))
            stored = [verdict for row in rows if (verdict := _verdict(row)) is not None]
        except sqlite3.Error as exc:
            self.notice = f"earlier model answers cannot be read ({exc})"
            stored = []
        return stored

    def put(
        self,
        digest: str,
        index: int,
        answer: Answer,
        *,
        usage: Mapping[str, Any],
        cost: float | None,
        model: str,
        run: str,
        case: str,
        judge: str,
        at: float | None = None,
        request: str = "",
        subject: str = "",
    ) -> Verdict:
        """Keep an answer; earlier ones of the same request and sample become its history.

        `request` is the text of what was asked, for people.
        """
        text = asked.packed(request) if request else None
        if text is not None:
            self._texts[digest] = text
        when = self._clock() if at is None else at
        names = (as_stored(model), when, as_stored(run), as_stored(case), as_stored(judge))
        verdict = Verdict(0, digest, index, answer, usage, cost, *names, subject)
        self._pending.append(verdict)
        self.flush()
        self.renew()
        return self.history(digest, index, 1)[0]

    def asked(self, digest: str) -> str | None:
        """The text of a request that was answered; None when it was not kept."""
        text = self._texts.get(digest)
        return asked.read(self._db, digest) if text is None else asked.unpacked(text)

    def flush(self) -> None:
        """Write what is pending. What cannot be written stays pending, and `notice` says so."""
        pending = list(self._pending)
        if not pending and not self._used:
            return
        try:
            with self._writing():
                for verdict in pending:
                    self._insert(verdict)
                for digest, text in self._texts.items():
                    asked.insert(self._db, digest, text)
                now = self._clock()
                marks = [(now, identity) for identity in self._used]
                self._db.executemany("UPDATE verdicts SET used=? WHERE id=?", marks)
                self._puts += len(pending)
                if self._puts >= TRIM_EVERY:
                    self._puts = 0
                    self._trim()
        except sqlite3.Error as exc:
            if pending:
                self.notice = f"model answers cannot be stored ({exc}); kept until you quit"
            return
        if pending:
            self.notice = ""
        self._pending.clear()
        self._texts.clear()
        self._used.clear()

    def claim(self, digest: str, index: int, owner: str, *, forced: bool = False) -> bool:
        """Take the right to buy an answer; False when it is there already or another buys it.

        A `forced` claim ignores answers that are there. A claim whose owner has died, or that is
        older than `CLAIM_SECONDS`, is void. What one holds oneself cannot be claimed again, so
        equal requests of two cases are one purchase. Claim right before the call: other claims
        of this object are renewed by the way, as they are whenever an answer is put.
        """
        key = (digest, index)
        if key in self._held:
            return False
        if not forced and any((v.digest, v.index) == key for v in self._pending):
            return False
        now = self._clock()
        try:
            self._renew(now)
            with self._writing():
                known = "SELECT 1 FROM verdicts WHERE digest=? AND sample=? LIMIT 1"
                if not forced and self._db.execute(known, key).fetchone():
                    return False
                held = "SELECT owner, until FROM claims WHERE digest=? AND sample=?"
                row = self._db.execute(held, key).fetchone()
                if row and row[1] > now and not is_dead(row[0]):
                    return False
                self._db.execute(
                    "INSERT OR REPLACE INTO claims VALUES(?,?,?,?)",
                    (*key, owner, now + CLAIM_SECONDS),
                )
        except sqlite3.Error as exc:
            # Nobody can claim in a file that takes no writes, so nobody waits for a claim either.
            self.notice = f"model answers cannot be stored ({exc}); kept until you quit"
        self._held[key] = owner
        return True

    def release(self, digest: str, index: int, owner: str) -> None:
        """Give a claim back: after its answer was put, or when none will come."""
        if self._held.get((digest, index)) == owner:
            del self._held[(digest, index)]
        try:
            with self._writing():
                self._db.execute(
                    "DELETE FROM claims WHERE digest=? AND sample=? AND owner=?",
                    (digest, index, owner),
                )
        except sqlite3.Error:
            pass  # it expires

    def renew(self) -> None:
        """Renew the claims that are held, where that is due."""
        try:
            self._renew(self._clock())
        except sqlite3.Error:
            pass  # the claims run out

    async def get_or_claim(
        self, digest: str, index: int, owner: str, *, forced: bool = False
    ) -> Verdict | None:
        """The answer to a request's sample, or None: the caller holds the claim and must buy.

        Waits while another instance buys it. With `forced`, only an answer that came after this
        was called is returned. Whoever gets None calls `release` in the end.
        """
        newest = self.history(digest, index, 1)
        before = newest[0].id if forced and newest else 0
        while True:
            found = self.get(digest, index)
            if found is not None and (not forced or found.id > before):
                return found
            if self.claim(digest, index, owner, forced=forced):
                found = self.get(digest, index)
                if found is None or found.id <= before:
                    return None
                self.release(digest, index, owner)
                return found
            await asyncio.sleep(POLL_SECONDS)

    def close(self) -> None:
        """Write what is pending and let go of the file."""
        self.flush()
        self._db.close()

    def _writing(self) -> Writing:
        return Writing(self._db)

    def _renew(self, now: float) -> None:
        if self._held and now - self._renewed >= RENEW_SECONDS:
            held = [(now + CLAIM_SECONDS, *key, owner) for key, owner in self._held.items()]
            with self._writing():
                self._db.executemany(
                    "UPDATE claims SET until=? WHERE digest=? AND sample=? AND owner=?", held
                )
            self._renewed = now
        elif not self._held:
            self._renewed = now

    def _insert(self, verdict: Verdict) -> None:
        self._db.execute(
            "INSERT INTO verdicts(digest, sample, at, used, model, cost, run, case_id, judge, usage,"
            " answer, subject) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                verdict.digest,
                verdict.index,
                verdict.at,
                self._clock(),
                verdict.model,
                verdict.cost,
                verdict.run,
                verdict.case,
                verdict.judge,
                json.dumps(dict(verdict.usage)),
                json.dumps(verdict.answer.to_plain()),
                verdict.subject,
            ),
        )
        self._db.execute(
            "DELETE FROM verdicts WHERE digest=? AND sample=? AND id NOT IN (SELECT id FROM verdicts"
            " WHERE digest=? AND sample=? ORDER BY id DESC LIMIT ?)",
            (verdict.digest, verdict.index, verdict.digest, verdict.index, KEEP_PER_REQUEST),
        )

    def _trim(self) -> None:
        asked.trim(self._db)
        size = "SELECT TOTAL(LENGTH(answer) + LENGTH(usage)) FROM verdicts"
        excess = float(self._db.execute(size).fetchone()[0]) - self._keep
        if excess <= 0:
            return
        oldest = "SELECT id, LENGTH(answer) + LENGTH(usage) FROM verdicts ORDER BY used, id"
        gone: list[tuple[int]] = []
        for identity, length in self._db.execute(oldest):
            if excess <= 0:
                break
            gone.append((identity,))
            excess -= length
        self._db.executemany("DELETE FROM verdicts WHERE id=?", gone)


def _verdict(row: tuple[Any, ...]) -> Verdict | None:
    """A stored row; None for one that cannot be read."""
    identity, digest, sample, answer, usage, *rest = row
    try:
        read = Answer.from_plain(json.loads(answer))
        return Verdict(identity, digest, sample, read, json.loads(usage), *rest)
    except (ValueError, KeyError, TypeError):
        return None
