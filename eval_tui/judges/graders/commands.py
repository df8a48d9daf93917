"""Running a grader's command: its words, its folder, its environment, its time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from eval_tui.config.grader_kinds import limit_of
from eval_tui.config.plain import as_list, as_mapping
from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import Bench, Finished, Workspace, failed, lacking
from eval_tui.judges.graders.named import named_in

EXCERPT = 500
"""Characters of what a command printed that its score repeats; the whole is in the logs."""

_NOT_RUN = {126: "cannot be executed", 127: "was not found"}
"""Exit codes by which a shell says that a command did not run."""

Bases = Sequence[str]
"""Absolute folders in which files that a command names are looked for."""


def shell(bench: Bench, place: Workspace, grader: Grader, command: str, bases: Bases) -> Finished:
    """Run a shell command of the grader's; `$1` is the context file. Raises NotGraded."""
    argv = ["/bin/sh", "-c", resolved(bench, command, bases), "sh", place.context]
    return execute(bench, place, grader, argv)


def resolved(bench: Bench, command: str, bases: Bases) -> str:
    """The command with absolute paths of the project's files that it names; the score rests on
    them, and on their absence."""
    words = named_in(command, bases)
    for path in (*words.missing, *words.files):
        bench.rests_on(path)
    return words.command


def execute(
    bench: Bench,
    place: Workspace,
    grader: Grader,
    argv: Sequence[str],
    own: Mapping[str, str] | None = None,
) -> Finished:
    """Run a command in the grader's folder, with `own` variables of the implementation's.

    Raises NotGraded when it did not run to its end.
    """
    cwd = os.path.join(place.folder, str(grader.config.get("cwd") or ""))
    if not os.path.isdir(cwd):
        raise lacking(f"the case has no folder `{grader.config.get('cwd')}` to work in")
    limit = limit_of(grader)
    env = {**_environment(bench, grader), **(own or {})}
    try:
        done = place.run(argv, cwd=cwd, limit_s=limit, env=env)
    except OSError as error:
        raise failed(f"`{argv[0]}` cannot be started: {error.strerror or error}") from None
    if done.timed_out:
        raise failed(f"timed out: the command ran past its limit of {limit:g} s", retryable=True)
    return done


def ran(done: Finished) -> Finished:
    """The command, if it ran at all. Raises NotGraded for one that a shell or a signal stopped."""
    if done.code in _NOT_RUN:
        raise failed(f"the command {_NOT_RUN[done.code]} (exit {done.code}): {excerpt(done)}")
    if done.code < 0:
        raise failed(f"the command was ended by signal {-done.code}", retryable=True)
    return done


def excerpt(done: Finished) -> str:
    """The end of what a command printed, on its standard error if there is anything."""
    text = (done.stderr if done.stderr.strip() else done.stdout).strip()
    return text if len(text) <= EXCERPT else f"…{text[-EXCERPT:]}"


def _environment(bench: Bench, grader: Grader) -> Mapping[str, str]:
    """The variables that the spec asks for: by name, or with values of its own."""
    wanted = grader.config.get("env")
    names = as_list(wanted) or []
    values: Mapping[object, object] = as_mapping(wanted) or dict.fromkeys(names)
    found: dict[str, str] = {}
    for name, own in values.items():
        value = bench.variable(str(name)) if own is None else str(own)
        if value is not None:
            found[str(name)] = value
    return found
