"""Runs on disk: where they are, which cases they hold, and which is the newest (D6, D7)."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.names import is_segment
from eval_tui.config.plain import as_number
from eval_tui.config.schema import EvalConfig

MAX_RUN_RESULT = 64_000_000
"""Bytes of `run_result.json` above which its figures are left out."""

_START_KEYS = ("started_at", "start_time", "started", "start", "timestamp", "created_at")


@dataclass(frozen=True)
class Run:
    """One run of an eval. Figures that nothing tells are empty or None."""

    id: str
    path: str
    """Absolute."""
    started: float
    """Seconds since the epoch: from `run_result.json`, else from the folders' times."""
    cases: int
    """How many case folders it holds."""
    model: str = ""
    cost_usd: float | None = None
    duration_s: float | None = None


def runs_dirs(
    root: str, config_path: str, runs_option: str | None, env: Mapping[str, str]
) -> tuple[str, ...]:
    """The folders in which runs are looked for, absolute, the first with runs wins (D6).

    `--runs`, else AGENT_EVAL_RUNS_DIR, both relative to the root; else `eval/runs` under the
    root, or `eval/runs` or `runs` next to the config.
    """
    named = runs_option or env.get("AGENT_EVAL_RUNS_DIR", "")
    if named:
        return (os.path.normpath(os.path.join(root, named)),)
    folder = os.path.dirname(config_path)
    candidates = (
        os.path.join(root, "eval", "runs"),
        os.path.join(folder, "eval", "runs"),
        os.path.join(folder, "runs"),
    )
    return tuple(dict.fromkeys(candidates))


def run_parents(
    config: EvalConfig, runs_option: str | None, env: Mapping[str, str]
) -> tuple[str, ...]:
    """The folders whose entries may be runs of this eval, in order of precedence.

    `<runs>/<eval name>` of all runs folders first, then `<runs>` itself (the older layout).
    These are the folders to watch for new runs.
    """
    folders = runs_dirs(config.root, config.path, runs_option, env)
    own = [os.path.join(folder, config.eval_name) for folder in folders]
    return (*own, *folders)


def list_runs(
    config: EvalConfig, runs_option: str | None = None, env: Mapping[str, str] | None = None
) -> tuple[Run, ...]:
    """The runs of an eval, the newest first. Never raises.

    A link to a run that is listed itself (`latest`) is left out.
    """
    for parent in run_parents(config, runs_option, os.environ if env is None else env):
        runs = _runs_in(parent)
        if runs:
            return tuple(sorted(runs, key=lambda run: (run.started, run.id), reverse=True))
    return ()


def find_run(
    config: EvalConfig,
    run_id: str,
    runs_option: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Run | None:
    """The run of that id, links such as `latest` included; None if there is none.

    An id that is no single path segment names no run.
    """
    if not is_segment(run_id):
        return None
    for parent in run_parents(config, runs_option, os.environ if env is None else env):
        path = os.path.join(parent, run_id)
        if is_run(path):
            return read_run(path)
    return None


def is_run(path: str) -> bool:
    """Whether a folder is a run: it has cases, a result or a summary (D6)."""
    return (
        os.path.isdir(os.path.join(path, "cases"))
        or os.path.isfile(os.path.join(path, "run_result.json"))
        or os.path.isfile(os.path.join(path, "summary.yaml"))
    )


def read_run(path: str) -> Run:
    """What a run's folder tells about it."""
    result = read_run_result(path)
    started = _started(result)
    return Run(
        id=os.path.basename(path),
        path=path,
        started=_folder_time(path) if started is None else started,
        cases=len(case_ids(path)),
        model=_text(result.get("model")),
        cost_usd=_number(result.get("cost_usd")),
        duration_s=_number(result.get("duration_s")),
    )


def case_ids(run_dir: str) -> tuple[str, ...]:
    """Names of the run's case folders, sorted; hidden folders and links are none (D47)."""
    return _real_folders(os.path.join(run_dir, "cases"))


def dataset_cases(dataset_dir: str) -> tuple[str, ...]:
    """Names of the dataset's case folders, sorted; empty for an empty path."""
    return _real_folders(dataset_dir) if dataset_dir else ()


def _runs_in(parent: str) -> list[Run]:
    try:
        with os.scandir(parent) as listing:
            entries = [entry for entry in listing if not entry.name.startswith(".")]
    except OSError:
        return []
    entries = [entry for entry in entries if is_segment(entry.name) and is_run(entry.path)]
    real = {os.path.realpath(entry.path) for entry in entries if not entry.is_symlink()}
    return [
        read_run(entry.path)
        for entry in entries
        if not entry.is_symlink() or os.path.realpath(entry.path) not in real
    ]


def _real_folders(parent: str) -> tuple[str, ...]:
    try:
        with os.scandir(parent) as listing:
            folders = [e.name for e in listing if e.is_dir(follow_symlinks=False)]
    except OSError:
        return ()
    return tuple(sorted(name for name in folders if not name.startswith(".")))


def read_run_result(run_dir: str) -> Mapping[str, object]:
    """A run's `run_result.json`; empty where there is none that can be read."""
    try:
        value: object = json.loads(
            read_file(os.path.join(run_dir, "run_result.json"), MAX_RUN_RESULT)
        )
    except (UnreadableFile, ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _started(result: Mapping[str, object]) -> float | None:
    for key in _START_KEYS:
        seconds = _seconds(result.get(key))
        if seconds is not None:
            return seconds
    return None


def _seconds(value: object) -> float | None:
    """Seconds since the epoch of a number (in s or ms) or an ISO text."""
    number = _number(value)
    if number is not None:
        return number / 1000 if number > 1e11 else number
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _folder_time(run_dir: str) -> float:
    """The earliest time of the run's folders.

    A summary written years later changes the time of the run folder, but not that of `cases`.
    """
    times: list[float] = []
    for path in (run_dir, os.path.join(run_dir, "cases")):
        try:
            times.append(os.stat(path).st_mtime)
        except OSError:
            continue
    return min(times, default=0.0)


def _number(value: object) -> float | None:
    number = as_number(value)
    return None if number is None else float(number)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
