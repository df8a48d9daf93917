"""The `authority` command: what is declared as ground truth, and who accepts it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from eval_tui.cli_options import EVAL, ROOT, RUNS, F, with_options

if TYPE_CHECKING:
    from eval_tui.engine.project import Options


def _place_options(command: F) -> F:
    run = click.option(
        "--run", default="", metavar="RUN", help="The run to tell the effect from (the newest)."
    )
    return with_options(command, [ROOT, EVAL, run, RUNS])


_path = click.argument("path", required=False, type=click.Path())


@click.group()
def authority() -> None:
    """Look at what graders declare as ground truth, and accept it.

    Acceptances are kept in eval-tui.lock beside the config: commit it. Nothing is judged.
    """


@authority.command("list")
@_path
@_place_options
def list_command(**given: Any) -> None:
    """Say what is declared, and whether it was accepted.

    Also what accepting it would change.
    """
    from eval_tui.authority import show

    sys.exit(show(_options(given)))


@authority.command()
@click.argument("metric")
@_path
@_place_options
@click.option("--by", default="", metavar="NAME", help="Who accepts it; else a terminal asks.")
@click.option("--note", default="", help="Why it is right, for those who read the lock.")
def accept(metric: str, by: str, note: str, **given: Any) -> None:
    """Accept METRIC (or GRADER/METRIC) as ground truth, as it is now."""
    from eval_tui.authority import accept as run

    sys.exit(run(_options(given), metric, by.strip(), note))


@authority.command()
@_path
@_place_options
def check(**given: Any) -> None:
    """Exit with 3 unless everything is accepted as it is now.

    Not reviewed, drifted, or no longer declared: each is told.
    """
    from eval_tui.authority import check as run

    sys.exit(run(_options(given)))


def _options(given: dict[str, Any]) -> Options:
    from eval_tui.cli import place
    from eval_tui.engine.project import Options

    root, config = place(given["path"], given["root"])
    return Options(
        root=root,
        config=config,
        eval_name=given["eval_name"],
        run=given["run"],
        runs=os.path.abspath(given["runs"]) if given["runs"] else "",
        look_only=True,
        watch=False,
    )
