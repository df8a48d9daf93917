"""What commands print: the document to standard output or a file, everything else to standard error."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Iterable

from eval_tui.config.problems import Problem


def say(text: str) -> None:
    """Tell the person something that is not the document."""
    print(printable(f"eval-tui: {text}"), file=sys.stderr)


def publish(text: str, output: str) -> bool:
    """Write the document to the file, or print it without one; False when it cannot be written."""
    if not output:
        sys.stdout.write(printable(text) + "\n")
        return True
    try:
        _write(output, text + "\n")
    except OSError as exc:
        say(f"cannot write {output}: {exc.strerror or exc}")
        return False
    return True


def _write(output: str, text: str) -> None:
    """Write the file whole or not at all, where a file of that name can be replaced."""
    path = os.path.realpath(output)
    data = text.encode("utf-8", "replace")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device
        with open(path, "wb") as file:
            file.write(data)
        return
    aside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(aside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            shutil.copymode(path, aside)
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


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
