"""The `plugins` command: what `builtin:`, a grader's `id:` and `--format` can name here."""

from __future__ import annotations

import os
import sys

import click

from eval_tui.cli_options import PYTHON, ROOT


@click.command("plugins")
@click.argument("path", required=False, type=click.Path(exists=True))
@ROOT
@PYTHON
def plugins_command(path: str | None, root: str | None, python: str) -> None:
    """List what installed packages and the `judges/` folder add.

    Exit code 2 when something that is installed cannot be used.
    """
    from eval_tui.cli import place
    from eval_tui.engine.installed import NotTold, judge_plugins
    from eval_tui.output import put, say
    from eval_tui.plugins import plugins
    from eval_tui.results.plugin_list import plugin_lines

    folder, config = place(path, root)
    try:
        interpreter, found = judge_plugins(folder, python or None, os.environ)
    except NotTold as exc:
        say(str(exc))
        sys.exit(2)
    found = (*found, *plugins("formats"))
    for line in plugin_lines(folder, config, interpreter, found):
        put(line)
    sys.exit(2 if any(one.problem for one in found) else 0)
