"""YAML with positions: the safe loader's values, and a problem for everything odd."""

import datetime

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.config.yaml_nodes import YamlDocument, read_yaml


def codes(document: YamlDocument) -> list[tuple[str, int]]:
    return [(p.code, p.line) for p in document.problems]


def test_values_and_places() -> None:
    document = read_yaml("a: 1\nb:\n  - x\n  - c: off\n", "/f.yaml")
    assert document.value == {"a": 1, "b": ["x", {"c": False}]}
    assert document.positions.value(("b", 1, "c")) == (4, 8)
    assert document.positions.key(("b", 1, "c")) == (4, 5)
    assert document.positions.text(("b", 1, "c")) == "off"
    assert document.problems == ()


def test_place_of_something_absent_is_that_of_what_is_around_it() -> None:
    positions = read_yaml("a:\n  b: 1\n").positions
    assert positions.value(("a", "missing", 3)) == (2, 3)


@pytest.mark.parametrize(
    ("style", "line"),
    [
        ("|\n    return True", 3),
        (">-\n    return True", 3),
        ("|2\n\n    x", 3),
        ("return True", 2),
        ("'return\n  True'", 2),
        ("!!str |\n    x", 3),
    ],
)
def test_content_line_is_the_first_line_of_the_text(style: str, line: int) -> None:
    document = read_yaml(f"a:\n  check: {style}\n")
    assert document.positions.content_line(("a", "check")) == line


def test_duplicate_keys_the_last_wins_and_the_line_is_told() -> None:
    document = read_yaml("a: 1\nb: 2\na: 3\n", "/f.yaml")
    assert document.value == {"a": 3, "b": 2}
    (problem,) = document.problems
    assert (problem.code, problem.line, problem.column) == ("duplicate-key", 3, 1)
    assert "line 1" in problem.message
    assert problem.file == "/f.yaml"


def test_merge_keys_do_not_count_as_duplicates() -> None:
    text = "base: &b {x: 1, y: 2}\nc: {<<: *b, x: 5}\nd: {<<: [*b, {y: 9, z: 3}]}\n"
    document = read_yaml(text)
    assert document.value == yaml.safe_load(text)
    assert document.problems == ()


def test_cycle_is_a_problem() -> None:
    document = read_yaml("a: &x\n  - 1\n  - *x\n")
    assert document.value == {"a": [1, None]}
    assert codes(document) == [("alias-cycle", 1)]


def test_alias_bomb_is_a_problem_and_stays_small() -> None:
    levels = [f"l0: &l0 [{','.join('x' * 9)}]"]
    levels += [f"l{i}: &l{i} [{','.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 12)]
    document = read_yaml("\n".join(levels))
    assert [code for code, _ in codes(document)] == ["alias-bomb"]
    assert document.readable
    assert isinstance(document.value, dict)
    assert document.value["l0"] == ["x"] * 9


def test_bad_date_keeps_its_text() -> None:
    document = read_yaml("a: 2026-13-45\nb: 2026-01-02\n")
    assert document.value == {"a": "2026-13-45", "b": datetime.date(2026, 1, 2)}
    assert codes(document) == [("bad-value", 1)]


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfa: \xc3\xa9\nb: 1\n",
        "a: é\r\nb: 1\r\n".encode(),
        "a: é\nb: 1\n".encode("utf-16"),
        b"\xfe\xff" + "a: é\nb: 1\n".encode("utf-16-be"),
        "a: é\nb: 1\n".encode("utf-32"),
        "\ufeffa: é\rb: 1\r",
    ],
)
def test_encodings_and_line_ends(source: bytes | str) -> None:
    document = read_yaml(source)
    assert document.value == {"a": "é", "b": 1}
    assert document.positions.value(("b",)) == (2, 4)
    assert document.problems == ()


def test_invalid_bytes_are_replaced_and_told() -> None:
    document = read_yaml(b"a: 1\nb: x\xffy\n")
    assert document.value == {"a": 1, "b": "x\ufffdy"}
    assert codes(document) == [("bad-encoding", 2)]


def test_lone_surrogates_are_replaced_and_told() -> None:
    document = read_yaml("a: x\ud800y\n")
    assert document.value == {"a": "x\ufffdy"}
    assert codes(document) == [("bad-encoding", 1)]


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("a: 1\nb: \x1b[31m\n", 2, 4),
        (b"a\x00:\x00 \x001\x00", 1, 2),
        ("a: [1\nb: 2\n", 2, 2),
        ("a:\n\tb: 1\n", 2, 1),
        ("a: *nowhere\n", 1, 4),
        ("a: 1\n---\nb: 2\n", 2, 1),
        ("[" * 2000 + "]" * 2000, 1, 1001),
    ],
)
def test_what_is_not_yaml_is_one_problem_with_its_place(
    source: str | bytes, line: int, column: int
) -> None:
    document = read_yaml(source)
    assert document.value is None
    assert not document.readable
    (problem,) = document.problems
    assert (problem.severity, problem.code) == ("error", "not-yaml")
    assert (problem.line, problem.column) == (line, column)


def test_tab_gets_a_hint() -> None:
    assert "tabs" in read_yaml("a:\n\tb: 1\n").problems[0].hint


def test_lines_are_those_of_an_editor_whatever_yaml_takes_for_a_line_break() -> None:
    document = read_yaml("a: 'x\u2028y\x85z'\nb: 1\n")
    assert document.positions.value(("b",)).line == 2


def test_deep_nesting_is_cut() -> None:
    document = read_yaml("[" * 300 + "]" * 300)
    assert [code for code, _ in codes(document)] == ["too-deep"]


def test_odd_keys_and_tags_are_told_and_the_rest_is_read() -> None:
    document = read_yaml("? [1]\n: x\nb: !thing {c: !!binary aGk=}\nd: !!int seven\n")
    assert document.value == {"b": {"c": "aGk="}, "d": "seven"}
    assert codes(document) == [
        ("bad-key", 1),
        ("unknown-tag", 3),
        ("unknown-tag", 3),
        ("bad-value", 4),
    ]


def test_empty_documents() -> None:
    assert read_yaml("").value is None
    assert read_yaml("# nothing\n").readable


_ALPHABET = st.sampled_from(
    list("ab:-[]{},&*!|>'\"#?%@ \t\n\\0129.~<=\x1b\x00\x85é\u2028\ud800\ufeff")
)


@settings(max_examples=300, deadline=None)
@given(st.text(_ALPHABET, max_size=60) | st.binary(max_size=60))
def test_never_raises_and_agrees_with_the_safe_loader(source: str | bytes) -> None:
    document = read_yaml(source)
    if document.problems:
        assert all(p.message for p in document.problems)
        return
    # No problem at all: then the values are those of the safe loader.
    try:
        expected = yaml.load(source, yaml.CSafeLoader)
    except yaml.constructor.ConstructorError as error:
        # A lone `=` or `<<` as a value, which it has no meaning for, is text here.
        assert "tag:yaml.org,2002:" in str(error.problem)
    else:
        assert repr(document.value) == repr(expected)


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(_PLAIN)
def test_reads_back_what_yaml_writes(value: object) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    document = read_yaml(text)
    assert document.problems == ()
    assert repr(document.value) == repr(yaml.safe_load(text))
