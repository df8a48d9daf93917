"""The files that a command names: found in the config's folder, then in the project."""

from pathlib import Path

import pytest

from eval_tui.config.schema import Grader
from eval_tui.judges.graders.named import named_files, named_in


@pytest.fixture
def bases(tmp_path: Path) -> list[str]:
    for name in ("check.sh", "eval/check.sh", "eval/my check.py", "data.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    return [str(tmp_path / "eval"), str(tmp_path)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./check.sh", "{eval}/check.sh"),
        ("check.sh --strict data.json", "{eval}/check.sh --strict {root}/data.json"),
        ("python 'my check.py' \"data.json\"", "python '{eval}/my check.py' {root}/data.json"),
        ("cat data.json|sort>out", "cat {root}/data.json|sort>out"),
        ("(cd x; ../check.sh)", "(cd x; {root}/check.sh)"),
        ("pytest -q", "pytest -q"),
        ('cat "$EVAL_TUI_CASE"/data.json', 'cat "$EVAL_TUI_CASE"/data.json'),
        ("cat $X/check.sh check.sh$Y `check.sh`", "cat $X/check.sh check.sh$Y `check.sh`"),
        ("echo --file=data.json", "echo --file=data.json"),
        ("eval", "eval"),
        ("cat /etc/hostname", "cat /etc/hostname"),
    ],
)
def test_words_become_absolute(command: str, expected: str, bases: list[str]) -> None:
    eval_dir, root = bases
    assert named_in(command, bases).command == expected.format(eval=eval_dir, root=root)


def test_where_a_file_could_appear_is_told(bases: list[str]) -> None:
    eval_dir, root = bases
    named = named_in("pytest -q tests/new.py data.json", bases)
    assert set(named.missing) == {
        f"{eval_dir}/tests/new.py",
        f"{root}/tests/new.py",
        f"{eval_dir}/data.json",
    }


def test_files_of_a_spec_in_the_order_of_its_words(bases: list[str]) -> None:
    eval_dir, root = bases
    spec = Grader("script", {"cmd": "check.sh data.json check.sh"})
    assert named_files(spec, bases) == (f"{eval_dir}/check.sh", f"{root}/data.json")
    assert named_files(Grader("script", {"entrypoint": "data.json"}), bases) == (
        f"{root}/data.json",
    )
    assert named_files(Grader("cost"), bases) == ()
