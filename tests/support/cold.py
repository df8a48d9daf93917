"""A cold scoring: every judge on every case, one after the other, with nothing remembered.

The oracle for "the live grid equals a cold scoring of the same files". It shares the reading of
files, the judges and the implementations of graders with the product and nothing else: no tracking,
no store, no plan, no workers, and commands of graders run in copies of its own.
Each call is a process of its own, so that no module of an earlier call survives.

As a script it reads its question as JSON from standard input and answers on standard output.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval_tui.scores import Reason, Score, Unmeasured, from_plain, to_plain

Scores = dict[str, dict[str, Score]]


def cold_score(
    root: Path | str,
    config_path: Path | str,
    run_dir: Path | str,
    judges: Collection[str] | None = None,
    python: str = sys.executable,
    env: dict[str, str] | None = None,
) -> Scores:
    """Case -> judge -> score for every judge that runs as Python, or for those named.

    Judges that ask a model are left out; judges that cannot be loaded are `unsupported` in every
    case.
    """
    question = {
        "root": os.path.abspath(root),
        "config": os.path.abspath(config_path),
        "run": os.path.abspath(run_dir),
        "judges": None if judges is None else sorted(judges),
    }
    package = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(
        [python, "-B", str(Path(__file__).resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=question["root"],
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(package), **(env or {})},
        start_new_session=True,
    )
    out, err = process.communicate(json.dumps(question))
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # what judges have started and left behind
    if process.returncode:
        raise AssertionError(f"the cold scoring failed:\n{err}")
    answer: dict[str, dict[str, dict[str, Any]]] = json.loads(out)
    return {
        case: {judge: from_plain(plain) for judge, plain in row.items()}
        for case, row in answer.items()
    }


def _main() -> None:
    question = json.load(sys.stdin)
    # Judges may print: what they write goes nowhere, the answer goes to the real output.
    answer = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
    scores = _score(question)
    plain = {case: {name: to_plain(s) for name, s in row.items()} for case, row in scores.items()}
    json.dump(plain, answer)
    answer.flush()
    os._exit(0)  # whatever judges left behind must not hold this process up


def _score(question: dict[str, Any]) -> Scores:
    from eval_tui.config.case_graders import CaseGraderScan, with_case_graders
    from eval_tui.config.load import load_config
    from eval_tui.judges.load import JudgeEnv, JudgeUnusable, load
    from eval_tui.record.spec import RecordSpec

    root, path = question["root"], question["config"]
    # The script's own folder would shadow modules of the project.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry not in ("", here)]
    config = load_config(Path(path), Path(root))
    config = with_case_graders(config, CaseGraderScan().look(config.dataset))
    spec = RecordSpec(
        run_dir=question["run"],
        dataset_dir=config.dataset,
        outputs=config.outputs,
        traces=config.traces,
        batch=config.mode == "batch",
    )
    env = JudgeEnv(root, path)
    wanted = question["judges"]
    judges = [j for j in config.judges if not j.asks_model and (not wanted or j.name in wanted)]
    cases = _case_ids(question["run"])
    scores: Scores = {case: {} for case in cases}
    for judge in judges:
        unusable: JudgeUnusable | None = None
        try:
            runner = _load_grader(judge.grader, judge, env) if judge.grader else load(judge, env)
        except JudgeUnusable as exc:
            unusable = exc
            runner = None
        for case in cases:
            if runner is None:
                assert unusable is not None
                recovery = frozenset({"config", "code"})
                score = Unmeasured(Reason.UNSUPPORTED, unusable.words, recover_on=recovery)
                scores[case][judge.name] = score
            else:
                scores[case][judge.name] = _cell(runner, judge, spec, case, env)
    return scores


def _own_files(root: str, config_path: str) -> list[str]:
    """Source files whose frames belong in a judge's traceback: the config and project modules."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    own = [file for file in files if isinstance(file, str) and file.startswith(root + os.sep)]
    return [config_path, *own]


def _cell(runner: Any, judge: Any, spec: Any, case: str, env: Any) -> Score:
    """One cell from a record that was read anew for it."""
    from eval_tui.judges import condition, outcome
    from eval_tui.record.case import load_case

    parts = load_case(spec, case)
    try:
        if judge.step:
            parts = parts.scoped(judge.step)
    except BaseException as exc:
        return outcome.score_of_exception(exc, judge, (), parts)
    try:
        if not condition.evaluate(judge.condition, _record(parts)):
            return condition.skipped(judge)
    except BaseException as exc:
        return outcome.score_of_condition_error(exc, judge, parts)
    if judge.grader:
        return _graded(runner, judge, case, parts, env)
    files = _own_files(env.root, env.config_path)
    with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        score = outcome.attempt(runner, _record(parts), judge, files, parts)
    return outcome.apply_range(score, judge)


def _load_grader(grader: Any, judge: Any, env: Any) -> Any:
    """The grader; that of a column which only cases have a spec for is never asked."""
    from eval_tui.judges.graders.bench import LoadedGrader
    from eval_tui.judges.graders.load import load_grader

    if not grader.id:
        return LoadedGrader(grader, lambda bench: ())
    return load_grader(grader, judge.name, env)


def _own_spec(judge: Any, annotations: Any) -> Any:
    """The spec that a case has for a column, else the config's. Raises NotGraded."""
    from eval_tui.config.grader_spec import read_plain_spec
    from eval_tui.judges.graders.bench import NotGraded

    listed = annotations.get("graders")
    for item in listed if isinstance(listed, list) else ():
        spec, wrong = read_plain_spec(item)
        if spec.name == judge.name and wrong:
            raise NotGraded(
                Unmeasured(Reason.UNSUPPORTED, f"`graders` in annotations.yaml: {wrong}")
            )
        if spec.name == judge.name:
            return spec.grader
    if not judge.grader.id:
        raise NotGraded(Unmeasured(Reason.POLICY_SKIP, "this grader is not declared for this case"))
    return judge.grader


def _graded(loaded: Any, judge: Any, case: str, parts: Any, env: Any) -> Score:
    """One cell of a grader."""
    from eval_tui.judges.graders.bench import NotGraded
    from eval_tui.judges.graders.contract import (
        apply_contract,
        column_score,
        not_graded,
        under_spec,
    )
    from eval_tui.judges.outcome import score_of_exception

    try:
        bench = _Bench(case, parts.case_dir, _record(parts), env.root)
        if judge.grader.per_case:
            loaded = _load_grader(_own_spec(judge, bench.record["annotations"]), judge, env)
        score = column_score(loaded.grade(bench), loaded.grader)
        if judge.grader.per_case:
            own = dataclasses.replace(loaded.grader, foreign=judge.grader.foreign, per_case=False)
            score = under_spec(score, own)
    except NotGraded as exc:
        score = not_graded(exc.score, loaded.grader)
    except BaseException as exc:
        score = not_graded(score_of_exception(exc, judge, (), parts), loaded.grader)
    return apply_contract(score, judge)


class _Bench:
    """A case for a grader: nothing of what it looks at is noted."""

    def __init__(self, case: str, case_dir: str, record: dict[str, Any], root: str) -> None:
        self.case, self.record = case, record
        self._case_dir, self._root = case_dir, root

    def rests_on(self, path: str) -> None: ...

    def variable(self, name: str) -> str | None:
        return os.environ.get(name)

    @contextlib.contextmanager
    def workspace(self, in_place: bool) -> Iterator[_Workspace]:
        assert not in_place
        with tempfile.TemporaryDirectory() as place:
            shutil.copytree(self._case_dir, os.path.join(place, "case"))
            os.mkdir(os.path.join(place, "private"))
            yield _Workspace(self, place, self._root)


class _Workspace:
    def __init__(self, bench: _Bench, place: str, root: str) -> None:
        from eval_tui.judges.graders.context import context_text

        self.folder = os.path.join(place, "case")
        self.private = os.path.join(place, "private")
        self.context = os.path.join(place, "context.json")
        self._own = {
            "PATH": os.environ["PATH"],
            "EVAL_TUI_PROJECT": root,
            "EVAL_TUI_CASE": self.folder,
            "EVAL_TUI_CONTEXT": self.context,
        }
        Path(self.context).write_text(context_text(bench.case, bench.record))

    def run(self, argv: Sequence[str], *, cwd: str, limit_s: float, env: Mapping[str, str]) -> Any:
        from eval_tui.judges.graders.bench import Finished

        done = subprocess.run(
            argv,
            cwd=cwd,
            env={**self._own, **env},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr, 0.0)


def _record(parts: Any) -> dict[str, Any]:
    """The record as plain as it can be: read at once, whatever a judge will ask of it."""
    from eval_tui.record.errors import MissingKey, PartUnreadable

    class Mapping(dict[Any, Any]):
        """A dict that says which key of which mapping is missing, or cannot be read."""

        def __init__(self, values: Any, path: str, broken: dict[str, PartUnreadable]) -> None:
            super().__init__(values)
            self._path, self._broken = path, broken

        def __missing__(self, key: Any) -> Any:
            if key in self._broken:
                raise self._broken[key]
            raise MissingKey(key, self._path)

        def get(self, key: Any, default: Any = None) -> Any:
            return self[key] if key in self else default  # noqa: SIM401

        def __contains__(self, key: object) -> bool:
            return super().__contains__(key) or key in self._broken

    class Broken(Mapping):
        """The same where some part cannot be read: whoever walks over all of it meets it."""

        def items(self) -> Any:
            return [(key, self[key]) for key in self]

        def values(self) -> Any:
            return [self[key] for key in self]

        def keys(self) -> Any:
            return [*super().keys(), *self._broken]

        def __iter__(self) -> Any:
            return iter(self.keys())

        def __len__(self) -> int:
            return super().__len__() + len(self._broken)

    def files() -> Any:
        values: dict[str, Any] = {}
        broken: dict[str, PartUnreadable] = {}
        for name in parts.file_names():
            try:
                values[name] = parts.file_value(name)
            except PartUnreadable as exc:
                broken[name] = exc
        return (Broken if broken else Mapping)(values, "files", broken)

    values: dict[str, Any] = {}
    broken: dict[str, PartUnreadable] = {}
    for key in parts.keys():  # noqa: SIM118
        try:
            values[key] = files() if key == "files" else parts.value(key)
        except PartUnreadable as exc:
            broken[key] = exc
    if "annotations" in values:
        values["annotations"] = Mapping(values["annotations"], "annotations", {})
    return (Broken if broken else Mapping)(values, "outputs", broken)


def _case_ids(run_dir: str) -> list[str]:
    """Real folders below `cases/`: hidden ones and links are no cases (D47)."""
    folder = os.path.join(run_dir, "cases")
    if not os.path.isdir(folder):
        return []
    with os.scandir(folder) as entries:
        return sorted(
            e.name for e in entries if e.is_dir(follow_symlinks=False) and e.name[0] != "."
        )


if __name__ == "__main__":
    _main()
