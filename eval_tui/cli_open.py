"""The `open` command: a document of another tool as a grid that is only read."""

from __future__ import annotations

import gc
import sys
from typing import Any

import click

from eval_tui.cli_options import FORMATS, look_options


@click.command("open")
@click.argument("file", type=click.Path())
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=None,
    help="Print it in this format instead of opening the app.",
)
@click.option(
    "-o", "--output", default="", type=click.Path(), help="Write what is printed to this file."
)
@look_options
def open_command(
    file: str,
    form: str | None,
    output: str,
    theme: str | None,
    plain: bool,
    no_mouse: bool,
) -> None:
    """Open an Everdict document in JSON, only to read it.

    FILE is a scorecard, a list of them, a run, an analysis bundle, a case result, an ingest body or
    a job's log. Its own scores, verdicts and traces are shown; nothing is run, fetched or changed.
    """
    gc.disable()  # nothing of a document is garbage while it is read
    if form is not None:
        from eval_tui.imports.printing import print_document

        sys.exit(print_document(file, form, output))
    if output:
        raise click.UsageError("--output needs --format")
    from eval_tui.imports.opened import opened_or_told

    opened = opened_or_told(file)
    if opened is None:
        sys.exit(2)
    from eval_tui.tui.keymap import take_keys

    problems = take_keys()  # the screens are made with them
    from eval_tui.imports.source import DocumentSource
    from eval_tui.tui.run import run_app

    looks: dict[str, Any] = {"theme": theme, "ascii": plain, "mouse": not no_mouse}
    sys.exit(run_app(DocumentSource(opened), **looks, key_problems=problems))
