"""Runs on disk."""

import json
import os
from pathlib import Path

import pytest

from eval_tui.config.load import load_config
from eval_tui.config.schema import EvalConfig
from eval_tui.record.runs import case_ids, dataset_cases, find_run, list_runs, runs_dirs


@pytest.fixture
def config(tmp_path: Path) -> EvalConfig:
    path = tmp_path / "evals" / "docs.yaml"
    path.parent.mkdir()
    path.write_text("judges: []")
    return load_config(path, tmp_path, {})


def make_run(path: Path, cases: int = 1, at: int | None = None, **result: object) -> Path:
    for number in range(cases):
        (path / "cases" / f"c{number}").mkdir(parents=True)
    path.mkdir(parents=True, exist_ok=True)
    if result:
        (path / "run_result.json").write_text(json.dumps(result))
    if at is not None:
        for folder in (path / "cases", path):
            if folder.is_dir():
                os.utime(folder, (at, at))
    return path


def ids(config: EvalConfig, option: str | None = None, **env: str) -> list[str]:
    return [run.id for run in list_runs(config, option, env)]


def test_where_runs_are_looked_for(tmp_path: Path) -> None:
    root, config = str(tmp_path), str(tmp_path / "evals" / "docs.yaml")
    assert runs_dirs(root, config, None, {}) == (
        f"{root}/eval/runs",
        f"{root}/evals/eval/runs",
        f"{root}/evals/runs",
    )
    env = {"AGENT_EVAL_RUNS_DIR": "out"}
    assert runs_dirs(root, config, None, env) == (f"{root}/out",)
    assert runs_dirs(root, config, "/else", env) == ("/else",)


def test_runs_of_the_eval_before_the_older_layout(tmp_path: Path, config: EvalConfig) -> None:
    make_run(tmp_path / "eval" / "runs" / "old-layout")
    assert ids(config) == ["old-layout"]
    make_run(tmp_path / "evals" / "runs" / "docs" / "near")
    assert ids(config) == ["near"]
    make_run(tmp_path / "eval" / "runs" / "docs" / "r1")
    assert ids(config) == ["r1"]
    make_run(tmp_path / "out" / "docs" / "r2")
    assert ids(config, AGENT_EVAL_RUNS_DIR="out") == ["r2"]
    assert ids(config, "out") == ["r2"]
    assert ids(config, "nowhere") == []


def test_what_makes_a_folder_a_run(tmp_path: Path, config: EvalConfig) -> None:
    parent = tmp_path / "eval" / "runs" / "docs"
    make_run(parent / "artifacts-only", cases=2)
    make_run(parent / "result-only", cases=0, model="m")
    make_run(parent / "summary-only", cases=0)
    (parent / "summary-only" / "summary.yaml").write_text("judges: {}")
    make_run(parent / "nothing", cases=0)
    make_run(parent / ".hidden")
    (parent / "file").write_text("")
    assert set(ids(config)) == {"artifacts-only", "result-only", "summary-only"}


def test_figures_of_a_run(tmp_path: Path, config: EvalConfig) -> None:
    parent = tmp_path / "eval" / "runs" / "docs"
    make_run(parent / "r1", cases=3, model="m", cost_usd=1.5, duration_s=20)
    (run,) = list_runs(config, None, {})
    assert (run.cases, run.model, run.cost_usd, run.duration_s) == (3, "m", 1.5, 20.0)
    assert run.path == str(parent / "r1")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", "null", "[" * 100_000, '{"model": 3, "cost_usd": "x", "duration_s": NaN}',
     '{"cost_usd": true, "started_at": "yesterday"}', '{"cost_usd": 1e999}'],
)  # fmt: skip
def test_unreadable_result_is_only_missing_figures(
    tmp_path: Path, config: EvalConfig, text: str
) -> None:
    run_dir = make_run(tmp_path / "eval" / "runs" / "docs" / "r1")
    (run_dir / "run_result.json").write_text(text)
    (run,) = list_runs(config, None, {})
    assert (run.id, run.cases, run.model, run.cost_usd, run.duration_s) == ("r1", 1, "", None, None)


def test_newest_first_by_the_start_that_the_run_tells(tmp_path: Path, config: EvalConfig) -> None:
    parent = tmp_path / "eval" / "runs" / "docs"
    make_run(parent / "a", at=9_000, started_at="1970-01-01T00:10:00Z")
    make_run(parent / "b", at=1_000, started_at=700)
    make_run(parent / "c", at=650)
    assert ids(config) == ["b", "c", "a"]
    assert [run.started for run in list_runs(config, None, {})] == [700, 650, 600]


def test_newest_by_name_when_times_are_equal(tmp_path: Path, config: EvalConfig) -> None:
    for name in ("r1", "r3", "r2"):
        make_run(tmp_path / "eval" / "runs" / "docs" / name, at=500)
    assert ids(config) == ["r3", "r2", "r1"]


def test_a_summary_written_later_does_not_make_a_run_newer(
    tmp_path: Path, config: EvalConfig
) -> None:
    parent = tmp_path / "eval" / "runs" / "docs"
    make_run(parent / "old", at=500)
    make_run(parent / "new", at=600)
    (parent / "old" / "summary.yaml").write_text("judges: {}")
    assert ids(config) == ["new", "old"]


def test_links_to_runs(tmp_path: Path, config: EvalConfig) -> None:
    parent = tmp_path / "eval" / "runs" / "docs"
    make_run(parent / "r1", at=500)
    (parent / "latest").symlink_to(parent / "r1")
    make_run(tmp_path / "archive" / "r0", at=400)
    (parent / "kept").symlink_to(tmp_path / "archive" / "r0")
    (parent / "dangling").symlink_to(tmp_path / "gone")
    assert ids(config) == ["r1", "kept"]
    latest = find_run(config, "latest", None, {})
    assert latest is not None
    assert (latest.id, latest.cases) == ("latest", 1)


@pytest.mark.parametrize(
    "run_id", ["", ".", "..", "../docs/r1", "docs/r1", "a\\b", "a\0b", "r9", "a\nb"]
)
def test_run_ids_are_single_names(tmp_path: Path, config: EvalConfig, run_id: str) -> None:
    make_run(tmp_path / "eval" / "runs" / "docs" / "r1")
    assert find_run(config, run_id, None, {}) is None
    assert find_run(config, "r1", None, {}) is not None


def test_cases_are_real_folders(tmp_path: Path) -> None:
    for base in (tmp_path / "run" / "cases", tmp_path / "dataset"):
        for name in ("b", "a", "ü", ".hidden"):
            (base / name).mkdir(parents=True)
        (base / "file.yaml").write_text("")
        (base / "link").symlink_to(tmp_path)
    assert case_ids(str(tmp_path / "run")) == ("a", "b", "ü")
    assert dataset_cases(str(tmp_path / "dataset")) == ("a", "b", "ü")
    assert case_ids(str(tmp_path / "absent")) == ()
    assert dataset_cases("") == ()
