"""The filter line: what it lets through, what it refuses and where, and what it offers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.compare import CHANGED, Group
from eval_tui.results.filter.complete import completions
from eval_tui.results.filter.match import Subject, matches, needs
from eval_tui.results.filter.parse import REASONS, FilterError, parse
from eval_tui.results.filter.terms import (
    EVERYTHING,
    KEYWORDS,
    SIGNS,
    STATES,
    All,
    Annotation,
    Case,
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
    Tag,
    Text,
    shown,
)
from eval_tui.scores import Measured, Reason, Sample, Unmeasured, measured

CELLS = {
    "links": Cell(CellState.FRESH, measured(False, "Two links are BROKEN in page.md")),
    "structure": Cell(CellState.STALE, measured(True)),
    "quality": Cell(
        CellState.FRESH, Measured(2.5, None, samples=(Sample(2), Sample(3)), rationale="thin")
    ),
    "kind of page": Cell(CellState.FRESH, Measured(1, None, label="Reference")),
    "budget": Cell(CellState.FRESH, Unmeasured(Reason.MISSING_EVIDENCE, "no cost data")),
    "wiki": Cell(CellState.FRESH, Unmeasured(Reason.POLICY_SKIP, "if: false")),
    "later": Cell(CellState.WAITING, waiting="money"),
}
GROUPS: dict[str, Group] = {"links": "broke", "quality": "worse"}
CASE = Subject(
    "dup-links-007",
    CELLS,
    inputs="Merge the duplicate pages",
    annotations={
        "category": "navigation",
        "tags": ["nav", "Slow one"],
        "level": 3,
        "hard": True,
        "expect": {"pages": [{"name": "a.md"}, {"name": "b.md"}]},
        "a.b": "dotted",
    },
    cost=0.75,
    group=lambda judge: GROUPS.get(judge, "same"),
)
QUIET = Subject("other", {"links": Cell(CellState.FRESH, measured(True))})


def lets(text: str, subject: Subject = CASE) -> bool:
    return matches(parse(text), subject)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fail",
        "FAIL",
        "unmeasured",
        "unmeasured:evidence",
        "unmeasured:missing_evidence",
        "skipped",
        "unmeasured:skipped",
        "stale",
        "waiting",
        "unstable",
        "disagree",
        "changed",
        "changed:broke",
        "judge:quality<3",
        "judge:quality>=2.5",
        "judge:qual*<3",
        "judge:links:fail",
        "judge:structure:pass",
        "judge:budget:unmeasured:evidence",
        "judge:links:changed:broke",
        "judge:links=false",
        'judge:"kind of page"=reference',
        'judge:"kind of page"!=Tutorial',
        "case:dup*",
        "case:*links*",
        "case:DUP-LINKS-007",
        "tag:nav",
        'tag:"slow one"',
        "annotations.category:navigation",
        "annotations.category:nav*",
        "annotations.level>2",
        "annotations.hard:true",
        "annotations.expect.pages.name:b.md",
        'annotations."a.b":dotted',
        "annotations.category",
        "cost>0.5",
        "cost<=0.75",
        "broken",
        '"links are broken"',
        "duplicate",
        "007",
        "no cost",
        "fail and stale",
        "fail stale",
        "pass or fail",
        "not pass",
        "not (pass or running)",
        "nothing-like-it or (tag:nav and not annotations.level:4)",
        "nothing-like-it and fail or stale",
    ],
)
def test_what_a_case_is_found_by(text: str):
    assert lets(text)


@pytest.mark.parametrize(
    "text",
    [
        "pass",
        "recorded",
        "running",
        "unmeasured:secret",
        "judge:quality<2.5",
        "judge:links<1",
        "judge:structure:fail",
        "judge:nobody",
        "judge:later",
        "case:dup",
        "case:links*",
        "tag:slow",
        "annotations.level>3",
        "annotations.nothing",
        "annotations.category>1",
        "changed:fixed",
        "judge:structure:changed",
        "cost>0.75",
        '"fail"',
        "nothing-like-it",
        "fail and running",
        "running or recorded",
        "nothing-like-it and (fail or stale)",
    ],
)
def test_what_a_case_is_not_found_by(text: str):
    assert not lets(text)


def test_what_is_not_known_is_not_found():
    for text in ("cost<100", "cost>0", "changed", "tag:nav", "disagree", "unmeasured"):
        assert not lets(text, QUIET)
    assert lets("pass", QUIET)


def test_the_whole_rationale_is_searched_where_it_can_be_had():
    whole = Subject("c", CELLS, said=lambda judge: "far behind the cut" if judge == "links" else "")
    assert matches(parse('"behind the cut"'), whole)
    assert not matches(parse("broken"), whole)


@pytest.mark.parametrize(
    ("text", "position", "words", "unfinished"),
    [
        ("fail and", 8, "needs something", True),
        ("or fail", 0, "both sides", False),
        ("fail or", 7, "both sides", True),
        ("not", 3, "after it", True),
        ("(fail", 0, "not closed", True),
        ("fail)", 4, "no ( for this )", False),
        ("()", 0, "nothing in these", False),
        ('tag:"nav', 4, "quote", True),
        ("judge:", 6, "which judge", True),
        ("judge:q<", 7, "needs a value", True),
        ("judge:q<many", 8, "needs a number", True),
        ("judge:q:wrong", 8, "can be fail, pass", True),
        ("fail unmeasured:evi", 16, "evidence", True),
        ("changed:x", 8, "broke", True),
        ("cost>", 4, "needs a value", True),
        ("cost=cheap", 5, "needs a number", True),
        ("cost!5", 4, "comparison", False),
        ("fail nope:x", 5, "'nope'", False),
        ("annotations.", 12, "which annotation", True),
        ("not " * 60 + "fail", 164, "too deeply", False),
        ("(" * 60, 41, "too deeply", False),
    ],
)
def test_what_is_no_filter_is_refused_with_its_place(
    text: str, position: int, words: str, unfinished: bool
):
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert words in str(caught.value)
    assert (caught.value.position, caught.value.unfinished) == (position, unfinished)


def test_only_what_is_asked_about_has_to_be_read():
    assert needs(parse("fail and case:a*")) == frozenset()
    assert needs(parse("word or tag:x")) == {"texts", "annotations"}
    assert needs(parse("not (cost>1 changed)")) == {"cost", "baseline"}
    assert needs(parse("judge:a:changed")) == {"baseline"}


def test_completion_goes_on_with_the_last_word():
    judges, keys = ("quality", "kind of page"), ("category", "a.b")
    assert completions("fail and unm", judges) == ["fail and unmeasured"]
    assert completions("judge:q", judges) == ["judge:quality"]
    assert completions("judge:", judges) == ["judge:quality", 'judge:"kind of page"']
    assert "judge:quality:fail" in completions("judge:quality:f", judges)
    assert completions("(unmeasured:ev", judges) == ["(unmeasured:evidence"]
    assert completions("annotations.", (), keys) == ["annotations.category:", 'annotations."a.b":']
    assert completions("tag:na") == completions("fail ") == completions("") == []


@pytest.mark.parametrize("text", ["f", "judge:q", "(unmeasured:", "changed:b", "annotations.c"])
def test_whatever_is_offered_begins_with_what_was_typed(text: str):
    offers = completions(text, ("quality",), ("category",))
    assert offers
    assert all(offer.startswith(text) and offer != text for offer in offers)


# For any text, and for any filter

TYPED = st.text(
    st.sampled_from('()":<>=!. *\\andortfilgejuc:') | st.characters(codec="utf-8"), max_size=60
)


@given(TYPED)
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_and_never_more(text: str):
    try:
        term = parse(text)
    except FilterError as error:
        assert str(error)
        assert 0 <= error.position <= len(text)
        return
    assert isinstance(matches(term, CASE), bool)
    assert parse(shown(term)) == term
    completions(text, ("quality",), ("a",))


VALUES = st.text(max_size=6)
COMPARED = st.one_of(
    st.builds(Compared, st.sampled_from(["=", "!="]), VALUES.filter(bool)),
    st.builds(Compared, st.sampled_from(SIGNS), st.integers(-9, 9).map(str)),
)
CELL_TESTS = st.one_of(
    st.builds(Is, st.sampled_from(STATES)),
    st.builds(Lacks, st.none() | st.sampled_from(Reason)),
    st.builds(Changed, st.none() | st.sampled_from(CHANGED)),
)
TERMS = st.one_of(
    CELL_TESTS,
    st.just(Disagree()),
    st.builds(Text, VALUES),
    st.builds(Case, VALUES),
    st.builds(Tag, VALUES),
    st.builds(Cost, st.builds(Compared, st.sampled_from(SIGNS), st.floats(0, 9).map(str))),
    st.builds(OfJudge, VALUES, st.none() | CELL_TESTS | COMPARED),
    st.builds(
        Annotation, st.lists(VALUES, min_size=1, max_size=3).map(tuple), st.none() | COMPARED
    ),
)


def _lists(kind: type[All] | type[Either], terms: st.SearchStrategy[Filter]):
    """Lists as they are read: of several, and none within the same kind of list."""
    apart = terms.filter(lambda term: not isinstance(term, kind))
    return st.lists(apart, min_size=2, max_size=3).map(lambda found: kind(tuple(found)))


FILTERS = st.recursive(
    TERMS,
    lambda inner: st.one_of(st.builds(Not, inner), _lists(All, inner), _lists(Either, inner)),
    max_leaves=8,
)


@given(FILTERS)
@settings(max_examples=300, deadline=None)
def test_a_filter_that_is_written_is_read_as_the_same(term: Filter):
    assert parse(shown(term)) == term


def test_the_empty_filter_is_everything():
    assert parse("  ") == EVERYTHING
    assert shown(EVERYTHING) == ""


def test_every_word_is_described():
    page = Path(__file__).resolve().parents[2] / "docs" / "finding.md"
    words = set(re.findall(r"[a-z]+", " ".join(re.findall(r"`([^`]*)`", page.read_text("utf-8")))))
    assert {*KEYWORDS, *REASONS, *CHANGED} - {"and"} <= words
