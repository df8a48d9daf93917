"""The real configs of the corpus."""

from pathlib import Path

import pytest
import yaml

from eval_tui.config.discovery import discover
from eval_tui.config.load import load_config
from tests.support.shared import SHARED, shared_dir

_REPOSITORIES = sorted(p.name for p in (SHARED / "corpus" / "configs").glob("*"))

KNOWN_ERRORS = {
    "021__opendatahub-io__skills-registry__eval-diagram-feedback-eval": {
        "bad-output-path",
        "no-kind",
        "no-model",
    },
    "063__ai-assist-org__ai-assist__eval-eval": {"no-model"},
}
"""Configs that the harness refuses as well, in whole or in part."""


@pytest.mark.parametrize("repository", _REPOSITORIES)
def test_every_config_loads_or_lists_its_problems(repository: str) -> None:
    root = shared_dir("corpus", "configs", repository, "repo")
    found = discover(root, {})
    assert found
    codes: set[str] = set()
    for entry in found:
        config = load_config(Path(entry.path), root, {})
        assert config.usable
        assert config.eval_name == entry.name
        raw = yaml.safe_load(Path(entry.path).read_text("utf-8"))
        assert config.source == raw
        assert [j.name for j in config.judges] == [
            j["name"] for j in raw["judges"] if j["name"] != "pairwise"
        ]
        lines = Path(entry.path).read_text("utf-8").splitlines()
        for judge in config.judges:
            assert judge.name in lines[judge.line - 1]
            if judge.check:
                assert judge.check.split("\n")[0].strip() in lines[judge.check_line - 1]
        for problem in config.problems:
            assert 0 < problem.line <= len(lines)
            assert problem.column > 0
        codes |= {p.code for p in config.problems if p.severity == "error"}
    assert codes == KNOWN_ERRORS.get(repository, set())


def test_all_configs_of_the_corpus_are_found() -> None:
    shared_dir("corpus", "configs")
    roots = [SHARED / "corpus" / "configs" / name / "repo" for name in _REPOSITORIES]
    assert len(roots) == 53
    assert sum(len(discover(root, {})) for root in roots) == 70
