"""The options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from eval_tui.plugins import PREFIX, PluginUnusable, load_plugin, plugin_name

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("table", "json", "jsonl", "csv", "junit", "markdown", "html")
"""The names of `results.formats.FORMATS`, which is imported only where a document is written."""


class Format(click.Choice[str]):
    """The name of a format: one of ours, or `plugin/name` of an installed package."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join(self.choices)}|{PREFIX}NAME]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse at once what could not be written in the end."""
        if not plugin_name(value):
            return super().convert(value, param, ctx)
        try:
            load_plugin("formats", plugin_name(value))
        except PluginUnusable as exc:
            self.fail(str(exc), param, ctx)
        return value


class Amount(click.FloatRange):
    """A number within bounds. NaN is none: it lies within all of them, and compares with nothing."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        amount = super().convert(value, param, ctx)
        if math.isnan(amount):
            self.fail(f"{value} is no number", param, ctx)
        return amount


ROOT = click.option("--root", type=click.Path(), metavar="DIR", help="The project's folder.")
EVAL = click.option("--eval", "eval_name", default="", metavar="NAME", help="The eval, by name.")
RUNS = click.option("--runs", default="", metavar="DIR", help="The folder that holds the runs.")
PYTHON = click.option(
    "--python", default="", metavar="PATH", help="The interpreter that judges run under."
)


def with_options(command: F, options: Sequence[Callable[[F], F]]) -> F:
    """The command with these options, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def project_options(command: F) -> F:
    """Options of every command that reads a project."""
    return with_options(
        command,
        [
            click.argument("path", required=False, type=click.Path()),
            ROOT,
            EVAL,
            click.option(
                "--run",
                default="",
                metavar="RUN",
                help="The run to open; else the newest is followed.",
            ),
            RUNS,
            PYTHON,
            click.option("--poll", is_flag=True, help="Look for changes without file events."),
            click.option(
                "--view", is_flag=True, help="Run nothing at all: show what is recorded and stored."
            ),
        ],
    )


def run_options(command: F) -> F:
    """Options of commands that judge."""
    return with_options(
        command,
        [
            click.option(
                "--auto",
                type=click.Choice(["free", "paid", "off"]),
                default="free",
                help="Model calls made on their own: none, within the budget, or none ever (free).",
            ),
            click.option(
                "--budget",
                type=Amount(min=0),
                default=1.0,
                metavar="USD",
                help="What --auto paid may spend (1); inf: also on models whose price is not known.",
            ),
            click.option(
                "--concurrency",
                type=click.IntRange(min=1),
                default=8,
                metavar="N",
                help="Model calls under way at once (8).",
            ),
            click.option(
                "--judge-timeout",
                type=Amount(min=0.01),
                default=30.0,
                metavar="S",
                help="Seconds that one judge may take on one case (30).",
            ),
            click.option(
                "--judge-memory",
                type=click.IntRange(min=0),
                default=2048,
                metavar="MB",
                help="Memory that judges may use; 0 for no limit (2048).",
            ),
            click.option(
                "--judges",
                "judge_files",
                multiple=True,
                type=click.Path(exists=True, dir_okay=False),
                metavar="FILE",
                help="Judges and graders for this time only, from a file; repeatable.",
            ),
        ],
    )


def look_options(command: F) -> F:
    """Options of commands that open the app."""
    return with_options(
        command,
        [
            click.option("--theme", default=None, help="The colours: a theme's name."),
            click.option(
                "--ascii", "plain", is_flag=True, help="Use no characters beyond ASCII for marks."
            ),
            click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal."),
        ],
    )


AT_REST = {
    "view": True,
    "auto": "off",
    "budget": 0.0,
    "concurrency": 1,
    "judge_timeout": 1.0,
    "judge_memory": 0,
}
"""What the options of commands that judge come to where nothing is judged."""


def document_options(default: str, *more: str) -> Callable[[F], F]:
    """Options of commands that write a run as a document; `more`: further formats of this one."""

    def decorate(command: F) -> F:
        return with_options(
            command,
            [
                click.option(
                    "--format",
                    "form",
                    type=Format((*FORMATS, *more)),
                    default=default,
                    help=f"How the document is written ({default}).",
                ),
                click.option(
                    "-o",
                    "--output",
                    default="",
                    type=click.Path(),
                    help="Write the document to this file, whole or not at all.",
                ),
            ],
        )

    return decorate


def baseline_option(command: F) -> F:
    """The option of commands that show a run beside another one."""
    return click.option(
        "--baseline",
        default="",
        metavar="RUN",
        help="The run to compare with, by its id; `blessed`: what was blessed in the app.",
    )(command)


def baseline_trials_option(command: F) -> F:
    """The option of commands that say what of a difference may be noise."""
    return click.option(
        "--baseline-trial",
        "baseline_trials",
        multiple=True,
        metavar="RUN",
        help="A further run that repeats the baseline, as a trial of it; repeatable.",
    )(command)


def compare_options(command: F) -> F:
    """Options of commands that may ask a model about two runs."""
    pairwise = click.option(
        "--pairwise",
        is_flag=True,
        help="Ask a model which of the two runs did better in each case, in both orders.",
    )
    return baseline_option(pairwise(command))
