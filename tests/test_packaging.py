"""What a wheel holds, and that the README's commands are the ones that work."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TRY_IT = (
    "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/eval-tui examples/quickstart"
)
TEST_IT = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files in a wheel built from this folder."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", *options, "-w", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_every_theme(wheel: set[str]) -> None:
    themes = {path.name for path in (ROOT / "themes").glob("*.yaml")}
    assert len(themes) >= 4
    assert {f"eval_tui/themes/{name}" for name in themes} <= wheel


def test_the_wheel_holds_every_style_sheet_and_module(wheel: set[str]) -> None:
    package = ROOT / "eval_tui"
    ours = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("*.py", "*.tcss")
        for path in package.rglob(pattern)
    }
    assert any(name.endswith(".tcss") for name in ours)
    assert ours <= wheel


def test_the_wheel_holds_every_file_that_init_writes(wheel: set[str]) -> None:
    starter = [path for path in (ROOT / "eval_tui" / "starter").rglob("*") if path.is_file()]
    ours = {
        path.relative_to(ROOT).as_posix() for path in starter if "__pycache__" not in path.parts
    }
    assert "eval_tui/starter/eval.yaml" in ours
    assert ours <= wheel


def test_the_wheel_holds_nothing_else(wheel: set[str]) -> None:
    assert {name.split("/")[0] for name in wheel if ".dist-info/" not in name} == {"eval_tui"}
    assert not [name for name in wheel if "__pycache__" in name]


@pytest.mark.parametrize("command", [TRY_IT, TEST_IT])
def test_the_readme_gives_the_two_commands(command: str) -> None:
    assert command in (ROOT / "README.md").read_text("utf-8")


def test_the_readmes_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if target.endswith(".svg"):
                continue
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_quickstart_is_there() -> None:
    assert (ROOT / "examples" / "quickstart" / "eval.yaml").is_file()
