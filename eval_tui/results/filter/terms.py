"""What a filter can say, as plain values; `shown` writes it as `parse` reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, assert_never, get_args

from eval_tui.results.compare import Group
from eval_tui.results.words import REASON_WORDS
from eval_tui.scores import Reason

State = Literal["fail", "pass", "stale", "unstable", "waiting", "running", "recorded"]
"""What a cell can be."""

STATES: Final[tuple[State, ...]] = get_args(State)

Sign = Literal["<=", ">=", "!=", "<", ">", "="]

SIGNS: Final[tuple[Sign, ...]] = get_args(Sign)
"""Longer ones first, as they are looked for in this order."""

KEYWORDS: Final = frozenset(
    {*STATES, "and", "or", "not", "unmeasured", "changed", "disagree", "skipped"}
)
"""Words that mean something by themselves; in quotes they are text."""

MARKS: Final = '():<>=!"'
"""Characters that mean something in a term; in quotes they are text."""


@dataclass(frozen=True, slots=True)
class Is:
    """A cell is in a state. `pass`: one passed and none failed."""

    state: State


@dataclass(frozen=True, slots=True)
class Lacks:
    """A cell has no value: for this reason, or for any but having been skipped on purpose."""

    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """A cell is another one than in the baseline: in this way, or in any."""

    group: Group | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """A value stands in this relation to another one; `=` and `!=` take text and `*` as well."""

    sign: Sign
    value: str


CellTest = Is | Lacks | Changed | Compared


@dataclass(frozen=True, slots=True)
class Text:
    """The case's name, its input or what a judge said about it contains this."""

    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """The case's name."""

    pattern: str


@dataclass(frozen=True, slots=True)
class OfJudge:
    """Of the judges of this name: something is true, or without a test: there is a score."""

    pattern: str
    test: CellTest | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """One of `annotations.tags` (D53)."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """A value in the annotations, or without a test: there is one."""

    path: tuple[str, ...]
    test: Compared | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """What the agent's work on the case cost, in US dollars; nothing is true of an unknown cost."""

    test: Compared


@dataclass(frozen=True, slots=True)
class Disagree:
    """One judge passed the case and another failed it (D54)."""


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    term: Filter


@dataclass(frozen=True, slots=True)
class All:
    """Every one of these; of none: anything."""

    terms: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of these."""

    terms: tuple[Filter, ...]


Filter = (
    Is
    | Lacks
    | Changed
    | Text
    | Case
    | OfJudge
    | Tag
    | Annotation
    | Cost
    | Disagree
    | Not
    | All
    | Either
)

EVERYTHING: Final = All()


def shown(term: Filter) -> str:
    """The filter as text: reading it gives an equal filter."""
    match term:
        case All(terms):
            return " ".join(_within(one, (Either,)) for one in terms)
        case Either(terms):
            return " or ".join(_within(one, ()) for one in terms)
        case Not(one):
            return f"not {_within(one, (All, Either))}"
        case Text(text):
            return quoted(text)
        case Case(pattern):
            return f"case:{quoted(pattern)}"
        case Tag(pattern):
            return f"tag:{quoted(pattern)}"
        case Disagree():
            return "disagree"
        case Cost(test):
            return f"cost{_test(test)}"
        case Annotation(path, test):
            keys = ".".join(quoted(key, ".") for key in path)
            return f"annotations.{keys}{_test(test) if test else ''}"
        case OfJudge(pattern, test):
            told = _test(test) if test else ""
            colon = ":" if told and not isinstance(test, Compared) else ""
            return f"judge:{quoted(pattern)}{colon}{told}"
        case Is() | Lacks() | Changed():
            return _test(term)
        case _:
            assert_never(term)


def quoted(text: str, more: str = "") -> str:
    """Text as one word of the language, in quotes where it needs them."""
    plain = text and not any(mark in text for mark in MARKS + more) and not _spaced(text)
    if plain and text.lower() not in KEYWORDS:
        return text
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def _spaced(text: str) -> bool:
    return any(character.isspace() for character in text)


def _test(test: CellTest) -> str:
    match test:
        case Is(state):
            return state
        case Lacks(reason):
            return f"unmeasured:{REASON_WORDS[reason]}" if reason else "unmeasured"
        case Changed(group):
            return f"changed:{group}" if group else "changed"
        case Compared(sign, value):
            return f"{sign}{quoted(value)}"
        case _:
            assert_never(test)


def _within(term: Filter, apart: tuple[type[Filter], ...]) -> str:
    text = shown(term)
    return f"({text})" if isinstance(term, apart) else text
