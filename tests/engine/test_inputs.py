"""What a judge rests on besides its record: each kind of look is seen, live and after reopening."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.versions import python_version
from tests.engine.support_world import differing, signatures
from tests.engine.test_property import essence, live, opened
from tests.support.cold import cold_score
from tests.support.small import case_dir, run_dir, write_project

ONE, TWO = "def v():\n    return 1\n", "def v():\n    return 2\n"

LOADS_FILE = """
import importlib.util, os
spec = importlib.util.spec_from_file_location("loose", os.path.abspath("lib/loose.py"))
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
return module.v()
"""
HAS_MODULE = "import importlib.util\nreturn importlib.util.find_spec('maybe') is not None"
SIZES = "import os\nreturn sum(entry.stat().st_size for entry in os.scandir('stuff'))"
IN_NAMESPACE = "import space.sub.mod\nreturn space.sub.mod.v()"


def relinked(root: Path) -> None:
    (root / "current").unlink()
    (root / "current").symlink_to("elsewhere")


def removed(name: str) -> Callable[[Path], None]:
    return lambda root: (root / name).unlink()


def wrote(name: str, text: str) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return write


LOOKS: dict[str, tuple[str, dict[str, str], Callable[[Path], None]]] = {
    "a module loaded from its file": (
        LOADS_FILE,
        {"lib/loose.py": ONE},
        wrote("lib/loose.py", TWO),
    ),
    "a module that is looked for and gone later": (
        HAS_MODULE,
        {"maybe.py": ONE},
        removed("maybe.py"),
    ),
    "sizes from a listing": (SIZES, {"stuff/a.txt": "abc"}, wrote("stuff/a.txt", "abcdef")),
    "a namespace package that becomes a plain one": (
        IN_NAMESPACE,
        {"space/sub/mod.py": ONE},
        wrote("space/sub/__init__.py", "raise RuntimeError('no')\n"),
    ),
    "a module that another one shadows": (
        IN_NAMESPACE,
        {"space/sub/mod.py": ONE},
        wrote("space/sub/mod/__init__.py", TWO),
    ),
    "where a link leads": (
        "import os\nreturn len(os.readlink('current'))",
        {"there/x": "", "elsewhere/x": ""},
        relinked,
    ),
    "the path behind a link": (
        "import pathlib\nreturn len(str(pathlib.Path('current').resolve()))",
        {"there/x": "", "elsewhere/x": ""},
        relinked,
    ),
}


def cold(root: Path) -> dict[Any, Any]:
    scores = cold_score(root, root / "eval.yaml", run_dir(root))
    return {(c, j): essence(s) for c, row in scores.items() for j, s in row.items()}


@pytest.mark.parametrize("look", LOOKS)
async def test_what_judges_look_at_is_an_input_of_each(tmp_path: Path, look: str) -> None:
    """Two judges do the same: what the first one's process keeps concerns the second one too."""
    check, files, edit = LOOKS[look]
    judges = [{"name": name, "check": check} for name in ("first", "second")]
    root = write_project(tmp_path / "p", judges, ("a", "b"), files=files)
    (root / "current").symlink_to("there")
    driver = await opened(root)
    try:
        await driver.idle()
        start = live(driver)
        assert start == cold(root)
        before = signatures(root)
        edit(root)
        after = cold(root)
        assert after != start
        driver.apply(differing(before, signatures(root)))
        await driver.idle()
        assert live(driver) == after
    finally:
        await driver.close()


@pytest.mark.parametrize("look", ["sizes from a listing", "where a link leads"])
async def test_they_are_compared_when_a_project_is_opened_again(tmp_path: Path, look: str) -> None:
    check, files, edit = LOOKS[look]
    root = write_project(tmp_path / "p", [{"name": "j", "check": check}], ("a",), files=files)
    (root / "current").symlink_to("there")
    for expected_ran in (1, 0, 1):
        driver = await opened(root)
        try:
            await driver.idle()
            assert live(driver) == cold(root)
            assert driver.session.ran == expected_ran
        finally:
            await driver.close()
        if not expected_ran:
            edit(root)


async def test_a_link_in_a_case_stands_for_what_it_leads_to(tmp_path: Path) -> None:
    check = "return float(open(outputs['case_dir'] + '/link.txt').read())"
    root = write_project(tmp_path / "p", [{"name": "j", "check": check}], ("a",))
    (case_dir(root, "a") / "link.txt").symlink_to(tmp_path / "shared.txt")
    for text in ("1", "2"):
        (tmp_path / "shared.txt").write_text(text)
        driver = await opened(root)
        try:
            await driver.idle()
            assert live(driver) == {("a", "j"): ("measured", float(text), None, "")}
        finally:
            await driver.close()


def test_installed_packages_are_part_of_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installing what a judge lacks, or another version of it, makes what was stored old."""
    packages = tmp_path / "site-packages"
    packages.mkdir()
    monkeypatch.syspath_prepend(str(packages))
    seen = []
    for name in ("", "thing-1.0.dist-info", "other-1.0.dist-info"):
        os.makedirs(packages / name, exist_ok=True)
        seen.append(python_version.__wrapped__())
    assert len(set(seen)) == 3
    assert python_version.__wrapped__() == seen[-1]
