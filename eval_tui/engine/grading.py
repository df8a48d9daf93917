"""Graders in a worker: a case on the bench, with its commands in a private folder (D39).

What a grader rests on is told to the watch of its cell: the files that its command names, the
variables that its spec names, and for commands the whole case. Standard library only, Python 3.10.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from eval_tui.config.grader_spec import read_plain_spec
from eval_tui.config.graders import grader_bases
from eval_tui.config.plain import as_list, as_mapping
from eval_tui.config.schema import Grader, Judge
from eval_tui.engine import scratch
from eval_tui.engine.casecopy import TooLarge, copy_case
from eval_tui.engine.commands import both_ends, run_command
from eval_tui.engine.environment import FIXED, is_secret
from eval_tui.engine.observe import Watch
from eval_tui.engine.versions import env_version, path_version
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.graders.bench import Finished, LoadedGrader, NotGraded, failed, lacking
from eval_tui.judges.graders.context import context_text
from eval_tui.judges.graders.contract import column_score, not_graded, under_spec
from eval_tui.judges.graders.load import load_grader
from eval_tui.judges.graders.named import named_files
from eval_tui.judges.outcome import score_of_exception
from eval_tui.plugins import plugin_name
from eval_tui.record.case import CaseParts
from eval_tui.record.record import make_record, plain_record
from eval_tui.scores import Reason, Score, Unmeasured

_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "VIRTUAL_ENV", *FIXED)
"""Variables that every command gets."""

_numbers = itertools.count(1)


def variable_version(name: str, variables: Mapping[str, str]) -> str:
    """The version of a variable that a grader was given; of a credential only whether it is set."""
    if is_secret(name):
        return "set" if name in variables else "-"
    return env_version(name, variables)


class CaseBench:
    """A case for one grader; see `eval_tui.judges.graders.bench.Bench`.

    `whole_case` is called when the whole case becomes an input.
    """

    def __init__(
        self,
        case: str,
        case_dir: str,
        record: dict[str, Any],
        watch: Watch,
        env: JudgeEnv,
        variables: Mapping[str, str],
        whole_case: Callable[[], None],
        scratch_folder: Callable[[], str] = scratch.worker_folder,
    ) -> None:
        self.case, self.record = case, record
        self._case_dir, self._watch, self._root = case_dir, watch, env.root
        self._variables, self._whole_case = variables, whole_case
        self._scratch_folder = scratch_folder
        self._log: list[str] = []

    @property
    def log(self) -> str:
        """What the grader's commands printed, and how they ended."""
        return "\n".join(self._log)

    def rests_on(self, path: str) -> None:
        if os.path.isfile(path):
            self._watch.note_file(path)
        else:
            self._watch.note("exists", path, path_version("exists", path))

    def variable(self, name: str) -> str | None:
        self._watch.note("given", name, variable_version(name, self._variables))
        value = self._variables.get(name)
        if value is None and is_secret(name):
            detail = f"the variable {name}, which `env` names, is not set"
            change = frozenset({"secret", "config"})
            raise NotGraded(Unmeasured(Reason.MISSING_SECRET, detail, recover_on=change))
        return value

    @contextlib.contextmanager
    def workspace(self, in_place: bool) -> Generator[CaseWorkspace]:
        self._whole_case()
        place = ""
        before = _contents(self._case_dir) if in_place else {}
        try:
            place = os.path.join(self._scratch_folder(), str(next(_numbers)))
            folder = self._case_dir if in_place else os.path.join(place, "case")
            os.makedirs(os.path.join(place, "private"))
            os.makedirs(os.path.join(place, "tmp"))
            if not in_place:
                copy_case(self._case_dir, folder)
            yield CaseWorkspace(self, place, folder)
        except TooLarge as error:
            hint = "with `in_place: true` the grader works in the folder itself"
            raise lacking(f"the case's folder is not copied: {error}; {hint}") from None
        except OSError as error:
            words = f"{error.strerror or error}: {error.filename or place}"
            raise failed(f"no private folder for the grader: {words}", retryable=True) from None
        finally:
            if place:
                scratch.remove(place)
            if in_place:  # what it writes itself must not make it run again
                after = _contents(self._case_dir).items()
                self._watch.written.update(path for path, seen in after if before.get(path) != seen)

    def run(
        self, argv: Sequence[str], cwd: str, limit_s: float, env: Mapping[str, str]
    ) -> Finished:
        """Run a command and put what became of it into the log."""
        done = run_command(argv, cwd=cwd, limit_s=limit_s, env=env)
        how = "ran out of time" if done.timed_out else f"exit {done.code}"
        command = argv[2] if list(argv[:2]) == ["/bin/sh", "-c"] else " ".join(argv)
        self._log += [f"$ {command}", f"[{how} after {done.seconds:.2f} s]"]
        for title, text in (("output", done.stdout), ("errors", done.stderr)):
            if text.strip():
                shown = both_ends(text.rstrip("\n"))
                self._log.append(f"--- {title} ---\n{shown}")
        return done

    def environment(self) -> dict[str, str]:
        """What every command gets in its environment."""
        kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return {**kept, "EVAL_TUI_PROJECT": self._root}


class CaseWorkspace:
    """See `eval_tui.judges.graders.bench.Workspace`."""

    def __init__(self, bench: CaseBench, place: str, folder: str) -> None:
        self._bench, self._place = bench, place
        self.folder = folder
        self.private = os.path.join(place, "private")
        self.context = os.path.join(place, "context.json")
        with open(self.context, "w", encoding="utf-8") as file:
            file.write(context_text(bench.case, bench.record))

    def run(
        self, argv: Sequence[str], *, cwd: str, limit_s: float, env: Mapping[str, str]
    ) -> Finished:
        own = {
            "TMPDIR": os.path.join(self._place, "tmp"),
            "EVAL_TUI_CASE": self.folder,
            "EVAL_TUI_CONTEXT": self.context,
        }
        return self._bench.run(argv, cwd, limit_s, {**self._bench.environment(), **env, **own})


def note_files(grader: Grader, env: JudgeEnv, watch: Watch) -> None:
    """Tell the files that a grader names before it runs: one that hangs rests on them too."""
    for path in named_files(grader, grader_bases(env.root, env.config_dir)):
        watch.note_file(path)


def grade_case(
    loaded: LoadedGrader,
    judge: Judge,
    case: str,
    parts: CaseParts,
    note: Callable[[str, str, str], None],
    watch: Watch,
    env: JudgeEnv,
    variables: Mapping[str, str],
) -> tuple[Score, str, BaseException | None]:
    """Grade a case: the score to store, what commands printed, and what the record raised.

    `note` is told of each look at the record, `watch` of everything else.
    """
    record = make_record(parts, note, trusted=True)

    def whole_case() -> None:
        note("case_dir", "", "")

    bench = CaseBench(case, parts.case_dir, record, watch, env, variables, whole_case)
    try:
        if plugin_name(loaded.grader.id):  # other people's code gets a record of its own
            bench.record = plain_record(parts, note)
        return grade(loaded, judge, env, bench), bench.log, None
    except BaseException as exc:
        lost = score_of_exception(exc, judge, (), parts)
        return not_graded(lost, loaded.grader), bench.log, exc


def grade(loaded: LoadedGrader, judge: Judge, env: JudgeEnv, bench: CaseBench) -> Score:
    """The stored score of a cell: what the record's exceptions say is the caller's business."""
    grader = loaded.grader
    try:
        if grader.per_case:
            loaded = _of_case(loaded, judge.name, env, bench)
        score = column_score(loaded.grade(bench), loaded.grader)
        # What only the case's own spec tells is looked at here, the rest whenever it is shown.
        return (
            under_spec(score, replace(loaded.grader, per_case=False)) if grader.per_case else score
        )
    except NotGraded as exc:
        return not_graded(exc.score, loaded.grader)


def _of_case(loaded: LoadedGrader, name: str, env: JudgeEnv, bench: CaseBench) -> LoadedGrader:
    """The spec that the case's annotations have for this column, else the config's."""
    change = frozenset({"config", "evidence"})
    annotations = cast("Mapping[str, object]", bench.record["annotations"])
    for item in as_list(annotations.get("graders")) or []:
        values = as_mapping(item)
        spec, wrong = read_plain_spec(values) if values is not None else (None, "")
        if spec is None or spec.name != name:
            continue
        if plugin_name(spec.grader.id):
            wrong = f"`{spec.grader.id}` is a plugin, which only the config can ask for"
        if wrong or spec.elsewhere:
            detail = wrong or f"`{spec.grader.id}` cannot be graded here: {spec.elsewhere}"
            text = f"`graders` in annotations.yaml: {detail}"
            raise NotGraded(Unmeasured(Reason.UNSUPPORTED, text, recover_on=change))
        return load_grader(_owned(spec.grader, loaded.grader), name, env)
    if not loaded.grader.id:
        detail = "this grader is not declared for this case"
        raise NotGraded(Unmeasured(Reason.POLICY_SKIP, detail, recover_on=change))
    return loaded


def _owned(own: Grader, column: Grader) -> Grader:
    """A case's spec may emit what nobody else in the config declares, and no ground truth of it."""
    truth = [m.id for m in column.metrics if m.authority == "ground_truth" and not m.of_cases]
    return replace(own, foreign=(*column.foreign, *truth))


def load_for(judge: Judge, env: JudgeEnv) -> LoadedGrader:
    """The grader of a column; one that only cases declare grades nothing by itself."""
    if judge.grader is None:
        raise JudgeUnusable("this entry has no grader's spec")
    if not judge.grader.id:
        return LoadedGrader(judge.grader, lambda bench: ())
    return load_grader(judge.grader, judge.name, env)


def _contents(folder: str) -> dict[str, tuple[int, int]]:
    """Path -> size and time of every file below a folder."""
    found: dict[str, tuple[int, int]] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                info = os.lstat(os.path.join(parent, name))
                found[os.path.join(parent, name)] = (info.st_size, info.st_mtime_ns)
    return found
