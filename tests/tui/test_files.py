"""Files as what they are: rendered, as trees, in columns, in colours, as pictures and compared."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import PIL.Image
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tui.engine.grid import Counterpart, FileEntry, FileText
from eval_tui.scores import measured
from eval_tui.tui.diff import LONGEST, Comparison, compare, side_by_side, unified_lines
from eval_tui.tui.document import Document
from eval_tui.tui.files.colours import Colours
from eval_tui.tui.files.data import DataTree, NoTree, read_tree, words_of
from eval_tui.tui.files.markdown import rendered
from eval_tui.tui.files.pictures import NoPicture, image_facts, read_picture
from eval_tui.tui.files.prepare import Prepared, prepare
from eval_tui.tui.files.table import read_table
from eval_tui.tui.files.tree import tree_rows
from eval_tui.tui.marks import UNICODE
from eval_tui.tui.widgets.data_view import DataView
from eval_tui.tui.widgets.files_pane import FilesPane
from tests.tui.test_case import Driver, Host, case_view, one, settled, toasts


def text_file(text: str) -> FileText:
    return FileText(text, False, len(text), False)


def prepared(name: str, text: str, raw: bool = False) -> Prepared:
    return prepare(FileEntry(name, len(text), False, ""), text_file(text), raw, UNICODE)


# Comparing ---------------------------------------------------------------------------------------

LINES = st.lists(st.sampled_from(["a", "b", "", "c c"]), max_size=30).map("\n".join)


def compared(old: str, new: str) -> Comparison:
    found = compare(old, new)
    assert found is not None
    return found


@given(LINES, LINES)
def test_a_comparison_tells_all_that_differs(old: str, new: str) -> None:
    found = compared(old, new)
    kept = [line for hunk in found.hunks for b in hunk if b.same for line in found.new[b.c : b.d]]
    same = [line for hunk in found.hunks for b in hunk if b.same for line in found.old[b.a : b.b]]
    assert kept == same
    assert bool(found.hunks) == (old != new)
    gone, new_lines = found.counts
    assert len(found.old) - gone == len(found.new) - new_lines


def test_what_is_copied_is_a_patch(tmp_path: Path) -> None:
    old = "".join(f"line {n}\n" for n in range(40))
    new = old.replace("line 3\n", "").replace("line 30\n", "line 30!\nmore\n") + "no end"
    lines = unified_lines(compared(old, new), "a", "b")
    (tmp_path / "a").write_text(old)
    patch = "\n".join(lines) + "\n"
    command = ["git", "apply", "--unsafe-paths", "-p0", "-"]
    subprocess.run(
        command, input=patch.replace("+++ b", "+++ a"), text=True, cwd=tmp_path, check=True
    )
    assert (tmp_path / "a").read_text() == new


def test_texts_that_differ_in_too_many_lines_are_not_compared() -> None:
    many = "".join(f"{n}\n" for n in range(LONGEST))
    assert compare(many, many.replace("\n", "!\n")) is None
    found = compare(many, many + "one more\n")
    assert found is not None and found.counts == (0, 1), "what is alike does not count"


def test_side_by_side_fits_and_loses_nothing() -> None:
    long = "word " * 30
    document = side_by_side(compared(f"same\n{long}\n", "same\nnew\n"), "before", "now", 60, "|")
    assert all(len(line) <= 60 for line in document.lines)
    left = "".join(line[:28] for line in document.lines)
    assert left.count("word") == 30
    assert [line for line in document.lines if "+ new" in line]


# Trees of values ---------------------------------------------------------------------------------


def labels(tree: DataTree) -> list[str]:
    return [f"{'  ' * (len(r.path) - 1)}{r.label}={words_of(r.value)}" for r in tree.rows()]


def test_json_lines_and_yaml_become_trees() -> None:
    assert labels(read_tree("json", '{"a": [1, {"b": null}], "c": true}')) == [
        "a=2 items",
        "  0=1",
        "  1=1 key",
        "    b=null",
        "c=true",
    ]
    assert labels(read_tree("yaml", "a: yes\n")) == ["a=true"]
    assert labels(read_tree("lines", '{"a": 1}\n\nbroken')) == [
        "line 1=1 key",
        "  a=1",
        "line 3 (no JSON)=broken",
    ]


def test_a_large_tree_is_folded_and_long_lists_say_what_is_left_out() -> None:
    tree = read_tree("json", json.dumps({"long": list(range(6_000)), "x": 1}))
    assert labels(tree) == ["long=6,000 items", "x=1"]
    tree.toggle((0,))
    rows = tree.rows()
    assert len(rows) == 5_000 + 1 + 2
    assert rows[-2].more == 1_000


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "[1, 2,, 3]"])
def test_what_is_no_tree_is_shown_as_text_with_the_reason(text: str) -> None:
    with pytest.raises(NoTree):
        read_tree("json", text)
    shown = prepared("a.json", text)
    assert isinstance(shown.content, Document) and shown.content.raw == text
    assert shown.how.startswith("as text: ")


# Markdown, tables, colours -----------------------------------------------------------------------


def test_markdown_is_rendered_without_its_marks() -> None:
    text = "# Title\n\nSome **bold** [link](http://x).\n\n- one\n  - two\n\n1. first\n\n> said\n\n```\ncode\n```\n"
    assert list(rendered(text, UNICODE).lines) == [
        "Title",
        "",
        "Some bold link (http://x).",
        "",
        "• one",
        "  • two",
        "",
        "1. first",
        "",
        "│ said",
        "",
        "    code",
    ]
    assert rendered(text, UNICODE).raw == text


def test_what_markdown_holds_cannot_act() -> None:
    document = rendered("a\x1b[31m `\x07`\n\n|a|\n|-|\n|\x1b|\n", UNICODE)
    assert "\x1b" not in document.text and "\x07" not in document.text


def test_a_table_is_aligned_and_numbers_stand_right() -> None:
    document = read_table("t.csv", 'name,n\nalpha,1\n"b, c",22.5\nshort\n', UNICODE)
    assert list(document.lines) == [
        "name      n",
        "─────  ────",
        "alpha     1",
        "b, c   22.5",
        "short      ",
    ]


def test_colours_are_read_as_far_as_they_are_looked_at() -> None:
    text = "\n".join(f"def f{n}(): return 'words'" for n in range(5_000))
    shown = prepared("a.py", text).content
    assert isinstance(shown, Document) and isinstance(shown.spans, Colours)
    assert [span.style for span in shown.spans[0]][:2] == ["code-keyword", "code-name"]
    asked: list[int] = []
    shown.spans.behind = lambda: asked.append(1)
    assert shown.spans.get(4_000) == () and shown.spans.get(4_001) == ()
    assert asked == [1]
    while shown.spans.advance():
        pass
    assert shown.spans[4_000] and not shown.spans.get(4_999)


def test_large_files_are_plain() -> None:
    shown = prepared("a.py", "x = 1\n" * 100_000)
    assert isinstance(shown.content, Document) and not isinstance(shown.content.spans, Colours)


# Pictures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PNG", "GIF", "JPEG", "BMP"])
def test_an_image_says_what_it_is_and_is_drawn_in_half_blocks(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "image"
    PIL.Image.new("RGB", (40, 20), (200, 10, 10)).save(path, kind)
    assert image_facts(path.read_bytes()) == (kind, 40, 20)
    rows = read_picture(str(path), 20, 20)
    assert (len(rows), len(rows[0])) == (5, 20)
    assert "".join(segment.text for segment in rows[0]) == "▀" * 20


def test_what_is_no_image_a_link_or_cut_off_is_not_drawn(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    PIL.Image.new("RGB", (400, 200)).save(path)
    (tmp_path / "link.png").symlink_to(path)
    (tmp_path / "text.png").write_text("no image")
    (tmp_path / "cut.png").write_bytes(path.read_bytes()[:100])
    for name in ("link.png", "text.png", "cut.png", "gone.png"):
        with pytest.raises(NoPicture):
            read_picture(str(tmp_path / name), 20, 20)
    assert image_facts(b"\x89PNG\r\n\x1a\n\0") is None


# The tree of files and the screen ----------------------------------------------------------------


def entries(*names: str) -> tuple[FileEntry, ...]:
    return tuple(FileEntry(name, 10, False, f"/run/{name}") for name in names)


def test_folders_fold_and_chains_of_folders_share_a_row() -> None:
    files = entries("a/b/c/one", "a/b/c/two", "x/y", "x/z/deep", "root")
    rows = [(row.path, row.label, row.depth) for row in tree_rows(files, {"x/z/"})]
    assert rows == [
        ("a/b/c/", "a/b/c/", 0),
        ("a/b/c/one", "one", 1),
        ("a/b/c/two", "two", 1),
        ("x/", "x/", 0),
        ("x/z/", "z/", 1),
        ("x/y", "y", 1),
        ("root", "root", 0),
    ]


class Comparing(Driver):
    """A driver with something to compare files with."""

    others: tuple[Counterpart, ...] = ()

    async def counterparts(self, case: str, name: str, run: str = "") -> tuple[Counterpart, ...]:
        return self.others


def with_file(name: str, text: str) -> Comparing:
    driver = Comparing("one")
    driver.put("one", "style", measured(True))
    driver.views["one"] = case_view("one", files=entries(name, "other.txt"))
    driver.texts = {name: text_file(text), "other.txt": text_file("something else")}
    return driver


async def test_a_file_is_compared_with_each_of_what_there_is() -> None:
    driver = with_file("a.txt", "kept\nnow\n")
    old = Counterpart("baseline", "run before", "/x", text_file("kept\nthen\n"))
    same = Counterpart("reference", "dataset: a.txt", "/y", text_file("kept\nnow\n"))
    driver.others = (old, same)
    app = Host(driver)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await pilot.press("3")
        await settled(pilot)
        await pilot.press("d")
        await settled(pilot)
        assert "-then" in app.text and "+now" in app.text
        assert "-1 +1 against the baseline (run before)" in app.text
        await pilot.press("s")
        await settled(pilot)
        assert any("- then" in line and "+ now" in line for line in app.text.split("\n"))
        await pilot.press("d")
        await settled(pilot)
        assert "Exactly as in the reference" in app.text
        await pilot.press("d")
        await settled(pilot)
        assert "against" not in app.text and "now" in app.text


async def test_without_anything_to_compare_with_it_says_so() -> None:
    app = Host(with_file("a.txt", "text"))
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await pilot.press("3")
        await settled(pilot)
        await pilot.press("d")
        await settled(pilot)
        assert "nothing to compare" in toasts(app)[-1]


async def test_a_document_is_folded_searched_and_shown_as_its_text() -> None:
    text = '{"list": [1, 2, {"needle": "in a haystack"}], "b": 3}'
    app = Host(with_file("a.json", text))
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("3")
        await settled(pilot)
        view = app.case.query_one(DataView)
        assert "list: 3 items" in app.text and "needle: in a haystack" in app.text
        await pilot.press("tab", "o")
        assert app.focused is view
        assert "haystack" not in app.text
        await pilot.press("slash", *"haystack", "enter")
        await settled(pilot)
        assert "needle: in a haystack" in app.text and "match 1 of 1" in app.text
        await pilot.press("escape", "y")
        assert app.clipboard == "in a haystack"
        await pilot.press("v")
        await settled(pilot)
        assert text in app.text
        assert app.focused is app.case.query_one(FilesPane).text, "the reader stays in the file"


async def test_folding_a_folder_hides_its_files() -> None:
    driver = one(measured(True))
    driver.views["one"] = case_view("one", files=entries("out/a.txt", "out/b.txt"))
    driver.texts = {"out/a.txt": text_file("A"), "out/b.txt": text_file("B")}
    app = Host(driver)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("3")
        await settled(pilot)
        assert "b.txt" in app.text
        await pilot.press("o")
        await settled(pilot)
        assert "b.txt" not in app.text
        assert "A folder with 2 files, 20 B." in app.text
        await pilot.press("enter")
        assert "b.txt" in app.text
