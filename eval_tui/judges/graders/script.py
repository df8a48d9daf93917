"""`script`: a program that is given the case and prints its scores (D37)."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence

from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import (
    Bench,
    Finished,
    Grade,
    NotGraded,
    Row,
    Workspace,
    failed,
)
from eval_tui.judges.graders.commands import Bases, excerpt, execute, shell
from eval_tui.judges.graders.printed import read_rows
from eval_tui.scores import Reason, Unmeasured

_SUFFIXES = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node"}
_FILES = {"python": "grader.py", "node": "grader.mjs"}


def make(grader: Grader, bases: Bases, name: str) -> Grade:
    """Emits whatever it prints: a JSON score, a list of them, or `SCORE=0.7`.

    The path of the context file is its first argument. An exit code other than 0 discards what it
    printed.
    """

    def grade(bench: Bench) -> Sequence[Row]:
        with bench.workspace(bool(grader.config.get("in_place"))) as place:
            done = _run(bench, place, grader, bases)
        if done.code:
            raise failed(f"the script ended with exit {done.code}: {excerpt(done)}")
        return read_rows(done.stdout, grader, name)

    return grade


def _run(bench: Bench, place: Workspace, grader: Grader, bases: Bases) -> Finished:
    config = grader.config
    if config.get("cmd"):
        return shell(bench, place, grader, str(config["cmd"]), bases)
    language = str(config.get("language") or "")
    if config.get("code"):
        script = os.path.join(place.private, _FILES[language])
        with open(script, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(str(config["code"]))
        words = [script]
    else:
        words = _entrypoint(bench, str(config["entrypoint"]), bases)
        language = language or _SUFFIXES.get(os.path.splitext(words[0])[1], "")
    return execute(bench, place, grader, [*_interpreter(language), *words, place.context])


def _entrypoint(bench: Bench, entrypoint: str, bases: Bases) -> list[str]:
    """The script and its arguments; those that name files of the project by absolute path."""
    try:
        words = shlex.split(entrypoint)
    except ValueError:
        words = entrypoint.split()
    found = [_file(bench, word, bases) for word in words]
    if not found or not found[0]:
        raise _unsupported(f"there is no file `{words[0] if words else entrypoint}`")
    return [path or word for path, word in zip(found, words, strict=True)]


def _file(bench: Bench, word: str, bases: Bases) -> str:
    for base in bases:
        path = os.path.normpath(os.path.join(base, word))
        bench.rests_on(path)
        if os.path.isfile(path):
            return path
    return ""


def _interpreter(language: str) -> list[str]:
    if language == "python":
        return [sys.executable]
    if language == "node":
        if shutil.which("node") is None:
            raise _unsupported("`node` is not installed on this machine")
        return ["node"]
    return []


def _unsupported(detail: str) -> NotGraded:
    change = frozenset({"config", "code"})
    return NotGraded(Unmeasured(Reason.UNSUPPORTED, detail, recover_on=change))
