"""The `init` command: a small eval to start from."""

from __future__ import annotations

import os
import sys

import click


@click.command("init")
@click.argument("path", required=False, default=".", type=click.Path(file_okay=False))
def init_command(path: str) -> None:
    """Write a small eval to start from into PATH.

    A config with comments, a case, a run and a judge of each kind. Without PATH they go into the
    current folder. Nothing that is there is overwritten.
    """
    from eval_tui.output import put, say
    from eval_tui.starting import AlreadyThere, write_starter

    try:
        written = write_starter(path)
    except AlreadyThere as error:
        say(str(error))
        sys.exit(2)
    except OSError as error:
        say(f"{error.filename or path}: {error.strerror or error}")
        sys.exit(2)
    for name in written:
        put(f"  {name}")
    where = "" if path == "." else f" {path}"
    put(f"\nStart with {os.path.join(path, 'eval.yaml')}, and look at it: eval-tui{where}")
