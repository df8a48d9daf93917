"""What commands print: the document to standard output or a file, everything else to standard error."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import NoReturn

from eval_tui.atomic import write_whole
from eval_tui.config.problems import Problem

UNWRITABLE = 2
"""Exit code where what was asked for cannot be written."""


def say(text: str) -> None:
    """Tell the person something that is not the document."""
    print(printable(f"eval-tui: {text}"), file=sys.stderr)


def tell(lines: Iterable[str]) -> None:
    """Lines for another program that reads standard error."""
    for line in lines:
        print(printable(line), file=sys.stderr)


def put(text: str, end: str = "\n") -> None:
    """Print a line of what was asked for. Where that cannot be written the command ends."""
    try:
        sys.stdout.write(printable(text) + end)
    except BrokenPipeError:
        raise
    except OSError as exc:
        lost(exc)


def lost(error: OSError) -> NoReturn:
    """End the command, as standard output takes nothing more: its disk may be full."""
    say(f"standard output cannot be written: {error.strerror or error}")
    silence()
    sys.exit(UNWRITABLE)


def silence() -> None:
    """What is still buffered for standard output goes nowhere, without a complaint at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def publish(text: str, output: str) -> bool:
    """Write the document to the file, or print it without one; False when it cannot be written."""
    if not output:
        put(text)
        return True
    try:
        write_whole(output, text + "\n")
    except OSError as exc:
        say(f"cannot write {output}: {exc.strerror or exc}")
        return False
    return True


_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal would obey: a log is one too."""


def printable(text: str) -> str:
    """The text as the stream can take it, with nothing in it that a terminal would obey.

    Lone surrogates do not fit into UTF-8.
    """
    encoding = sys.stdout.encoding or "utf-8"
    return _ACTING.sub("\ufffd", text).encode(encoding, "replace").decode(encoding)


def problem_line(problem: Problem, root: str) -> str:
    """`error eval.yaml:12:3 message (hint)`, cleaned of control characters."""
    where = os.path.relpath(problem.file, root) if problem.file else ""
    if problem.line:
        where += f":{problem.line}" + (f":{problem.column}" if problem.column else "")
    judge = f"judge {problem.judge}: " if problem.judge else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    message = " / ".join(line for line in problem.message.splitlines() if line.strip())
    text = " ".join(p for p in (problem.severity, where, f"{judge}{message}{hint}") if p)
    return "".join(c if c.isprintable() or c == " " else "\ufffd" for c in text)


def tell_problems(problems: Iterable[Problem], root: str) -> None:
    for problem in problems:
        print(printable(problem_line(problem, root)), file=sys.stderr)
