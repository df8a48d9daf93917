"""Loads an `eval.yaml`: never raises for what a file holds, lists everything that is wrong."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from eval_tui.config.columns import read_columns
from eval_tui.config.decoding import decode, text_digest
from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.graders import metric_names
from eval_tui.config.judges import JudgeContext
from eval_tui.config.names import eval_name
from eval_tui.config.paths import Base
from eval_tui.config.plain import as_mapping
from eval_tui.config.problems import Problem
from eval_tui.config.reward import read_reward
from eval_tui.config.schema import PAIRWISE, EvalConfig
from eval_tui.config.section import Report, Section, kind_of
from eval_tui.config.settings import (
    check_generation,
    check_runner,
    check_tool_inputs,
    read_dataset,
    read_execution,
    read_hooks,
    read_models,
    read_outputs,
    read_traces,
)
from eval_tui.config.thresholds import read_thresholds
from eval_tui.config.verdict import read_verdict
from eval_tui.config.yaml_nodes import read_yaml

MAX_CONFIG = 16_000_000
"""Bytes above which a file is taken for anything but a config."""

_KEYS = (
    "name",
    "description",
    "skill",
    "execution",
    "dataset",
    "inputs",
    "outputs",
    "traces",
    "models",
    "runner",
    "permissions",
    "mlflow",
    "hooks",
    "generation",
    "judges",
    "graders",
    "verdict",
    "reward",
    "thresholds",
)


def load_config(
    path: Path, root: Path, env: Mapping[str, str] | None = None, files: Sequence[str] = ()
) -> EvalConfig:
    """The eval of a config file; `root` is the project's folder.

    Never raises for what the file holds, nor when it is missing: then `usable` is False and
    `problems` says why (D2, D3). `env` (default: this process's) may name the judges' model.
    `files` are absolute paths of further judges and graders (D52).
    """
    base = Base(os.path.abspath(root), os.path.abspath(path))
    file = base.config_path
    try:
        source = read_file(file, MAX_CONFIG)
    except UnreadableFile as error:
        code = "config-unreadable" if os.path.lexists(file) else "config-missing"
        problem = Problem("error", code, f"the config cannot be read: {error}", file)
        return _unusable(base, (problem,))
    document = read_yaml(source, file)
    digest = text_digest(decode(source).text)
    report = Report(file, document.positions, list(document.problems), [file])
    if not document.readable:
        return _unusable(base, document.problems, digest)
    # An empty file is an empty mapping.
    value = document.value
    mapping = {} if value is None else as_mapping(value)
    if mapping is None:
        message = f"the top level of the config must be a mapping, not {kind_of(value)}"
        report.add("error", "config-not-mapping", message, document.positions.value(()))
        return _unusable(base, tuple(report.problems), digest)
    return _read(
        Section(report, mapping, ()), base, digest, os.environ if env is None else env, files
    )


def _read(
    top: Section, base: Base, digest: str, env: Mapping[str, str], files: Sequence[str]
) -> EvalConfig:
    report = top.report
    top.note_unknown(_KEYS)
    _check_unread(top)
    execution = read_execution(top)
    models = read_models(top)
    default_model = models.judge or env.get("EVAL_JUDGE_MODEL", "").strip()
    context = JudgeContext(base, execution.steps, default_model, execution.timeout)
    read = read_columns(top, context, files)
    columns = read.columns
    stem = os.path.splitext(os.path.basename(base.config_path))[0]
    given = top.text("name")
    called = eval_name(base.config_path, given or stem, execution.skill)
    names = [*(judge.name for judge in columns), *metric_names(columns)]
    config = EvalConfig(
        path=base.config_path,
        root=base.root,
        name=given or called,
        eval_name=called,
        description=top.text("description"),
        mode=execution.mode,
        steps=execution.steps,
        dataset=read_dataset(top, base),
        outputs=read_outputs(top),
        traces=read_traces(top),
        models=models,
        judges=columns,
        pairwise=read.pairwise,
        thresholds=read_thresholds(top, [*names, PAIRWISE]),
        verdict=read_verdict(top, any(judge.grader for judge in columns)),
        reward=read_reward(top, columns, bool(read.pairwise)),
        hooks=read_hooks(top),
        problems=(),
        usable=read.unique,
        digest=digest,
        source=cast("Mapping[str, object]", top.values),
    )
    return _finish(config, report)


def _finish(config: EvalConfig, report: Report) -> EvalConfig:
    """The config with its problems, each once and in the order of the file."""
    problems = sorted(dict.fromkeys(report.problems), key=lambda p: (p.line, p.column))
    looked_for = tuple(dict.fromkeys(report.looked_for))
    return dataclasses.replace(config, problems=tuple(problems), looked_for=looked_for)


def _check_unread(top: Section) -> None:
    """Blocks that belong to running agents: their form is checked, nothing else."""
    check_runner(top)
    check_tool_inputs(top)
    check_generation(top)
    top.section("permissions")
    top.section("mlflow")


def _unusable(base: Base, problems: tuple[Problem, ...], digest: str = "") -> EvalConfig:
    stem = os.path.splitext(os.path.basename(base.config_path))[0]
    called = eval_name(base.config_path, stem, "")
    return EvalConfig(
        path=base.config_path,
        root=base.root,
        name=called,
        eval_name=called,
        problems=problems,
        usable=False,
        digest=digest,
        looked_for=(base.config_path,),
    )
