"""The person's own keys: what they may be, what is told of the others, and that the app obeys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_tui.tui.actions import actions_here, bindings, use_keys
from eval_tui.tui.keymap import KeyMap, load_keys
from tests.tui.test_app import Terminal


@pytest.fixture(autouse=True)
def _usual_keys() -> Iterator[None]:
    yield
    use_keys({})


def keys_of(tmp_path: Path, text: str) -> KeyMap:
    path = tmp_path / "keys.yaml"
    path.write_text(text)
    return load_keys(path)


def test_keys_are_written_as_people_write_them(tmp_path: Path):
    found = keys_of(tmp_path, 'rerun: ctrl+e\nfilter: ["?", F2]\nhelp: F1\nsort: "}"\nmark: 5\n')
    assert not found.problems
    assert found.keys["rerun"] == ("ctrl+e",)
    assert found.keys["filter"] == ("question_mark", "f2")
    assert found.keys["sort"] == ("right_curly_bracket",)
    assert found.keys["mark"] == ("5",)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("quit: Q\nrerun: x", 2, "x for rerun is the key of cancel already"),
        ("rerun: Q\nquit: Q", 2, "Q for quit is the key of rerun already"),
        ("help: r", 1, "r for help is the key of"),
        ("run-mark: y", 1, "y for run-mark is the key of list-copy already"),
        ("mark: j", 1, "j moves everywhere"),
        ("rerunn: u", 1, "there is no action 'rerunn'; did you mean rerun?"),
        ("rerun: contrl+x", 1, "there is no key 'contrl+x'"),
        ("rerun: [true]", 1, "a key or a list of keys is expected"),
        ("rerun: []", 1, "a key or a list of keys is expected"),
        ("- rerun", 1, "must be a mapping"),
        ("a: [", 2, "not valid YAML"),
    ],
)
def test_what_cannot_be_is_told_with_its_line_and_the_usual_key_stays(
    tmp_path: Path, text: str, line: int, told: str
):
    found = keys_of(tmp_path, text)
    (problem,) = found.problems
    assert problem.file == str(tmp_path / "keys.yaml")
    assert problem.line == line
    assert told in problem.message
    use_keys(found.keys)
    by_id = {action.id: action for action in actions_here("grid")}
    assert by_id["cancel"].keys == ("x",)
    assert by_id["mark"].keys == ("space",)


def test_two_actions_may_swap_their_keys(tmp_path: Path):
    found = keys_of(tmp_path, "rerun: x\ncancel: r\n")
    assert not found.problems
    use_keys(found.keys)
    bound = {binding.action: binding.key for binding in bindings("grid")}
    assert (bound["rerun"], bound["cancel"]) == ("x", "r")


def test_without_a_file_nothing_is_changed(tmp_path: Path):
    assert load_keys(tmp_path / "keys.yaml") == KeyMap()


def test_the_app_obeys_and_says_what_it_does_not_use(tmp_path: Path):
    folder = tmp_path / "eval-tui"
    folder.mkdir()
    (folder / "keys.yaml").write_text("quit: ctrl+x\nmark: j\n")
    terminal = Terminal("keys", XDG_CONFIG_HOME=str(tmp_path))
    terminal.expect("keys.yaml:2")
    terminal.expect("ctrl+x")  # in the line of hints
    terminal.child.send("q")
    terminal.child.send("\x18")
    assert terminal.end() == 0
