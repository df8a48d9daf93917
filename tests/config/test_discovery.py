"""The project's root, and the evals in it."""

import os
from pathlib import Path

import pytest

from eval_tui.config.discovery import discover, find_root
from eval_tui.config.load import load_config

EVAL = "name: {}\njudges: []\ndataset: {{path: cases}}\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def names(root: Path, env: dict[str, str] | None = None) -> list[str]:
    return [entry.name for entry in discover(root, env or {})]


def test_a_folder_is_its_own_root(tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "sub"
    inner.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    assert find_root(inner, tmp_path) == inner
    assert find_root(Path("repo/sub"), tmp_path) == inner


@pytest.mark.parametrize("mark", [".git", "pyproject.toml", ".eval-tui"])
def test_root_of_a_config(tmp_path: Path, mark: str) -> None:
    config = write(tmp_path / "repo" / "eval" / "a.yaml", "judges: []")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert find_root(config, elsewhere) == config.parent
    (tmp_path / "repo" / mark).mkdir()
    assert find_root(config, elsewhere) == tmp_path / "repo"
    # The current folder comes first when the config lies in it.
    assert find_root(config, tmp_path) == tmp_path
    assert find_root(Path("a.yaml"), config.parent) == config.parent


def test_evals_by_content_wherever_they_are(tmp_path: Path) -> None:
    write(tmp_path / "plugins" / "ci" / "evals" / "eval-one.yaml", EVAL.format("one"))
    write(tmp_path / "deep" / "er" / "two.yml", EVAL.format("two"))
    write(tmp_path / "flow.yaml", "{name: three, judges: [], outputs: []}")
    write(tmp_path / "graded.yaml", "name: four\ngraders: []\nmodels: {}\n")
    (tmp_path / "wide.yaml").write_bytes(EVAL.format("five").encode("utf-16"))
    write(tmp_path / "judges-only.yaml", "judges: []\n")
    write(tmp_path / "kube.yaml", "kind: Deployment\nspec: {judges: 1}\n")
    write(tmp_path / "broken.yaml", "kind: [\n")
    assert names(tmp_path) == ["two", "three", "four", "one", "five"]


def test_a_config_without_a_name_is_called_by_its_folder_or_skill(tmp_path: Path) -> None:
    """Else all of `eval/*/eval.yaml` would be called `eval`."""
    text = "judges: []\ndataset: {path: cases}\n"
    path = write(tmp_path / "eval" / "letters" / "eval.yaml", text)
    write(tmp_path / "eval.yaml", text + "execution: {skill: writer}\n")
    assert {entry.label for entry in discover(tmp_path, {})} == {"letters", "writer"}
    assert load_config(path, tmp_path, {}).name == "letters"
    assert load_config(tmp_path / "eval.yaml", tmp_path, {}).name == "writer"
    path.write_text("judges: [\n", "utf-8")
    assert load_config(path, tmp_path, {}).name == "letters"


def test_a_broken_config_is_still_found(tmp_path: Path) -> None:
    write(tmp_path / "evals" / "writing.yaml", EVAL.format("x") + "judges: [\n")
    (entry,) = discover(tmp_path, {})
    assert entry.name == "writing"
    assert [p.code for p in entry.problems] == ["not-yaml"]
    assert entry.problems[0].line


@pytest.mark.parametrize(
    "place",
    [
        "node_modules/pkg",
        ".hidden",
        ".venv/lib",
        "eval/runs/demo/r1/cases/c1",
        "my-runs/r1",
        "old/r1",
        "cases/c1",
        "cases/c2/fixture",
    ],
)
def test_where_nothing_is_looked_for(tmp_path: Path, place: str) -> None:
    write(tmp_path / "main.yaml", EVAL.format("main"))
    write(tmp_path / "old" / "r1" / "run_result.json", "{}")
    write(tmp_path / "cases" / "c1" / "input.yaml", "a: 1")
    write(tmp_path / place / "eval-x.yaml", EVAL.format("x"))
    assert names(tmp_path, {"AGENT_EVAL_RUNS_DIR": "my-runs"}) == ["main"]


def test_links_are_not_followed_and_a_file_is_listed_once(tmp_path: Path) -> None:
    write(tmp_path / "eval.yaml", EVAL.format("main"))
    (tmp_path / "again.yaml").symlink_to(tmp_path / "eval.yaml")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.yaml")
    assert names(tmp_path) == ["main"]


def test_nothing_to_find(tmp_path: Path) -> None:
    assert discover(tmp_path, {}) == ()
    assert discover(tmp_path / "absent", {}) == ()
