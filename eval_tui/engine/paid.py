"""What model calls took: of one score, kept with its result, and of a whole run."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from eval_tui.engine.credentials import Credentials
from eval_tui.engine.grid import Costs, Paid
from eval_tui.engine.money import cache_saving, cached_tokens, prompt_tokens, token_count
from eval_tui.engine.threads import in_thread

if TYPE_CHECKING:
    from eval_tui.engine.verdicts import Verdict

FILE = "verdicts.db"
"""The file of the paid answers, in the folder of the store."""


def as_stored(name: str) -> str:
    """A name that the database takes: file names may hold bytes that are no text."""
    return name.encode("utf-8", "replace").decode()


def paid_plain(verdicts: Sequence[Verdict], saved: float | None) -> dict[str, Any]:
    """What these answers, at least one, took together: as the store keeps it."""
    costs = [verdict.cost for verdict in verdicts]
    usages = [verdict.usage for verdict in verdicts]
    plain: dict[str, Any] = {
        "model": verdicts[0].model,
        "cost": None if None in costs else sum(cost for cost in costs if cost),
        "calls": len(verdicts),
        "tokens": [
            sum(map(prompt_tokens, usages)),
            sum(map(cached_tokens, usages)),
            sum(token_count(usage, "output_tokens") for usage in usages),
        ],
    }
    return plain if saved is None else {**plain, "saved": saved}


def paid_from(extra: Mapping[str, Any]) -> Paid | None:
    """The inverse of `paid_plain`; None for a score that no model gave."""
    if not extra.get("model"):
        return None
    sent, cached, said = extra.get("tokens", (0, 0, 0))
    calls, cost, saved = extra.get("calls", 1), extra.get("cost"), extra.get("saved")
    return Paid(extra["model"], calls, cost, sent, cached, said, saved)


@dataclass(frozen=True, slots=True)
class Spent:
    """What several calls have cost."""

    calls: int = 0
    cost: float = 0.0
    """US dollars, of the calls with a known price."""
    unpriced: int = 0
    """Calls with no known price."""
    saved: float = 0.0
    """US dollars that reading from the prompt cache has saved."""

    @property
    def known(self) -> float | None:
        """US dollars of the calls with a known price; None where there are none."""
        return self.cost if self.calls > self.unpriced else None

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.saved + other.saved,
        )

    def __sub__(self, other: Spent) -> Spent:
        return self + Spent(-other.calls, -other.cost, -other.unpriced, -other.saved)


def spent_on(cost: float | None, saved: float | None = None) -> Spent:
    """One call."""
    return Spent(1, cost or 0.0, int(cost is None), saved or 0.0)


class RunCosts:
    """What asking models about the run on screen has cost: earlier sessions, others, and this one."""

    def __init__(self, folder: str | None) -> None:
        """`folder` is where the paid answers lie; None for nowhere."""
        self._path = os.path.join(folder, FILE) if folder else ""
        self._run = ""
        self._before = self._already = Spent()

    async def open(
        self, run: str, session: Callable[[], Spent], credentials: Credentials | None
    ) -> None:
        """Another run is on screen. `session` tells what this session has spent, on any run."""
        self._run, self._before, self._already = run, Spent(), session()
        known = credentials or Credentials("key", "", "")
        while self._run == run:
            already = session()
            found = await in_thread(lambda: _spent_on_run(self._path, run, known))
            if session() == already and self._run == run:
                self._before, self._already = found, already
                return

    def now(self, run: str, session: Spent, agent: float | None) -> Costs:
        """The costs of the run, of which `agent` is known from elsewhere."""
        if run != self._run:
            return Costs(agent)
        total = self._before + session - self._already
        return Costs(agent, total.known, total.unpriced, max(0.0, total.saved))


def _spent_on_run(path: str, run: str, credentials: Credentials) -> Spent:
    """What all paid answers about a run have cost; nothing where they cannot be read."""
    spent = Spent()
    for model, plain, cost in _paid_answers(path, run):
        usage = json.loads(plain)
        saved = cache_saving(model, usage, credentials) if cached_tokens(usage) else None
        spent += spent_on(cost, saved)
    return spent


def _paid_answers(path: str, run: str) -> Iterable[tuple[str, str, float | None]]:
    """(model, usage as JSON, cost) of each answer in the file at `path`."""
    if not os.path.isfile(path):
        return ()
    query = "SELECT model, usage, cost FROM verdicts WHERE run=?"
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as db:
            return db.execute(query, (as_stored(run),)).fetchall()
    except sqlite3.Error:
        return ()
