"""Reading long texts: nothing is lost, nothing acts, and size does not matter."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.selection import Selection

from eval_tui.tui import wrap
from eval_tui.tui.document import Document, Writer, plain
from eval_tui.tui.text import graphemes
from eval_tui.tui.themes import MARK_COLOURS
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.wrap import UNWRAPPED_LIMIT, Layout
from tests.tui.hostile import LITERAL


class Host(App[None]):
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(MARK_COLOURS)

    def __init__(self, text: str | Document, wrap: bool = True) -> None:
        super().__init__()
        self.line_view = LineView(text, wrap=wrap)

    def compose(self) -> ComposeResult:
        yield self.line_view


def rows(view: LineView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def wrapped(text: str, width: int) -> list[str]:
    layout = Layout(plain(text).lines, width).finish()
    return [layout.text(row) for row in range(len(layout))]


ACTING = {
    "\x1b[31mred": "␛[31mred",
    "\x1b]52;c;aGk=\x07": "␛]52;c;aGk=␇",
    "\x1b]8;;http://x\x1b\\link": "␛]8;;http://x␛\\link",
    "a\rb": "a␍b",
    "\x9b2J": "\ufffd2J",
    "a\u202eb": "a\ufffdb",
    "\ud800": "\ufffd",
}

WIDE = [
    "日本語のテキスト" * 30,
    "family 👨‍👩‍👧‍👦 flags 🇩🇪🇫🇷🇯🇵 hearts ❤️ " * 12,
    "e\u0301" * 200,
    "mixed — dashes, ‘quotes’ and 漢字 in a row " * 10,
    "a" + "\u0301" * 5000 + "b",
]


def test_a_row_ends_at_a_space_and_the_rows_make_up_the_line() -> None:
    assert wrapped("the quick brown fox jumps", 10) == ["the quick ", "brown fox ", "jumps"]
    assert wrapped("abcdefghijklmnop", 5) == ["abcde", "fghij", "klmno", "p"]
    assert wrapped("    indented_word_of_some_length", 10) == [
        "    indent",
        "ed_word_of",
        "_some_leng",
        "th",
    ]


@pytest.mark.parametrize("text", [*WIDE, "x" * 1000, " " * 300, "word " * 300, ""])
@pytest.mark.parametrize("width", [1, 2, 7, 40, 80])
def test_nothing_is_lost_and_nothing_is_wider_than_the_view(text: str, width: int) -> None:
    rows = wrapped(text, width)
    assert "".join(rows) == text
    if width > 1:
        assert all(cell_len(row.rstrip(" ")) <= width for row in rows)


def test_clusters_are_never_cut_apart() -> None:
    for family in ("👨‍👩‍👧‍👦", "🇩🇪", "e\u0301", "👍🏽"):
        for row in wrapped(family * 40, 9):
            assert row == family * (len(row) // len(family))


def test_slices_of_work_make_the_same_rows_as_one_go() -> None:
    lines = plain("\n".join([*WIDE, "short", "", "word " * 500, "y" * 3000])).lines
    whole = Layout(lines, 33).finish()
    parts = Layout(lines, 33)
    while not parts.done:
        parts.extend(1)
    assert [whole.place(row) for row in range(len(whole))] == [
        parts.place(row) for row in range(len(parts))
    ]
    assert all(whole.span(row) == parts.span(row) for row in range(len(whole)))


def test_the_row_of_a_character_holds_it() -> None:
    lines = plain("first\n" + "word " * 100 + "\nlast").lines
    for offset in (0, 1, 49, 250, 499):
        layout = Layout(lines, 20)
        row = layout.row_of(1, offset)
        start, end = layout.span(row)
        assert layout.place(row)[0] == 1
        assert start <= offset < end
    layout = Layout(lines, 20)
    assert layout.text(layout.row_of(99)) == "last"


async def test_outside_text_is_shown_literally() -> None:
    text = "\n".join([*LITERAL, *ACTING])
    app = Host(text)
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        assert rows(app.line_view)[: len(LITERAL) + len(ACTING)] == [*LITERAL, *ACTING.values()]
        assert app.line_view.copy_text == text


async def test_every_row_is_exactly_as_wide_as_the_view() -> None:
    app = Host("\n".join(WIDE))
    async with app.run_test(size=(61, 30)) as pilot:
        await pilot.pause()
        view = app.line_view
        for y in range(view.size.height):
            strip = view.render_line(y)
            assert strip.cell_length == view.size.width
            assert sum(cell_len(segment.text) for segment in strip) == view.size.width


async def test_a_hundred_thousand_lines_open_with_one_screen_laid_out() -> None:
    app = Host("")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.line_view
        view.show("\n".join(f"line {number} of the log" for number in range(100_000)))
        assert 24 <= len(view.layout_rows) < 500
        assert rows(view)[0] == "line 0 of the log"
        await pilot.press("G")
        assert rows(view)[-1] == "line 99999 of the log"
        await pilot.press("g")
        assert rows(view)[0] == "line 0 of the log"


async def test_a_text_is_laid_out_to_its_end_while_the_reader_reads() -> None:
    app = Host("")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.line_view.show("\n".join(f"line {number}" for number in range(100_000)))
        while not app.line_view.layout_rows.done:
            await pilot.pause()
        assert app.line_view.virtual_size.height == 100_000


async def test_one_line_of_two_megabytes_opens_and_its_end_can_be_read() -> None:
    app = Host("")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.line_view
        view.show("lorem ipsum " * 175_000 + "the very end")
        assert len(view.layout_rows) < 500
        await pilot.press("end")
        assert rows(view)[-1].endswith("the very end")


async def test_an_unwrapped_line_that_is_cut_says_so_and_wrapping_shows_it() -> None:
    line = "x" * (UNWRAPPED_LIMIT + 1234) + "END"
    app = Host(line, wrap=False)
    async with app.run_test(size=(80, 60)) as pilot:
        await pilot.pause()
        view = app.line_view
        view.scroll_to(x=UNWRAPPED_LIMIT, animate=False)
        assert rows(view)[0].endswith("x… +1,237 chars")
        view.toggle_wrap()
        await pilot.pause()
        assert "".join(rows(view)) == line


async def test_unwrapped_lines_scroll_sideways() -> None:
    app = Host("0123456789" * 20, wrap=False)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        app.line_view.focus()
        assert rows(app.line_view)[0].startswith("0123")
        await pilot.press("l")
        assert rows(app.line_view)[0].startswith("8901")
        await pilot.press("left")
        assert rows(app.line_view)[0].startswith("0123")


async def test_keys_move_by_rows_half_pages_and_pages() -> None:
    app = Host("\n".join(str(number) for number in range(200)))
    async with app.run_test(size=(80, 21)) as pilot:
        await pilot.pause()
        app.line_view.focus()
        page = app.line_view.page
        tops: list[str] = []
        for key in ("j", "down", "k", "pagedown", "ctrl+d", "ctrl+u", "pageup", "up", "end"):
            await pilot.press(key)
            tops.append(rows(app.line_view)[0])
        half = page // 2
        expected = [1, 2, 1, 1 + page, 1 + page + half, 1 + page, 1, 0, 200 - page]
        assert tops == [str(number) for number in expected]


async def test_a_new_width_keeps_the_line_at_the_top() -> None:
    text = "\n".join(f"{number:04} " + "some words that wrap " * 6 for number in range(300))
    app = Host(text)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        view = app.line_view
        view.go_to_row(view.layout_rows.row_of(150))
        await pilot.pause()
        for size in ((60, 20), (200, 50), (40, 10), (120, 30)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert rows(view)[0].startswith("0150 ")


async def test_a_newer_text_keeps_the_place() -> None:
    app = Host("\n".join(f"line {number}" for number in range(500)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.line_view
        view.go_to_row(200)
        for turn in range(50):
            newer = "\n".join(f"line {number} turn {turn}" for number in range(500 + turn))
            view.show(newer, keep_place=True)
            assert rows(view)[0] == f"line 200 turn {turn}"
        view.show("shorter", keep_place=True)
        assert rows(view)[0] == "shorter"


async def test_search_goes_to_the_next_match_and_round_the_end() -> None:
    lines = [f"line {number}" for number in range(1000)]
    for number in (10, 500, 990):
        lines[number] += " needle [/x]"
    app = Host("\n".join(lines))
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        view = app.line_view
        assert view.search("NEEDLE") == 0, "capitals matter once the needle has one"
        assert view.search("needle [/") == 3
        seen: list[tuple[int, int]] = []
        for _ in range(4):
            seen.append(view.match_place)
            number = (10, 500, 990)[view.match_place[0] - 1]
            assert f"line {number} needle [/x]" in rows(view)
            view.step_match(1)
        assert seen == [(1, 3), (2, 3), (3, 3), (1, 3)]
        view.step_match(-1)
        view.step_match(-1)
        assert view.match_place == (3, 3)
        assert view.search("") == 0


async def test_a_match_is_set_off_from_the_text_around_it_without_colour() -> None:
    app = Host("one two three")
    async with app.run_test(size=(40, 5)) as pilot:
        await pilot.pause()
        app.line_view.search("two")
        found = [s.text for s in app.line_view.render_line(0) if s.style and s.style.reverse]
        assert found == ["two"]


async def test_many_matches_in_one_long_line_cost_only_those_in_view() -> None:
    app = Host("ab " * 200_000)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.line_view
        assert view.search("ab") == 200_000
        assert len(list(view.render_line(3))) < 100


async def test_a_selection_gives_the_text_across_wrapped_rows() -> None:
    app = Host("alpha beta gamma delta\nsecond line")
    async with app.run_test(size=(12, 10)) as pilot:
        await pilot.pause()
        view = app.line_view
        selected = view.get_selection(Selection(Offset(6, 0), Offset(6, 1)))
        assert selected is not None
        assert selected[0] == "beta gamma delta\nsecond"
        everything = view.get_selection(Selection(None, None))
        assert everything is not None
        assert everything[0] == "alpha beta gamma delta\nsecond line"


async def test_a_text_can_be_selected_with_the_mouse() -> None:
    app = Host("alpha beta gamma\nsecond line")
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        await pilot.mouse_down(app.line_view, offset=(6, 0))
        await pilot.hover(app.line_view, offset=(5, 1))
        await pilot.mouse_up(app.line_view, offset=(5, 1))
        assert app.screen.get_selected_text() == "beta gamma\nsecond"


def test_a_written_document_styles_its_parts_and_keeps_the_raw_text() -> None:
    raw = "first \x1b[1m\nsecond"
    document = Writer().heading("Title").field("value", raw, "bad").text("end").done()
    assert list(document.lines) == ["Title", "value: first ␛[1m", "  second", "end"]
    assert document.raw == "Title\nvalue: first \x1b[1m\nsecond\nend"
    assert document.spans[0][0].style == "heading"
    assert {span.style for span in document.spans[1]} == {"label", "bad"}


def test_characters_that_are_measured_quickly_have_the_width_that_the_terminal_gives_them() -> None:
    measured = {0: "", 1: "", 2: ""}
    for code in range(0x20, 0x10000):
        char = chr(code)
        if wrap._SINGLE.fullmatch(char):
            measured[1] += char
        elif wrap._DOUBLE.fullmatch(char):
            measured[2] += char
    for cells, chars in measured.items():
        assert {cell_len(char) for char in chars} <= {cells}
        spans = graphemes(chars)
        assert len(spans) == len(chars), "none of them joins its neighbour"
