"""Outside text is shown as it is, and nothing in it acts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from eval_tui.tui.text import clean, content, cut, fit, graphemes, one_line, shorten
from tests.tui.hostile import ACTING, ALL, LITERAL, WIDE, acts


@pytest.mark.parametrize("text", LITERAL + WIDE)
def test_ordinary_text_stays_byte_for_byte(text: str):
    assert clean(text) == text
    assert content(text).plain == text
    assert content(text, "bold").plain == text


@pytest.mark.parametrize("text", ACTING)
def test_nothing_that_acts_gets_through(text: str):
    shown = content(text).plain
    assert not acts(shown)
    assert len(shown) == len(text), "every character that acted is still visible as one"


def test_control_codes_become_their_pictures():
    assert clean("\x1b[0m\x00\r\x07\x7f") == "␛[0m␀␍␇␡"
    assert clean("\x9b\u202e\ud800") == "\ufffd\ufffd\ufffd"


def test_tabs_become_spaces_up_to_the_next_stop():
    assert clean("a\tb\n\tc") == "a   b\n    c"


def test_lines_stay_lines_except_on_surfaces_of_one():
    assert clean("a\nb") == "a\nb"
    assert one_line("a\nb\r\n") == "a␊b␍␊"


@given(st.text(st.characters(codec=None), max_size=200))
def test_any_text_at_all_is_made_harmless(text: str):
    assert not acts(clean(text))
    assert "\n" not in one_line(text)
    assert clean(clean(text)) == clean(text)


@given(st.text(max_size=80), st.integers(0, 30))
def test_a_cut_text_fits_and_is_a_beginning(text: str, width: int):
    shown = cut(clean(text), width)
    assert cell_len(shown) <= width
    assert clean(text).startswith(shown.removesuffix("…"))


@pytest.mark.parametrize("text", ALL)
@pytest.mark.parametrize("width", [1, 3, 7, 40])
def test_a_fitted_text_keeps_the_borders_straight(text: str, width: int):
    assert cell_len(fit(clean(text), width)) == width
    assert cell_len(fit(clean(text), width, "right")) == width


def test_a_cut_never_goes_through_a_grapheme():
    assert cut("ab👨‍👩‍👧‍👦cd", 4) == "ab…"
    assert cut("🇩🇪🇫🇷🇮🇹", 3) == "🇩🇪…"
    assert cut("e\u0301e\u0301e\u0301", 2) == "e\u0301…"
    assert [end - start for start, end, _ in graphemes("🇩🇪🇫🇷")] == [2, 2]


def test_a_shortened_text_says_how_much_is_missing():
    assert shorten("short", 10) == "short"
    assert shorten("x" * 5010, 10) == "x" * 10 + "… +5,000 chars"
    assert shorten("ab👨‍👩‍👧‍👦cd", 4) == "ab… +9 chars"
