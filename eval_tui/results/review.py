"""What a person thinks of the cases of a run, as `review.yaml` beside it holds it (D53). Pure.

The file is shared with other tools: whatever stands in it besides is kept as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

import yaml

from eval_tui.config.yaml_nodes import read_yaml
from eval_tui.engine.grid import CellKey, Grid
from eval_tui.scores import pass_of

REVIEW: Final = "review.yaml"


class UnreadableReview(Exception):
    """The file is no review; the text says what is wrong with it, and where."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a person thinks of one case."""

    passed: bool | None = None
    """None: no verdict."""
    comment: str = ""
    """Raw."""
    at: str = ""
    """When it was written, UTC, ISO 8601; empty when that is not known."""

    def same(self, other: Opinion) -> bool:
        """Whether both say the same, whenever it was said."""
        return (self.passed, self.comment) == (other.passed, other.comment)


NO_OPINION: Final = Opinion()


@dataclass(frozen=True, slots=True)
class ReviewBook:
    """A `review.yaml`: the opinions in it, and the whole document."""

    opinions: Mapping[str, Opinion] = field(default_factory=dict[str, Opinion])
    document: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def of(self, case: str) -> Opinion:
        return self.opinions.get(case, NO_OPINION)


def read_review(source: bytes, path: str) -> ReviewBook:
    """The book of a file; an empty file is an empty one. Raises UnreadableReview."""
    read = read_yaml(source, path)
    wrong = next((problem for problem in read.problems if problem.severity == "error"), None)
    if wrong is not None:
        raise UnreadableReview(f"{path}:{wrong.line}: {wrong.message}")
    if read.value is None:
        return ReviewBook()
    value = read.value
    if not isinstance(value, dict):
        raise UnreadableReview(f"{path} must hold a mapping")
    document = cast("dict[str, Any]", value)
    verdicts, feedback = (_mapping(document, key, path) for key in ("verdicts", "feedback"))
    opinions = {
        case: _opinion(verdicts.get(case), feedback.get(case))
        for case in dict.fromkeys([*verdicts, *feedback])
    }
    return ReviewBook(opinions, document)


def with_opinion(
    book: ReviewBook, case: str, opinion: Opinion, *, run: str, reviewer: str
) -> ReviewBook:
    """The book with an opinion in place of what was thought of the case before, if anything.

    An opinion that says nothing takes the case out. `reviewer` is written where nobody else is
    named.
    """
    document = dict(book.document)
    verdicts, feedback = (_texts_as_keys(document.get(key)) for key in ("verdicts", "feedback"))
    kept = verdicts.pop(case, None)
    feedback.pop(case, None)
    opinions = {name: one for name, one in book.opinions.items() if name != case}
    if not opinion.same(NO_OPINION):
        opinions[case] = opinion
        said = {"pass": opinion.passed, "comment": opinion.comment, "at": opinion.at}
        verdicts[case] = {
            **(cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}),
            **said,
        }
        if opinion.comment or opinion.passed:  # an empty text says that the case is acceptable
            feedback[case] = opinion.comment
    document.setdefault("run_id", run)
    document["reviewed_cases"] = _told(document.get("reviewed_cases"), list(opinions))
    commented = [name for name, one in opinions.items() if one.comment]
    document["feedback_cases"] = _told(document.get("feedback_cases"), commented)
    document["reviewer"] = document.get("reviewer") or reviewer
    return ReviewBook(opinions, {**document, "feedback": feedback, "verdicts": verdicts})


def review_text(book: ReviewBook) -> str:
    """The file of a book."""
    dump = cast("Callable[..., str]", yaml.safe_dump)  # pyright: ignore[reportUnknownMemberType]
    return dump(dict(book.document), sort_keys=False, allow_unicode=True, width=100)


# Beside the judges -----------------------------------------------------------------------------


class Agreement(NamedTuple):
    """A judge beside a person."""

    compared: int
    """Cases of which both say pass or fail."""
    differing: tuple[str, ...]
    """Those of which they say different things, in the order of the file."""


def agreement(grid: Grid, judge: str, book: ReviewBook) -> Agreement:
    """How often the values of a judge in view say what the person says."""
    said = {
        case: (theirs, one.passed)
        for case, one in book.opinions.items()
        if one.passed is not None and (theirs := pass_of(grid.cell(case, judge).score)) is not None
    }
    differing = tuple(case for case, (theirs, mine) in said.items() if theirs is not mine)
    return Agreement(len(said), differing)


def agreement_words(found: Agreement) -> str:
    """`disagrees with you on 3 of 9`; empty when there is nothing to compare."""
    if not found.compared:
        return ""
    if not found.differing:
        return f"agrees with you on all {found.compared:,}"
    return f"disagrees with you on {len(found.differing):,} of {found.compared:,}"


def disagreements(grid: Grid, book: ReviewBook) -> tuple[CellKey, ...]:
    """Every cell whose judge says something else than the person: judge by judge."""
    return tuple(
        CellKey(case, column.name)
        for column in grid.columns
        for case in agreement(grid, column.name, book).differing
    )


# Inside ----------------------------------------------------------------------------------------


def _mapping(document: Mapping[str, Any], key: str, path: str) -> dict[str, Any]:
    if not isinstance(document.get(key), dict | None):
        raise UnreadableReview(f"{path}: `{key}` must map cases to what is said of them")
    return _texts_as_keys(document.get(key))


def _texts_as_keys(found: object) -> dict[str, Any]:
    """A mapping of cases; YAML reads a name like 7 as a number."""
    some = cast("dict[object, Any]", found) if isinstance(found, dict) else {}
    return {str(key): value for key, value in some.items()}


def _opinion(verdict: object, feedback: object) -> Opinion:
    """One case out of both places; a text of the shared one is the one that others edit."""
    said = cast("dict[str, Any]", verdict) if isinstance(verdict, dict) else {}
    passed = said.get("pass")
    comment = feedback if isinstance(feedback, str) else said.get("comment")
    if not isinstance(passed, bool):
        passed = True if feedback == "" else None
    at = said.get("at")
    return Opinion(passed, comment if isinstance(comment, str) else "", str(at or ""))


def _told(before: object, cases: list[str]) -> int | list[str]:
    """Cases as the file tells them: their number, or their names where it has names."""
    return cases if isinstance(before, list) else len(cases)
