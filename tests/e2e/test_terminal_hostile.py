"""Text from outside on every surface of the app: shown as it is, never sent as what it could do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e.support_terminal import (
    BACKSPACE,
    CTRL_P,
    DOWN,
    ENTER,
    ESC,
    EVAL_TUI,
    PAGE_DOWN,
    RIGHT,
    Terminal,
    terminal,
)
from tests.support.small import case_dir, write_config, write_project
from tests.tui.hostile import LITERAL, WIDE

ACTING = [
    "sgr \x1b[38;5;213;5mQ1",
    "link \x1b]8;;http://q2.example\x1b\\Q2\x1b]8;;\x1b\\",
    "clip \x1b]52;c;UTM=\x07",
    "title \x1b]0;Q4\x07",
    "line\rQ5",
    "back\x08\x08Q6",
    "c1 \x9b5;5HQ7 \x9d0;Q8\x9c",
    "answer \x1b[6nQ9 \x1b[c",
    "nul \x00del \x7f",
    "bidi \u202eQA",
    "dcs \x1bPq#0Q\x1b\\ \x1b_GQB\x1b\\",
    "scroll \x1bcQC \x1b[2JQD",
]
FIRST = "!first"
"""The case that comes before all others, and holds every text."""
SURROGATE = "half \ud83d surrogate"
SENT = [
    "\x1b[38;5;213;5m",
    "q2.example\x1b",
    "\x1b]8;;http://q2",
    "\x1b]52;c;UTM=",
    "\x1b]0;Q4",
    "\rQ5",
    "\x08",
    "\x9b",
    "\x9c",
    "\x9d",
    "\x1b[6n",
    "\x1b[c",
    "\x00",
    "\x7f",
    "\u202e",
    "\x1bP",
    "\x1b_",
    "\x1bc",
    "\x1b[2J",
    "\x1b[@",
]
"""What would have got through: none of these is ever written by the app itself."""

ALL = LITERAL + ACTING + WIDE
NAMES = [text for text in ALL if "\0" not in text]
CASES = [text for text in NAMES if "/" not in text]
OURS = re.compile(
    "\x1b\\[[0-9;]*[mHABCD]"  # colours and places
    "|\x1b\\[[?<>=][0-9;$]*[a-z]"  # modes, and questions about them
    "|\x1b]22;[a-z]*(\x07|\x1b\\\\)"  # the shape of the pointer
    "|\x1b]52;c;[A-Za-z0-9+/=]*\x07"  # what the reader copied
    "|\x1b]2;[^\x00-\x1f\x7f-\x9f]*\x1b\\\\"  # the window's title
    "|\x1b\\[2[23];2t"  # kept, and given back
)
"""Everything of ours that begins with an escape."""


def assert_harmless(term: Terminal) -> None:
    """Nothing that was written acts, but what is ours."""
    written = term.raw.decode("utf-8")
    for sent in SENT:
        assert sent not in written, f"{sent!r} reached the terminal"
    rest = OURS.sub("", written)
    left = {char for char in rest if ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0} - {"\n", "\r"}
    around = [rest[max(0, m.start() - 20) : m.end() + 20] for m in re.finditer("[\x1b\x07]", rest)]
    assert left == set(), around[:5]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Every text of the list as rationale, message, file content, trace, judge, case and file."""
    text = "\n".join([*ALL, SURROGATE])
    judges = [
        {"name": "words", "check": f"return False, {text!a}"},
        {"name": "raises", "check": f"print({text!a})\nraise ValueError({text!a})"},
        *({"name": name, "check": "return True, 'ok'"} for name in NAMES),
    ]
    name, run = "eval [/INST] \x1b]0;Q4\x07", "run [x=1] \x9b5;5HQ7"
    root = write_project(tmp_path / "p", judges, [FIRST, *CASES], name=name, run=run)
    runs = root / "eval" / "runs"
    (runs / "small" / run).rename(runs / run)
    (runs / "small").rmdir()
    case = runs / run / "cases" / FIRST
    events = [
        {"type": "assistant", "text": text, "tools": []},
        *(
            {
                "type": "assistant",
                "text": one,
                "tools": [{"name": one, "input": {"command": one}, "result": one, "id": str(n)}],
            }
            for n, one in enumerate(ALL)
        ),
    ]
    (case / "events.json").write_text(json.dumps(events))
    for n, one in enumerate(CASES):
        (case / "out" / f"{n:02} {one}").write_text("\n".join(ALL))
    (case / "out" / "raw").write_bytes(b"raw \x9b5;5H \xff \x1b]52;c;UTM=\x07 end of raw\n")
    (case / "stderr.log").write_text("\n".join(ALL))
    (case / "stdout.log").write_text("\n".join(ALL))
    data = root / "data" / FIRST
    (data / "input.yaml").write_text(f"prompt: {json.dumps(text[:-10])}\n")
    (data / "annotations.yaml").write_text(f"note: {json.dumps(chr(10).join(ALL))}\n")
    return root


def test_it_is_shown_and_never_acts(project: Path) -> None:
    with terminal(project, size=(200, 60)) as term:
        term.shows(FIRST, "words", "raises")
        term.settled()
        term.shows("!first · words", *LITERAL)
        # Every column's header and every row's name, with the preview that follows the cursor.
        for _ in NAMES:
            term.press(RIGHT)
        term.press(RIGHT, "G")
        term.shows("日本語テスト", " · combining")
        for _ in range(len(NAMES) + 1):
            term.press("h")
        term.press("g")
        term.shows("!first · words")
        for _ in CASES:
            term.press(DOWN)
        term.shows("日本語テスト · words")
        term.press("g")
        term.shows("!first · words")
        # The case screen, tab by tab.
        term.press(ENTER)
        term.shows("1 reason", *LITERAL)
        term.press("2")
        term.shows(*LITERAL[:4])
        for key in ("o", "j", "o", "j", "j", "o", "G", "g", "."):
            term.press(key)
        term.press("3")
        term.shows("out/", "raw", "01 [type=frozen, input={}]", "[/usr/bin/x]")
        for _ in range(len(CASES) + 4):
            term.press("j")
        term.wait(lambda: term.line("binary 36 B").startswith(" ▌"), "the last file to be chosen")
        term.press("4")
        term.shows("z [b + should reply 3.")
        term.press("G", "5")
        term.shows("stderr", "z [b + should reply 3.")
        term.press("G", "6")
        term.shows("What it read")
        term.press("y")
        term.press("/")
        term.shows("search, then Enter")
        term.press("\x1b[200~\x1b]0;Q4\x07[/INST]\x1b[201~")
        term.shows("Q4[/INST]")
        term.press(ENTER, ESC)
        term.press_when_hidden("Q4[/INST]", "q")
        term.says("watching")
        # The palette, the lists, help.
        term.press(CTRL_P)
        term.shows("Rerun row")
        term.press("q")
        term.shows("Case: line␍Q5", "Case: title ␛]0;Q4␇", "Run: run [x=1] \ufffd5;5HQ7")
        term.press(BACKSPACE)
        term.hides("Case: line")
        term.press("blue")
        term.shows("Case: [blue] team")
        term.press(ENTER)
        term.shows("[blue] team · words")
        term.press("m")
        term.shows("Runs", "run [x=1] \ufffd5;5HQ7")
        term.press(ESC)
        term.press_when_hidden("Runs", "P")
        term.shows("Problems")
        term.press(ESC)
        term.press_when_hidden("Problems", "E")
        term.shows("Evals")
        term.press(ESC)
        term.press_when_hidden("Evals", "q")
        assert term.end() == 0
        term.assert_whole()
        assert_harmless(term)


def test_problems_and_banners_show_it(tmp_path: Path) -> None:
    judges = [{"name": name, "check": "def ("} for name in NAMES]
    judges += [{"name": f"m{n}", "module": name, "function": name} for n, name in enumerate(NAMES)]
    root = write_project(tmp_path / "p", judges, ["aa"], **{f"odd {LITERAL[0]} \x1b]0;Q4\x07": 1})
    with terminal(root, size=(200, 60)) as term:
        term.shows("aa")
        term.settled()
        term.press("P")
        term.shows("Problems", *LITERAL[:8])
        for _ in range(12):
            term.press(PAGE_DOWN)
        term.shows("combining")
        term.press("q")
        term.shows("aa")
        (case_dir(root, "aa") / "out" / "\x1b]0;Q4\x07[INST].md").write_text("new")
        write_config(root, [{"name": "ok", "check": "return True"}])
        term.shows("100% 1/1")
        (root / "eval.yaml").write_text("judges: [\n  - '\x9b2J [/INST]\n", "utf-8")
        term.shows("the last good one stays")
        term.press("q")
        assert term.end() == 0
        assert_harmless(term)


@pytest.mark.parametrize("command", ["score", "check", "explain"])
def test_without_a_screen_it_acts_as_little(project: Path, command: str) -> None:
    words = [command, FIRST, "words"] if command == "explain" else [command]
    with terminal(project, argv=[EVAL_TUI, *words], size=(200, 60)) as term:
        term.end()
        written = term.raw.decode("utf-8")
        for sent in SENT:
            assert sent not in written, f"{sent!r} reached the terminal"
        shown = {
            "score": "[INST] x [/INST]",
            "check": "eval [/INST]",
            "explain": "[@click=app.quit]",
        }
        assert shown[command] in written
