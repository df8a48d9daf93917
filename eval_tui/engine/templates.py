"""What is noticed about the templates of model judges, with or without a case (D23)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.grid import CellKey
from eval_tui.engine.wire import judge_to_plain


def templates_question(config: EvalConfig) -> dict[str, Any] | None:
    """The question about all templates of a config (see `lookups`); None when it has none."""
    judges = [judge_to_plain(judge) for judge in config.judges if _has_template(judge)]
    if not judges:
        return None
    return {"op": "templates", "root": config.root, "config": config.path, "judges": judges}


def problems_in(answer: Mapping[str, Any], *words: str) -> tuple[Problem, ...]:
    """The problems under these words of an answer: `notes`, `unusable`."""
    return tuple(Problem(*fields) for word in words for fields in answer[word])


def _has_template(judge: Judge) -> bool:
    asks = judge.asks_model and not judge.compares
    return asks and judge.problem is None


class TemplateNotes:
    """The notes of one grid: of the templates themselves, and of each case rendered with them."""

    def __init__(self) -> None:
        self.asked_for: dict[str, Any] | None = None
        """The question that `_whole` answers, or will."""
        self._whole: tuple[Problem, ...] = ()
        self._cases: dict[CellKey, tuple[Problem, ...]] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All of them, each once."""
        found = dict.fromkeys(self._whole)
        for notes in self._cases.values():
            found.update(dict.fromkeys(notes))
        return tuple(found)

    def looked_at(self, notes: Iterable[Problem]) -> None:
        """What the templates show without a case."""
        self._whole = tuple(notes)

    def rendered(self, key: CellKey, plain: Iterable[Mapping[str, Any]]) -> bool:
        """A cell's requests were rendered; whether that is news."""
        notes = tuple(Problem(*fields) for one in plain for fields in one.get("notes", ()))
        before = self._cases.pop(key, ())
        if notes:
            self._cases[key] = notes
        return notes != before

    def keep_only(self, judges: Iterable[str]) -> None:
        """Forget judges that are no more."""
        there = set(judges)
        self._cases = {key: notes for key, notes in self._cases.items() if key.judge in there}
