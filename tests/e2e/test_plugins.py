"""What installed packages add: judges, graders, transcript parsers and formats, good and broken."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support_terminal import piped
from tests.support.small import case_dir, write_project

MODULE = '''
def brevity(outputs, most=100):
    """The entry point of a judge."""
    size = len(outputs["out_content"])
    return size <= most, f"{size} characters"

def sizes(outputs, unit=1):
    outputs["files"].clear()
    size = len(outputs["out_content"])
    return [{"metric": "size", "value": size / unit, "pass": True}, {"metric": "bad", "value": "x"}]

def yes(outputs):
    print("graded")
    return True, "always"

def robot(lines):
    if "says" not in lines[0]:
        return None
    return [
        {"type": "assistant", "text": line["says"], "tools": [], "timestamp": None} for line in lines
    ]

def names(document):
    return "\\n".join(sorted(document["cells"]))

def fails(*given, **more):
    raise ValueError("out of order")

NOTHING = None
'''
ENTRY_POINTS = """
[eval_tui.judges]
brevity = acme_evals:brevity
absent = acme_evals:absent
elsewhere = acme_nowhere:judge
none = acme_evals:NOTHING
[eval_tui.graders]
sizes = acme_evals:sizes
yes = acme_evals:yes
[eval_tui.transcripts]
robot = acme_evals:robot
[eval_tui.formats]
names = acme_evals:names
fails = acme_evals:fails
"""
BROKEN = ("absent", "elsewhere", "none", "unheard")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return install(tmp_path / "site", ENTRY_POINTS)


def install(site: Path, entry_points: str) -> Path:
    """A folder of packages with one in it, as an installer leaves it."""
    info = site / "acme_evals-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-evals\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(entry_points)
    (site / "acme_evals.py").write_text(MODULE)
    return site


def run(root: Path, site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return piped(root, *words, PYTHONPATH=str(site))


def cells(root: Path, site: Path, case: str = "a") -> dict[str, Any]:
    done = run(root, site, "score", "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["cells"][case]


def test_judges_of_packages_and_broken_ones_that_cost_themselves(
    tmp_path: Path, site: Path
) -> None:
    judges = [
        {"name": "short", "builtin": "plugin/brevity"},
        {"name": "tiny", "builtin": "plugin/brevity", "arguments": {"most": 3}},
        *({"name": name, "builtin": f"plugin/{name}"} for name in BROKEN),
    ]
    root = write_project(tmp_path / "project", judges, cases=("a",))
    found = cells(root, site)
    assert (found["short"]["value"], found["short"]["rationale"]) == (True, "10 characters")
    assert found["tiny"]["value"] is False
    words = {name: found[name]["detail"] for name in BROKEN}
    assert {found[name]["reason"] for name in BROKEN} == {"unsupported"}
    assert "acme-evals 1.2 cannot be loaded: AttributeError" in words["absent"]
    assert "ModuleNotFoundError: No module named 'acme_nowhere'" in words["elsewhere"]
    assert "is no function but NoneType" in words["none"]
    assert "there are: absent, brevity, elsewhere, none" in words["unheard"]


def test_graders_of_packages_print_and_emit_what_they_like(tmp_path: Path, site: Path) -> None:
    graders = [
        {"id": "plugin/sizes", "config": {"unit": 5}},
        {"id": "plugin/yes", "config": {"id": "sure"}},
        {"id": "plugin/unheard"},
    ]
    judges = [{"name": "after", "check": "return len(outputs['files']) == 1"}]
    root = write_project(tmp_path / "project", judges, cases=("a",), graders=graders)
    found = cells(root, site)
    assert found["sizes"]["parts"]["size"]["value"] == 2
    assert found["sizes"]["parts"]["bad"]["reason"] == "contract_violation"
    assert (found["sure"]["value"], found["sure"]["pass"]) == (1, True)
    assert found["unheard"]["reason"] == "unsupported"
    assert found["after"]["value"] is True


def test_a_parser_reads_the_transcripts_that_nobody_else_knows(tmp_path: Path, site: Path) -> None:
    judges = [{"name": "said", "check": "return len(outputs['events']), outputs['conversation']"}]
    root = write_project(tmp_path / "project", judges, cases=("a", "b", "c"))
    for case, line in (("a", '{"says": "hello"}'), ("b", '{"mumbles": 1}')):
        folder = case_dir(root, case)
        (folder / "events.json").unlink()
        (folder / "events.jsonl").write_text(line + "\n")
    found = {case: cells(root, site, case)["said"] for case in ("a", "b", "c")}
    assert (found["a"]["value"], found["a"]["rationale"]) == (1, "hello")
    assert found["b"]["value"] == 0
    assert found["c"]["rationale"] == "I wrote c."


def test_a_parser_that_breaks_is_no_other_reading_of_the_transcript(tmp_path: Path) -> None:
    site = install(tmp_path / "site", "[eval_tui.transcripts]\nfails = acme_evals:fails\n")
    judges = [
        {"name": "said", "check": "return outputs['conversation'] == ''"},
        {"name": "page", "check": "return 'page' in outputs['out_content']"},
    ]
    root = write_project(tmp_path / "project", judges, cases=("a",))
    (case_dir(root, "a") / "events.json").unlink()
    (case_dir(root, "a") / "events.jsonl").write_text('{"says": "hello"}\n')
    found = cells(root, site)
    assert found["said"]["reason"] == "missing_evidence"
    assert "the parser `fails` failed: ValueError: out of order" in found["said"]["detail"]
    assert found["page"]["value"] is True


def test_formats_of_packages(tmp_path: Path, site: Path) -> None:
    judges = [{"name": "fine", "check": "return True"}]
    root = write_project(tmp_path / "project", judges, cases=("b", "a"))
    done = run(root, site, "score", "--format", "plugin/names")
    assert (done.returncode, done.stdout) == (0, "a\nb\n")
    done = run(root, site, "score", "--format", "plugin/fails")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the format `plugin/fails` failed: ValueError: out of order" in done.stderr
    done = run(root, site, "score", "--format", "plugin/other")
    assert (done.returncode, done.stdout) == (2, "")
    assert "offers `other`" in done.stderr and "there are: fails, names" in done.stderr


def test_a_package_that_only_the_projects_interpreter_has(tmp_path: Path) -> None:
    import venv

    judges = [{"name": "short", "builtin": "plugin/brevity"}]
    root = write_project(tmp_path / "project", judges, cases=("a",))
    venv.create(root / ".venv", symlinks=True, with_pip=False)
    install(next((root / ".venv").glob("lib/python*/site-packages")), ENTRY_POINTS)
    nowhere = tmp_path / "nowhere"
    assert cells(root, nowhere)["short"]["value"] is True
    listed = run(root, nowhere, "plugins").stdout
    assert f"interpreter   {root}/.venv/bin/python" in listed
    assert "plugin/brevity" in listed and "plugin/names" not in listed


def test_the_list_of_all_names(tmp_path: Path, site: Path) -> None:
    files = {"judges/style/tone.md": "{{ conversation }}", "judges/style/size.py": ""}
    root = write_project(tmp_path / "project", [], cases=("a",), files=files)
    done = run(root, site, "plugins")
    assert done.returncode == 2  # some of them are broken
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "style/tone judges/style/tone.md" in lines
    assert "efficiency/cost_budget of eval-tui" in lines
    assert "plugin/brevity acme-evals 1.2: acme_evals:brevity" in lines
    assert "robot acme-evals 1.2: acme_evals:robot" in lines
    assert any(line.startswith("plugin/elsewhere") and "cannot be used" in line for line in lines)
    (site / "acme_evals-1.2.dist-info/entry_points.txt").write_text("")
    assert run(root, site, "plugins").returncode == 0
    assert os.listdir(root / "judges") == ["style"]
