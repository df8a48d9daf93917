"""What a rationale cites of its case, and where that leads."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from eval_tui.tui.document import plain
from eval_tui.tui.trace import make_trace
from eval_tui.tui.trace_links import FilePlace, TracePlace, find_citations, with_links
from tests.tui.events import calls, gives, says

EVENTS = [
    says("I will fix the index."),
    calls("Read", "a", {"file_path": "/work/wiki/index.md"}),
    gives("a", "# Index"),
    calls("Edit", "b", {"file_path": "/work/wiki/page.md"}),
    gives("b", "fine"),
    calls("Edit", "c", {"file_path": "/work/wiki/page.md"}),
    gives("c", "\x1b[31mstring not\x1b[0m found", True),
    calls("mcp__wiki__save", "d"),
]
FILES = ["artifacts/report.md", "_modified/src/app.py"]


async def cited(text: str, files: Sequence[str] = FILES) -> list[tuple[str, object]]:
    document = plain(text)
    found = await find_citations(document, make_trace(EVENTS), files)
    return [(document.lines[line][start:end], place) for line, start, end, place in found]


@pytest.mark.parametrize("words", ["call 2", "Call #2", "tool call 2", "step 2", "#2"])
async def test_numbers_lead_to_the_calls_of_the_tool_trace(words: str) -> None:
    assert await cited(f"It went wrong in {words}, I think") == [(words, TracePlace(2))]


async def test_numbers_of_no_call_lead_nowhere() -> None:
    assert await cited("call 99 and issue#2 and item 2") == []


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("report.md", FilePlace("artifacts/report.md")),
        ("artifacts/report.md:12", FilePlace("artifacts/report.md", 12)),
        ("src/app.py", FilePlace("_modified/src/app.py")),
        ("wiki/page.md", TracePlace(2, "wiki/page.md")),
    ],
)
async def test_paths_lead_to_files_of_the_case_else_to_the_call(words: str, place: object) -> None:
    shown, found = (await cited(f"See {words} for that."))[0]
    assert words.startswith(shown) and found == place


async def test_a_line_behind_a_path_is_part_of_where_it_leads() -> None:
    assert (await cited("in report.md line 7"))[0][1] == FilePlace("artifacts/report.md", 7)
    assert (await cited("in `report.md:7`"))[0][1] == FilePlace("artifacts/report.md", 7)


async def test_names_of_tools_lead_to_what_went_wrong_with_them() -> None:
    assert await cited("The Edit failed; mcp__wiki__save did not.") == [
        ("Edit", TracePlace(3)),
        ("mcp__wiki__save", TracePlace(4)),
    ]


async def test_a_tool_name_that_begins_a_sentence_is_a_verb() -> None:
    assert await cited("Edit the page.\nRead on.") == []
    assert await cited("Edit call") == [("Edit", TracePlace(3))]


async def test_what_is_listed_below_a_tools_name_leads_to_the_entry_that_says_it() -> None:
    assert await cited(
        "1 of 4 tool calls failed\n- Edit: string not found\n- Edit: never said"
    ) == [("string not found", TracePlace(3, "string not found"))]
    assert await cited("- Advice: string not found") == []


@pytest.mark.parametrize("marks", ['"{}"', "“{}”", "`{}`", "'{}'"])
async def test_quoted_words_lead_to_the_entry_that_holds_them(marks: str) -> None:
    assert await cited(f"It says {marks.format('string not found')} there") == [
        ("string not found", TracePlace(3, "string not found"))
    ]
    assert await cited(f"It says {marks.format('never said')} there") == []


async def test_links_are_marked_and_marked_anew_when_one_is_followed() -> None:
    document = plain("See report.md and call 1")
    found = await find_citations(document, make_trace(EVENTS), FILES)
    marked = with_links(with_links(document, found, -1), found, 1)
    assert [span.style for span in marked.spans[0]] == ["link", "link-here"]
    assert marked.raw == document.raw


async def test_a_rationale_made_to_be_slow_is_not() -> None:
    parts = ["a/" * 20_000, "-" * 40_000, "a." * 20_000, '"' * 40_000, "#1 " * 9_000]
    assert len(await cited("\n".join(parts))) == 200
