"""Whether a case is one that a filter lets through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never, cast

from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.aggregate import is_old
from eval_tui.results.compare import CHANGED, Group
from eval_tui.results.filter.parse import number_of
from eval_tui.results.filter.terms import (
    All,
    Annotation,
    Case,
    CellTest,
    Changed,
    Compared,
    Cost,
    Disagree,
    Either,
    Filter,
    Is,
    Lacks,
    Not,
    OfJudge,
    Sign,
    State,
    Tag,
    Text,
)
from eval_tui.scores import Measured, Reason, Score, Unmeasured, differ, pass_of

Need = Literal["texts", "annotations", "cost", "baseline"]
"""What a filter looks at beyond the grid's cells, which takes time to get."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A case as a filter sees it."""

    case: str
    cells: Mapping[str, Cell]
    """By judge."""
    inputs: str = ""
    annotations: Mapping[str, object] | None = None
    cost: float | None = None
    """US dollars."""
    said: Callable[[str], str] | None = None
    """What a judge said about the case, whole; without it what its cell holds."""
    group: Callable[[str], Group] | None = None
    """What became of a judge's cell since the baseline; without one nothing has changed."""


def needs(term: Filter) -> frozenset[Need]:
    """What the filter has to know of the cases."""
    match term:
        case All(terms) | Either(terms):
            return frozenset[Need]().union(*map(needs, terms))
        case Not(one):
            return needs(one)
        case Text():
            return frozenset({"texts"})
        case Tag() | Annotation():
            return frozenset({"annotations"})
        case Cost():
            return frozenset({"cost"})
        case Changed():
            return frozenset({"baseline"})
        case OfJudge(_, test):
            return frozenset({"baseline"}) if isinstance(test, Changed) else frozenset()
        case Is() | Lacks() | Case() | Disagree():
            return frozenset()
        case _:
            assert_never(term)


def matches(term: Filter, subject: Subject) -> bool:
    """Whether the filter lets the case through. Never raises."""
    match term:
        case All(terms):
            return all(matches(one, subject) for one in terms)
        case Either(terms):
            return any(matches(one, subject) for one in terms)
        case Not(one):
            return not matches(one, subject)
        case Text(text):
            return _contains(text.casefold(), subject)
        case Case(pattern):
            return like(pattern, subject.case)
        case Tag(pattern):
            return any(like(pattern, _plain(tag)) for tag in _at(subject, ("tags",)))
        case Annotation(path, test):
            found = _at(subject, path)
            if test is None:
                return any(value not in (None, "") for value in found)
            return any(_compared(test, value) for value in found)
        case Cost(test):
            return subject.cost is not None and _compared(test, subject.cost)
        case Disagree():
            said = {pass_of(cell.score) for cell in subject.cells.values()}
            return {True, False} <= said
        case OfJudge(pattern, test):
            judges = [judge for judge in subject.cells if like(pattern, judge)]
            if test is None:
                return any(subject.cells[judge].score is not None for judge in judges)
            return _holds(test, subject, judges)
        case Is() | Lacks() | Changed():
            return _holds(term, subject, subject.cells)
        case _:
            assert_never(term)


def like(pattern: str, text: str) -> bool:
    """Whether a text is as the pattern says, in any case of letters; `*` stands for anything."""
    first, *others = pattern.casefold().split("*")
    rest = text.casefold()
    if not others:
        return rest == first
    if not rest.startswith(first):
        return False
    rest = rest[len(first) :]
    for piece in others[:-1]:
        at = rest.find(piece)
        if at < 0:
            return False
        rest = rest[at + len(piece) :]
    return rest.endswith(others[-1])


def _holds(test: CellTest, subject: Subject, judges: Iterable[str]) -> bool:
    """Whether something is true of the cells of these judges."""
    cells = [(judge, subject.cells[judge]) for judge in judges]
    match test:
        case Is("pass"):
            said = [pass_of(cell.score) for _, cell in cells]
            return True in said and False not in said
        case Is(state):
            return any(_is(state, cell) for _, cell in cells)
        case Lacks(reason):
            return any(_lacks(reason, cell.score) for _, cell in cells)
        case Changed(group):
            told = subject.group
            groups = [told(judge) for judge, _ in cells] if told is not None else []
            return group in groups if group else any(one in CHANGED for one in groups)
        case Compared():
            return any(_scored(test, cell.score) for _, cell in cells)
        case _:
            assert_never(test)


def _is(state: State, cell: Cell) -> bool:
    match state:
        case "fail":
            return pass_of(cell.score) is False
        case "pass":
            return pass_of(cell.score) is True
        case "stale":
            return cell.score is not None and is_old(cell)
        case "unstable":
            return isinstance(cell.score, Measured) and differ(cell.score.samples)
        case "waiting":
            return cell.state is CellState.WAITING
        case "running":
            return cell.state in (CellState.RUNNING, CellState.QUEUED)
        case "recorded":
            return cell.recorded
        case _:
            assert_never(state)


def _lacks(reason: Reason | None, score: Score | None) -> bool:
    if not isinstance(score, Unmeasured):
        return False
    return score.reason is reason if reason else score.reason is not Reason.POLICY_SKIP


def _scored(test: Compared, score: Score | None) -> bool:
    if not isinstance(score, Measured):
        return False
    if score.label is not None and number_of(test.value) is None:
        return _compared(test, score.label)
    return _compared(test, score.value)


def _compared(test: Compared, value: object) -> bool:
    wanted = number_of(test.value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and wanted is not None:
        return _ordered(test.sign, value, wanted)
    if test.sign not in ("=", "!="):
        return False
    return like(test.value, _plain(value)) == (test.sign == "=")


def _ordered(sign: Sign, value: float, wanted: float) -> bool:
    match sign:
        case "<":
            return value < wanted
        case "<=":
            return value <= wanted
        case ">":
            return value > wanted
        case ">=":
            return value >= wanted
        case "=":
            return value == wanted
        case "!=":
            return value != wanted
        case _:
            assert_never(sign)


def _plain(value: object) -> str:
    """A value of the annotations as one would write it."""
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false"}.get(cast("bool", value), "null")
    return str(value)


def _at(subject: Subject, path: Iterable[str]) -> list[object]:
    """What the annotations hold at a path: of a list each of its values."""
    found: list[object] = [subject.annotations or {}]
    for key in path:
        inner = [cast("Mapping[object, object]", v) for v in _flat(found) if isinstance(v, Mapping)]
        found = [value for one in inner for name, value in one.items() if _plain(name) == key]
    return _flat(found)


def _flat(values: Iterable[object]) -> list[object]:
    flat: list[object] = []
    for value in values:
        flat += cast("list[object]", value) if isinstance(value, list) else [value]
    return flat


def _contains(text: str, subject: Subject) -> bool:
    if text in subject.case.casefold() or text in subject.inputs.casefold():
        return True
    said = subject.said
    for judge, cell in subject.cells.items():
        whole = said(judge) if said is not None else words_of(cell.score)
        if text in whole.casefold():
            return True
    return False


def words_of(score: Score | None) -> str:
    """What a judge said, as one text."""
    if score is None:
        return ""
    if isinstance(score, Unmeasured):
        return score.detail
    return f"{score.label} {score.rationale}" if score.label else score.rationale
