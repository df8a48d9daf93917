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
    from eval_tui.starting import AlreadyThere, write_starter

    try:
        written = write_starter(path)
    except AlreadyThere as error:
        click.echo(f"eval-tui: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        click.echo(f"eval-tui: {error.filename or path}: {error.strerror or error}", err=True)
        sys.exit(2)
    for name in written:
        click.echo(f"  {name}")
    where = "" if path == "." else f" {path}"
    click.echo(f"\nStart with {os.path.join(path, 'eval.yaml')}, and look at it: eval-tui{where}")
