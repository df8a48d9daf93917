"""A project's own interpreter (D50), with the app installed somewhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.engine.support_python import interpreter
from tests.support.small import write_project

CHECKOUT = Path(__file__).resolve().parents[2]

MODULE = """
import sys
import acme_metrics

def measure(outputs):
    return acme_metrics.length(outputs["files"]["out/page.md"]), sys.prefix
"""
JUDGES: list[dict[str, Any]] = [
    {"name": "installed", "module": "judges", "function": "measure"},
    {"name": "imports", "check": "import acme_metrics; return acme_metrics.length('four') == 4"},
    {"name": "version", "check": "import sys; return True, '%d.%d' % sys.version_info[:2]"},
    {"name": "tools", "builtin": "tool_call_validation"},
]


def project(root: Path, judges: list[dict[str, Any]] = JUDGES) -> Path:
    return write_project(root, judges, cases=("a", "b"), files={"judges.py": MODULE})


def make_venv(folder: Path) -> Path:
    """An empty environment; returns its site-packages."""
    venv.create(folder, symlinks=True, with_pip=False)
    return next(folder.glob("lib/python*/site-packages"))


def install_acme(site: Path) -> None:
    package = site / "acme_metrics"
    package.mkdir()
    (package / "__init__.py").write_text("def length(text):\n    return len(text)\n")


def app_elsewhere(folder: Path) -> list[str]:
    """The app and what it needs in an environment of its own, as pipx makes them."""
    site = make_venv(folder)
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (site / "app.pth").write_text("\n".join([str(CHECKOUT), *libraries]) + "\n")
    return [str(folder / "bin" / "python"), "-m", "eval_tui.cli"]


def run(argv: list[str], root: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EVAL_TUI"))}
    return subprocess.run(
        argv,
        cwd=root,
        env={**environ, **more},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def score(root: Path, *options: str, **more: str) -> tuple[dict[str, Any], str]:
    """The cells of case `a`, and what was said beside."""
    command = [sys.executable, "-m", "eval_tui.cli", "score", ".", "--format", "json"]
    done = run([*command, *options], root, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["cells"]["a"], done.stderr


def test_a_project_whose_packages_only_its_own_environment_has(tmp_path: Path) -> None:
    root = project(tmp_path / "project")
    install_acme(make_venv(root / ".venv"))
    app = app_elsewhere(tmp_path / "app")
    done = run([*app, "score", ".", "--format", "json"], root)
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]["a"]
    assert cells["installed"]["value"] == len("page of a\n")
    assert cells["installed"]["rationale"] == str(root / ".venv")
    assert cells["imports"]["value"] is True
    assert "warning" not in done.stderr
    done = run([*app, "check", "."], root)
    assert done.returncode == 0
    assert f"interpreter  {root}/.venv/bin/python (Python 3." in done.stdout


def test_what_the_app_has_installed_is_not_the_projects(tmp_path: Path) -> None:
    judges = [
        {"name": name, "check": f"import {name}; return True"} for name in ("textual", "click")
    ]
    root = project(tmp_path, judges)
    make_venv(root / "venv")
    cells, _ = score(root)
    for name in ("textual", "click"):
        python = f"{root}/venv/bin/python"
        words = (
            f"No module named '{name}': install it for {python}, or choose another with --python"
        )
        assert words in cells[name]["detail"]


def test_a_missing_package_names_the_interpreter_and_the_option(tmp_path: Path) -> None:
    root = project(tmp_path)
    make_venv(root / ".venv")
    cells, said = score(root)
    words = f"module `judges` needs `acme_metrics`, which {root}/.venv/bin/python does not have"
    assert cells["installed"]["reason"] == "unsupported"
    assert words in cells["installed"]["detail"] and "--python" in cells["installed"]["detail"]
    assert words in said
    assert cells["version"]["value"] is True
    install_acme(next((root / ".venv").glob("lib/python*/site-packages")))
    cells, said = score(root)
    assert cells["installed"]["value"] == cells["imports"]["value"] * 10


@pytest.mark.parametrize("version", ["3.10", "3.12", "3.13"])
def test_other_versions_score_the_same(tmp_path: Path, version: str) -> None:
    python = interpreter(version)
    root = project(tmp_path)
    (root / "acme_metrics.py").write_text("length = len\n")
    ours, _ = score(root)
    theirs, _ = score(root, "--python", python)
    assert theirs["version"].pop("rationale") == version != ours["version"].pop("rationale")
    del ours["installed"]["rationale"], theirs["installed"]["rationale"]
    assert theirs == ours
    chosen, _ = score(root, "--force", EVAL_TUI_PYTHON=python)
    assert chosen["version"]["rationale"] == version


def test_a_broken_environment_is_told_and_not_used(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to("/no/where/python3")
    cells, said = score(root)
    assert cells["version"]["value"] is True
    words = "warning .venv/bin/python cannot be run: it leads to /no/where/python3, which is not"
    assert words in said and f"Judges run under {sys.executable}" in said
    install_acme(make_venv(root / "venv"))
    cells, said = score(root)
    assert cells["installed"]["rationale"] == str(root / "venv")
    assert words in said and f"Judges run under {root}/venv/bin/python" in said


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("/no/such/python", "cannot start the Python of the judges, /no/such/python: No such file"),
        ("./plain", "/plain: Permission denied"),
        ("./failing", "cannot run judges: no licence today"),
        ("3.8", "judges need Python 3.10 or later"),
    ],
)
def test_an_interpreter_that_cannot_be_used(tmp_path: Path, given: str, words: str) -> None:
    root = project(tmp_path)
    (root / "plain").write_text("no program")
    failing = root / "failing"
    failing.write_text("#!/bin/sh\necho no licence today >&2\nexit 1\n")
    failing.chmod(0o755)
    python = interpreter(given) if given == "3.8" else given
    for command in (["score"], ["check"], ["explain", "a", "version"]):
        argv = [sys.executable, "-m", "eval_tui.cli", *command, ".", "--python", python]
        done = run(argv, root)
        told = done.stdout + done.stderr
        assert words in told and "--python" in told, command
        assert done.returncode == 2 and "Traceback" not in told, command


def test_known_cells_under_an_interpreter_that_cannot_be_used(tmp_path: Path) -> None:
    """What is known cannot be verified then: it is shown as out of date, and the command ends."""
    rubric = {"name": "tone", "llm_rubric": "Is it kind? {{ conversation }}", "model": "m"}
    judges = [{"name": "length", "check": "return len(outputs['files']) >= 0"}, rubric]
    root = project(tmp_path, judges)
    assert score(root)[0]["length"]["value"] is True
    command, broken = [sys.executable, "-m", "eval_tui.cli"], ["--python", "/bin/true"]
    done = run([*command, "score", ".", "--format", "json", *broken], root)
    assert json.loads(done.stdout)["cells"]["a"]["length"]["stale"] is True
    assert done.returncode == 2 and "/bin/true cannot run judges" in done.stderr
    assert "0 ran, 0 still valid" in done.stderr
    done = run([*command, "check", ".", *broken], root)
    assert done.returncode == 2 and done.stdout.count("/bin/true cannot run judges") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["print('hello from site')", "raise RuntimeError('at start')"])
def test_what_an_interpreter_does_at_its_start_is_its_own_business(
    tmp_path: Path, text: str
) -> None:
    root = project(tmp_path)
    site = make_venv(root / ".venv")
    install_acme(site)
    (site / "sitecustomize.py").write_text(text + "\n")
    cells, said = score(root)
    assert cells["installed"]["value"] == 10
    assert "hello" not in said and "at start" not in said


def test_an_interpreter_without_our_libraries_is_lent_them(tmp_path: Path) -> None:
    """The record is read with PyYAML, which the project need not have."""
    kind = "return True, outputs['annotations']['kind']"
    root = project(tmp_path, [{"name": "kind", "check": kind}])
    make_venv(root / ".venv")
    cells, _ = score(root)
    assert cells["kind"]["rationale"] == "plain"
