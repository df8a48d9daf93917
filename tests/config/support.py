"""Small helpers for config tests: write a config, load it, look at its problems."""

from pathlib import Path
from textwrap import dedent

from eval_tui.config.load import load_config
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig


def load_text(folder: Path, text: str, env: dict[str, str] | None = None) -> EvalConfig:
    """Loads a config `eval.yaml` with this text, in a project that is the folder."""
    path = folder / "eval.yaml"
    path.write_text(dedent(text), "utf-8")
    return load_config(path, folder, env or {})


def errors(config: EvalConfig) -> list[Problem]:
    return [problem for problem in config.problems if problem.severity == "error"]


def problem(config: EvalConfig, code: str) -> Problem:
    """The only problem with this code."""
    found = [p for p in config.problems if p.code == code]
    assert len(found) == 1, f"{code}: {config.problems}"
    return found[0]
