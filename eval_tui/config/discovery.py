"""Finds the project's root, and the evals in it (D4)."""

from __future__ import annotations

import dataclasses
import os
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from eval_tui.config.files import UnreadableFile, read_file
from eval_tui.config.names import eval_name
from eval_tui.config.paths import Base, is_within
from eval_tui.config.plain import as_mapping
from eval_tui.config.problems import Problem
from eval_tui.config.section import Report, Section, kind_of
from eval_tui.config.settings import read_dataset, read_execution
from eval_tui.config.yaml_nodes import read_yaml

MAX_FOLDERS = 10_000
"""How many folders a search looks into at most."""
MAX_DEPTH = 12
MAX_FILES = 5_000
"""How many YAML files a search opens at most."""
MAX_SIZE = 2_000_000
"""Bytes above which a YAML file is not taken for a config."""

IGNORED_FOLDERS = frozenset(
    {"node_modules", "venv", "env", "site-packages", "__pycache__", "vendor", "target", "runs"}
)
"""Folders that hold other people's files, or runs; hidden folders are left out as well."""

_ROOT_MARKS = (".git", "pyproject.toml", ".eval-tui")
_JUDGING = ("judges", "graders")
_BESIDE = ("dataset", "execution", "runner", "outputs", "models")
_CASE_FILES = frozenset({"input.yaml", "annotations.yaml"})
_RUN_FILES = frozenset({"run_result.json"})
_JUDGES_KEY = re.compile(rb"^[\"']?(?:judges|graders)[\"']?\s*:", re.MULTILINE)
_BESIDE_KEY = re.compile(
    rb"^[\"']?(?:dataset|execution|runner|outputs|models)[\"']?\s*:", re.MULTILINE
)


@dataclass(frozen=True)
class FoundEval:
    """One eval of the project, as far as a first look tells."""

    name: str
    """The name that its runs folder has."""
    path: str
    """Absolute path of the config."""
    problems: tuple[Problem, ...] = ()
    """Why it cannot be loaded, or that another one has its name."""
    dataset: str = ""
    """Absolute path of its dataset folder, or empty."""
    title: str = ""
    """What the config calls itself: another name where its runs are named by a skill."""

    @property
    def label(self) -> str:
        """What people are shown, and may call it."""
        return self.title or self.name


def find_root(path: Path, cwd: Path) -> Path:
    """The project's folder for a PATH given on the command line (absolute).

    A folder is it. For a config: the current folder if the config lies in it, else the nearest
    folder above with `.git`, `pyproject.toml` or `.eval-tui`, else the config's own folder.
    """
    here = Path(os.path.abspath(cwd))
    target = Path(os.path.abspath(here / path))
    if target.is_dir():
        return target
    if is_within(str(target), str(here)):
        return here
    for folder in target.parents:
        if any((folder / mark).exists() for mark in _ROOT_MARKS):
            return folder
    return target.parent


def discover(root: Path, env: Mapping[str, str] | None = None) -> tuple[FoundEval, ...]:
    """All evals of a project, by path; each real file once. Never raises.

    By name: `eval.yaml`, `eval/*/eval.yaml` and `eval/*.yaml`. By content: any other YAML file
    with judges, unless it lies below a runs folder, in a dataset's case, or in a hidden or
    ignored folder.
    """
    base = os.path.abspath(root)
    runs = (os.environ if env is None else env).get("AGENT_EVAL_RUNS_DIR", "")
    skipped = os.path.normpath(os.path.join(base, runs)) if runs else ""
    found: dict[str, FoundEval] = {}
    for path in _by_name(base):
        entry = _look(path, base, by_name=True)
        if entry is not None:
            found.setdefault(os.path.realpath(path), entry)
    named = set(found)
    known = frozenset(entry.dataset for entry in found.values())
    for path in _yaml_files(base, skipped, known):
        real = os.path.realpath(path)
        entry = _look(path, base, by_name=False) if real not in found else None
        if entry is not None:
            found[real] = entry
    datasets = {entry.dataset for entry in found.values() if entry.dataset}
    kept = [e for real, e in found.items() if real in named or not _in_case(e.path, datasets)]
    return _tell_twins(sorted(kept, key=lambda entry: entry.path))


def _by_name(root: str) -> Iterator[str]:
    yield os.path.join(root, "eval.yaml")
    folder = os.path.join(root, "eval")
    for name in _names(folder):
        if name.endswith(".yaml") and name != "eval.yaml":
            yield os.path.join(folder, name)
        else:
            yield os.path.join(folder, name, "eval.yaml")


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _yaml_files(root: str, skipped: str, datasets: frozenset[str]) -> Iterator[str]:
    """YAML files that may be configs, folder by folder, within the limits above.

    Folders of `datasets` are cases, of which there may be very many: nothing is looked for there.
    """
    queue = deque([(root, 0)])
    folders = files = 0
    while queue and folders < MAX_FOLDERS:
        folder, depth = queue.popleft()
        folders += 1
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        names = {entry.name for entry in entries}
        if folder != root and (names & _CASE_FILES or names & _RUN_FILES):
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if _is_folder(entry):
                if (
                    depth < MAX_DEPTH
                    and folder not in datasets
                    and entry.name not in IGNORED_FOLDERS
                    and entry.path != skipped
                ):
                    queue.append((entry.path, depth + 1))
            elif entry.name.endswith((".yaml", ".yml")) and files < MAX_FILES:
                files += 1
                yield entry.path


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _look(path: str, root: str, *, by_name: bool) -> FoundEval | None:
    """What a file is as an eval; None if it is none."""
    try:
        source = read_file(path, MAX_SIZE)
    except UnreadableFile as error:
        if not by_name or not os.path.isfile(path):
            return None
        problem = Problem("error", "config-unreadable", f"the config cannot be read: {error}", path)
        return FoundEval(_plain_name(path), path, (problem,))
    if not by_name and not _may_be_eval(source):
        return None
    document = read_yaml(source, path)
    errors = tuple(p for p in document.problems if p.severity == "error")
    values = {} if document.value is None else as_mapping(document.value)
    if values is None or not document.readable:
        looks_so = by_name or bool(_JUDGES_KEY.search(source) and _BESIDE_KEY.search(source))
        return _broken(path, document.value, errors) if looks_so else None
    is_eval = any(key in values for key in _JUDGING) and any(key in values for key in _BESIDE)
    if not by_name and not is_eval:
        return None
    # What is wrong with these blocks is told when the config is loaded.
    top = Section(Report(path, document.positions), values, ())
    title = top.text("name")
    name = eval_name(path, title or _stem(path), read_execution(top).skill)
    return FoundEval(name, path, errors, read_dataset(top, Base(root, path)), title)


def _may_be_eval(source: bytes) -> bool:
    """A cheap first look, so that only few of a repository's YAML files are parsed."""
    is_wide = source[:2] in (b"\xff\xfe", b"\xfe\xff")
    is_flow = source.lstrip()[:1] == b"{" and any(word.encode() in source for word in _JUDGING)
    return is_wide or is_flow or bool(_JUDGES_KEY.search(source))


def _broken(path: str, value: object, errors: tuple[Problem, ...]) -> FoundEval:
    if not errors:
        message = f"the top level of the config must be a mapping, not {kind_of(value)}"
        errors = (Problem("error", "config-not-mapping", message, path, 1, 1),)
    return FoundEval(_plain_name(path), path, errors)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _plain_name(path: str) -> str:
    return eval_name(path, _stem(path), "")


def _in_case(path: str, datasets: set[str]) -> bool:
    """Whether a file lies below a folder of a dataset: then it is material of a case."""
    folder = os.path.dirname(path)
    return any(folder != dataset and is_within(folder, dataset) for dataset in datasets)


def _tell_twins(found: list[FoundEval]) -> tuple[FoundEval, ...]:
    counts = Counter(entry.name for entry in found)
    return tuple(
        dataclasses.replace(entry, problems=(*entry.problems, _twin_problem(entry)))
        if counts[entry.name] > 1
        else entry
        for entry in found
    )


def _twin_problem(entry: FoundEval) -> Problem:
    message = f"another eval is called `{entry.name}` too; their runs share one folder"
    hint = "give one of them another `name`"
    return Problem("warning", "name-twice", message, entry.path, hint=hint)
